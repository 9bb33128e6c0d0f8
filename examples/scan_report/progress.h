// SPDX-License-Identifier: Apache-2.0
// Shows on stderr what the program is busy with. On a terminal one line is rewritten once a second;
// elsewhere each stage gets a line of its own.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace scan_report {

class Progress {
  public:
    enum class Style { kSilent, kLines, kTerminal };

    /// Terminal style if stderr is a terminal, lines if they are asked for, else silent.
    static Style choose(bool asked_for);

    explicit Progress(Style style);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// From now on the program is at this stage. An empty text clears the line, before other
    /// output.
    void stage(std::string text);

  private:
    using Clock = std::chrono::steady_clock;

    void show();
    void tick();

    const Style style_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool stop_ = false;
    std::string text_;
    Clock::time_point since_;
    std::thread ticker_;
};

}  // namespace scan_report
