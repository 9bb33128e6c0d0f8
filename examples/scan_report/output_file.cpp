// SPDX-License-Identifier: Apache-2.0
#include "output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "text.h"

namespace scan_report {

OutputFile::OutputFile(const std::string& path) : path_(path) {
    const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0) fail();
    file_.reset(fdopen(descriptor, "w"));
    if (!file_) {
        close(descriptor);
        fail();
    }
}

bool OutputFile::is(const std::string& path) const {
    struct stat mine {
    }, other{};
    return fstat(fileno(file_.get()), &mine) == 0 && stat(path.c_str(), &other) == 0 &&
           mine.st_dev == other.st_dev && mine.st_ino == other.st_ino;
}

void OutputFile::write(const std::string& text) {
    struct stat status {};
    if (fstat(fileno(file_.get()), &status) != 0) fail();
    // Pipes and devices have no length to cut.
    if (S_ISREG(status.st_mode) && ftruncate(fileno(file_.get()), 0) != 0) fail();
    if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) fail();
    if (std::fclose(file_.release()) != 0) fail();
}

void OutputFile::fail() const {
    throw FileError("cannot write " + quoted(path_) + ": " + std::strerror(errno));
}

}  // namespace scan_report
