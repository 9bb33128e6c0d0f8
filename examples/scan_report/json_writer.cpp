// SPDX-License-Identifier: Apache-2.0
#include "json_writer.h"

#include <charconv>
#include <cmath>

#include "text.h"

namespace scan_report {

void JsonWriter::open(char opening, char closing) {
    separate();
    text_ += opening;
    closers_ += closing;
    first_ = true;
}

void JsonWriter::end() {
    const char closing = closers_.back();
    closers_.pop_back();
    if (!first_) new_line();
    text_ += closing;
    first_ = false;
    if (closers_.empty()) text_ += '\n';
}

void JsonWriter::key(std::string_view name) {
    separate();
    string(name);
    text_ += ": ";
    after_key_ = true;
}

void JsonWriter::value(std::string_view text) {
    separate();
    string(text);
}

void JsonWriter::value(double number) {
    if (!std::isfinite(number)) return null();
    char digits[32];
    const auto result = std::to_chars(digits, digits + sizeof digits, number);
    raw(std::string_view(digits, static_cast<std::size_t>(result.ptr - digits)));
}

void JsonWriter::raw(std::string_view token) {
    separate();
    text_ += token;
}

void JsonWriter::separate() {
    if (after_key_) {
        after_key_ = false;
        return;
    }
    if (!first_) text_ += ',';
    if (!closers_.empty()) new_line();
    first_ = false;
}

void JsonWriter::new_line() {
    text_ += '\n';
    text_.append(2 * closers_.size(), ' ');
}

namespace {

/// Bytes of the UTF-8 sequence at the front of the text, 0 if it is not one (RFC 3629: no overlong
/// forms, no surrogates, nothing above U+10FFFF).
std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned lead = byte(0);
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xC2 ? 0
                               : lead < 0xE0 ? 2
                               : lead < 0xF0 ? 3
                               : lead < 0xF5 ? 4
                                             : 0;
    if (length == 0 || length > text.size()) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
    }
    if (lead == 0xE0 && byte(1) < 0xA0) return 0;
    if (lead == 0xED && byte(1) > 0x9F) return 0;
    if (lead == 0xF0 && byte(1) < 0x90) return 0;
    if (lead == 0xF4 && byte(1) > 0x8F) return 0;
    return length;
}

}  // namespace

void JsonWriter::string(std::string_view text) {
    text_ += '"';
    while (!text.empty()) {
        const char c = text[0];
        std::size_t length = utf8_length(text);
        if (length == 0) {
            // A file name may hold any bytes, JSON only Unicode: a stray byte becomes the
            // replacement character.
            text_ += "\\ufffd";
            length = 1;
        } else if (c == '"' || c == '\\') {
            text_ += '\\';
            text_ += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            text_ += format("\\u%04x", static_cast<unsigned>(c));
        } else {
            text_ += text.substr(0, length);
        }
        text.remove_prefix(length);
    }
    text_ += '"';
}

}  // namespace scan_report
