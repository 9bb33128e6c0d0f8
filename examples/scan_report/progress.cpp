// SPDX-License-Identifier: Apache-2.0
#include "progress.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

namespace scan_report {

Progress::Style Progress::choose(bool asked_for) {
    if (isatty(STDERR_FILENO)) return Style::kTerminal;
    return asked_for ? Style::kLines : Style::kSilent;
}

Progress::Progress(Style style) : style_(style) {
    if (style_ == Style::kTerminal) ticker_ = std::thread([this] { tick(); });
}

Progress::~Progress() {
    if (!ticker_.joinable()) return;
    stage("");
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        stop_ = true;
    }
    changed_.notify_one();
    ticker_.join();
}

void Progress::stage(std::string text) {
    if (style_ == Style::kSilent) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    text_ = std::move(text);
    since_ = Clock::now();
    show();
}

void Progress::show() {
    if (style_ == Style::kLines) {
        if (!text_.empty()) std::fprintf(stderr, "%s\n", text_.c_str());
        return;
    }
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - since_).count();
    // Back to the first column, and erase what stood there.
    std::fprintf(stderr, "\r\033[K%s", text_.c_str());
    if (!text_.empty() && seconds > 0)
        std::fprintf(stderr, ", %lld s", static_cast<long long>(seconds));
    std::fflush(stderr);
}

void Progress::tick() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!changed_.wait_for(lock, std::chrono::seconds(1), [this] { return stop_; })) {
        if (!text_.empty()) show();
    }
}

}  // namespace scan_report
