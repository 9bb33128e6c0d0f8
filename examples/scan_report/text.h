// SPDX-License-Identifier: Apache-2.0
// Two small helpers for building text: printf formatting into a string, and quoting of foreign
// text.
#pragma once

#include <string>
#include <string_view>

namespace scan_report {

/// printf into a std::string of whatever length it takes.
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
std::string
format(const char* pattern, ...);

/// The text in single quotes on one printable ASCII line: control bytes and bytes above 126 become
/// \xNN, and text longer than 120 bytes is cut, so that a hostile name cannot break a message into
/// lines or flood it.
std::string quoted(std::string_view text);

}  // namespace scan_report
