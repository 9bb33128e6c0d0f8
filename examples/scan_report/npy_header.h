// SPDX-License-Identifier: Apache-2.0
// The header of a .npy file, versions 1.0 to 3.0 (NumPy Enhancement Proposal 1 and
// numpy.lib.format).
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace scan_report {

enum class ElementType { kFloat32, kFloat64, kInt32, kInt64 };

const char* type_name(ElementType type);  ///< "float32", as NumPy calls it
std::size_t type_size(ElementType type);  ///< bytes

/// A file that cannot be scanned. what() is one line without the file's name.
struct NpyError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct NpyHeader {
    ElementType type;
    std::uint64_t count;  ///< elements; count * type_size(type) fits in 63 bits
};

/// The first bytes of a file, from which the length of its header follows.
constexpr std::size_t kNpyPrefixBytes = 12;

/// Where the header text stands in the file.
struct NpyHeaderSpan {
    std::size_t begin;   ///< bytes before the text: 10 in version 1, 12 in versions 2 and 3
    std::size_t length;  ///< bytes of the text
};

/// Reads magic, version and length. `prefix` is the start of the file, up to kNpyPrefixBytes (fewer
/// if the file ends before). Throws NpyError, also for a header longer than any honest one (65536
/// bytes).
NpyHeaderSpan parse_npy_prefix(std::string_view prefix);

/// Reads the header text, a Python dictionary literal with the keys descr, fortran_order and shape
/// in any order. Accepts one dimension and four little-endian types; says what it found otherwise.
/// Throws NpyError.
NpyHeader parse_npy_header(std::string_view text);

}  // namespace scan_report
