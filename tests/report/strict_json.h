// SPDX-License-Identifier: Apache-2.0
// A strict reader of JSON (RFC 8259): it takes nothing that the grammar does not, nor the same key
// twice.
#pragma once

#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace strict_json {

enum class Kind { kNull, kBoolean, kNumber, kString, kArray, kObject };

struct Value {
    Kind kind = Kind::kNull;
    bool boolean = false;
    std::string text;  ///< of a string, unescaped; of a number, as it is written
    std::vector<Value> items;
    std::map<std::string, Value> members;

    double number() const { return std::strtod(require(Kind::kNumber).text.c_str(), nullptr); }
    const std::string& string() const { return require(Kind::kString).text; }
    const Value& operator[](const std::string& key) const {
        return require(Kind::kObject).members.at(key);
    }
    const Value& operator[](std::size_t index) const {
        return require(Kind::kArray).items.at(index);
    }
    std::size_t size() const { return require(Kind::kArray).items.size(); }
    bool null() const { return kind == Kind::kNull; }
    bool is_true() const { return require(Kind::kBoolean).boolean; }

  private:
    const Value& require(Kind wanted) const {
        if (kind != wanted) throw std::runtime_error("a value of another kind");
        return *this;
    }
};

class Reader {
  public:
    explicit Reader(const std::string& text) : text_(text) {}

    Value document() {
        Value value = read_value(0);
        space();
        if (at_ != text_.size()) fail("text after the document");
        return value;
    }

  private:
    [[noreturn]] void fail(const std::string& what) const {
        throw std::runtime_error(what + " at byte " + std::to_string(at_));
    }

    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    void space() {
        while (at_ < text_.size() && std::string(" \t\r\n").find(text_[at_]) != std::string::npos)
            ++at_;
    }
    void expect(char c) {
        if (peek() != c) fail(std::string("expected ") + c);
        ++at_;
    }
    bool skip(char c) {
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    void word(const std::string& w) {
        if (text_.compare(at_, w.size(), w) != 0) fail("expected " + w);
        at_ += w.size();
    }

    Value read_value(int depth) {
        if (depth > 50) fail("too deep");
        space();
        Value value;
        switch (peek()) {
            case '{':
                value.kind = Kind::kObject;
                read_members(value, depth);
                break;
            case '[':
                value.kind = Kind::kArray;
                read_items(value, depth);
                break;
            case '"':
                value.kind = Kind::kString;
                value.text = read_string();
                break;
            case 't':
                word("true");
                value.kind = Kind::kBoolean;
                value.boolean = true;
                break;
            case 'f':
                word("false");
                value.kind = Kind::kBoolean;
                break;
            case 'n':
                word("null");
                break;
            default:
                value.kind = Kind::kNumber;
                value.text = read_number();
        }
        return value;
    }

    void read_members(Value& value, int depth) {
        expect('{');
        space();
        if (skip('}')) return;
        do {
            space();
            const std::string key = read_string();
            space();
            expect(':');
            if (!value.members.emplace(key, read_value(depth + 1)).second)
                fail("key " + key + " twice");
            space();
        } while (skip(','));
        expect('}');
    }

    void read_items(Value& value, int depth) {
        expect('[');
        space();
        if (skip(']')) return;
        do {
            value.items.push_back(read_value(depth + 1));
            space();
        } while (skip(','));
        expect(']');
    }

    void digits() {
        if (peek() < '0' || peek() > '9') fail("expected a digit");
        while (peek() >= '0' && peek() <= '9') ++at_;
    }

    std::string read_number() {
        const std::size_t begin = at_;
        skip('-');
        if (!skip('0')) digits();
        if (skip('.')) digits();
        if (peek() == 'e' || peek() == 'E') {
            ++at_;
            if (!skip('+')) skip('-');
            digits();
        }
        return text_.substr(begin, at_ - begin);
    }

    std::string read_string() {
        expect('"');
        std::string content;
        while (peek() != '"') {
            const auto byte = static_cast<unsigned char>(peek());
            if (byte < 0x20) fail("a control character, or the end, inside a string");
            if (!skip('\\')) {
                content += static_cast<char>(byte);
                ++at_;
                continue;
            }
            const std::string letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
            const std::size_t known = letters.find(peek());
            if (skip('u')) {
                content += read_code_point();
            } else if (peek() != '\0' && known != std::string::npos) {
                content += meanings[known];
                ++at_;
            } else {
                fail("an unknown escape");
            }
        }
        expect('"');
        return content;
    }

    /// The four digits of \uXXXX below U+D800 (the writer needs no pairs of surrogates), as UTF-8.
    std::string read_code_point() {
        const std::string hex = text_.substr(at_, 4);
        if (hex.size() != 4 || hex.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
            fail("a bad \\u");
        at_ += 4;
        const unsigned long code = std::stoul(hex, nullptr, 16);
        if (code >= 0xD800 && code < 0xE000) fail("a surrogate");
        if (code < 0x80) return {static_cast<char>(code)};
        if (code < 0x800)
            return {static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 0x3F))};
        return {static_cast<char>(0xE0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 0x3F)),
                static_cast<char>(0x80 | (code & 0x3F))};
    }

    const std::string& text_;
    std::size_t at_ = 0;
};

/// Throws std::runtime_error for whatever is not JSON.
inline Value parse(const std::string& text) { return Reader(text).document(); }

}  // namespace strict_json
