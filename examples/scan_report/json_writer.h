// SPDX-License-Identifier: Apache-2.0
// Writes JSON (RFC 8259) into a string, value by value; commas and indentation come by themselves.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scan_report {

/// Usage: JsonWriter w; w.begin_object(); w.key("n"); w.value(3); w.end(); w.text();
/// The caller keeps the grammar: a key before each value of an object, and as many end() as
/// begin_*().
class JsonWriter {
  public:
    void begin_object() { open('{', '}'); }
    void begin_array() { open('[', ']'); }
    void end();
    void key(std::string_view name);

    void value(std::string_view text);
    void value(const char* text) { value(std::string_view(text)); }
    void value(bool flag) { raw(flag ? "true" : "false"); }
    void value(
        double number);  ///< shortest text that reads back as the same double; null if not finite
    void value(int number) { raw(std::to_string(number)); }
    void value(std::int64_t number) { raw(std::to_string(number)); }
    void value(std::uint64_t number) { raw(std::to_string(number)); }
    void null() { raw("null"); }

    template <class T>
    void value(const std::optional<T>& maybe) {
        maybe ? value(*maybe) : null();
    }

    template <class T>
    void member(std::string_view name, const T& item) {
        key(name);
        value(item);
    }

    const std::string& text() const { return text_; }

  private:
    void open(char opening, char closing);
    void raw(std::string_view token);
    void separate();
    void new_line();
    void string(std::string_view text);

    std::string text_;
    std::string closers_;  // the brackets still open, innermost last
    bool first_ = true;    // nothing written yet inside the innermost bracket
    bool after_key_ = false;
};

}  // namespace scan_report
