// SPDX-License-Identifier: Apache-2.0
// Reads a one-dimensional array from a .npy file. The file is not trusted: nothing is allocated for
// data that has not been seen to be there.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "npy_header.h"

namespace scan_report {

class NpyFile {
  public:
    /// Opens the file and reads its header. A regular file must be exactly as long as its header
    /// says; a pipe is checked while it is read. Throws NpyError.
    explicit NpyFile(const std::string& path);

    ElementType type() const { return header_.type; }
    std::uint64_t count() const { return header_.count; }

    /// The elements; T has the size of type(). Call once. Throws NpyError, and std::bad_alloc.
    template <class T>
    std::vector<T> read();

  private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };

    std::string read_up_to(std::size_t bytes);
    void check_length(std::uint64_t data_begin);

    std::unique_ptr<std::FILE, Close> file_;
    NpyHeader header_{};
};

extern template std::vector<float> NpyFile::read<float>();
extern template std::vector<double> NpyFile::read<double>();
extern template std::vector<std::uint32_t> NpyFile::read<std::uint32_t>();
extern template std::vector<std::uint64_t> NpyFile::read<std::uint64_t>();

}  // namespace scan_report
