// SPDX-License-Identifier: Apache-2.0
#include "text.h"

#include <cstdarg>
#include <cstdio>

namespace scan_report {

std::string format(const char* pattern, ...) {
    std::va_list args;
    va_start(args, pattern);
    std::va_list again;
    va_copy(again, args);
    const int length = std::vsnprintf(nullptr, 0, pattern, args);
    va_end(args);
    std::string text(length > 0 ? static_cast<std::size_t>(length) : 0, '\0');
    if (length > 0) std::vsnprintf(text.data(), text.size() + 1, pattern, again);
    va_end(again);
    return text;
}

std::string quoted(std::string_view text) {
    constexpr std::size_t kLongest = 120;
    std::string line = "'";
    for (const char c : text.substr(0, kLongest)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 32 || byte > 126) {
            line += format("\\x%02x", byte);
        } else {
            line += c;
        }
    }
    return line + (text.size() > kLongest ? "...'" : "'");
}

}  // namespace scan_report
