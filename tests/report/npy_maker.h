// SPDX-License-Identifier: Apache-2.0
// Makes .npy files, right ones and wrong ones, without NumPy.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

/// A file name of its own for the running test.
inline std::string temporary_path(const std::string& name) {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    std::string path = testing::TempDir() + "scan_report_" + test->test_suite_name() + "_" +
                       test->name() + "_" + name;
    for (std::size_t i = testing::TempDir().size(); i < path.size(); ++i) {
        if (path[i] == '/') path[i] = '_';
    }
    return path;
}

inline void write_file(const std::string& path, const std::string& bytes) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    ASSERT_TRUE(file.flush()) << path;
}

/// A file in the test's directory that is removed again.
class TemporaryFile {
  public:
    TemporaryFile(const std::string& name, const std::string& bytes) : path_(temporary_path(name)) {
        write_file(path_, bytes);
    }
    ~TemporaryFile() { std::remove(path_.c_str()); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

/// Magic, version, length and header text, padded as NumPy pads it: the data begins at a multiple
/// of 64.
inline std::string npy_start(std::string header, int major = 1) {
    const std::size_t prefix = major == 1 ? 10 : 12;
    while ((prefix + header.size() + 1) % 64 != 0) header += ' ';
    header += '\n';
    std::string start = "\x93NUMPY";
    start += static_cast<char>(major);
    start += '\0';
    for (std::size_t i = 0; i < prefix - 8; ++i)
        start += static_cast<char>(header.size() >> (8 * i) & 0xFF);
    return start + header;
}

inline std::string npy_header_text(const std::string& descr, const std::string& shape,
                                   const char* fortran_order = "False") {
    return "{'descr': '" + descr + "', 'fortran_order': " + fortran_order + ", 'shape': " + shape +
           ", }";
}

template <class T>
const char* npy_descr();
template <>
inline const char* npy_descr<float>() {
    return "<f4";
}
template <>
inline const char* npy_descr<double>() {
    return "<f8";
}
template <>
inline const char* npy_descr<std::int32_t>() {
    return "<i4";
}
template <>
inline const char* npy_descr<std::int64_t>() {
    return "<i8";
}

template <class T>
std::string npy_data(const std::vector<T>& elements) {
    return std::string(reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(T));
}

/// A whole file.
template <class T>
std::string npy_bytes(const std::vector<T>& elements, int major = 1) {
    const std::string shape = "(" + std::to_string(elements.size()) + ",)";
    return npy_start(npy_header_text(npy_descr<T>(), shape), major) + npy_data(elements);
}
