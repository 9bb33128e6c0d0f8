// SPDX-License-Identifier: Apache-2.0
// A file that the program writes (for --json).
#pragma once

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

namespace scan_report {

/// A file that cannot be opened or written. what() is one line.
struct FileError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Opened before the work begins, so that a path that cannot be written is refused at once; what
/// the file held stays until write().
class OutputFile {
  public:
    /// Throws FileError.
    explicit OutputFile(const std::string& path);

    /// Whether `path` leads to this very file.
    bool is(const std::string& path) const;

    /// Replaces the content. Throws FileError. Call once.
    void write(const std::string& text);

  private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };

    [[noreturn]] void fail() const;

    std::string path_;
    std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace scan_report
