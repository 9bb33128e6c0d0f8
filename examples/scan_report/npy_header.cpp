// SPDX-License-Identifier: Apache-2.0
#include "npy_header.h"

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "text.h"

namespace scan_report {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kLongestHeader = 65536;

/// A cursor over the subset of Python's literals that the format uses. Nothing recurses, so that no
/// header can exhaust the stack.
class Literal {
  public:
    explicit Literal(std::string_view text) : text_(text) {}

    bool skip(char c) {
        space();
        if (position_ == text_.size() || text_[position_] != c) return false;
        ++position_;
        return true;
    }

    void expect(char c, const char* where) {
        if (!skip(c)) bad(format("'%c' expected %s", c, where));
    }

    bool at(char c) {
        space();
        return position_ < text_.size() && text_[position_] == c;
    }

    std::string_view string(const char* where) {
        space();
        const char quote = position_ < text_.size() ? text_[position_] : '\0';
        if (quote != '\'' && quote != '"') bad(std::string("a string expected ") + where);
        const std::size_t end = text_.find(quote, position_ + 1);
        if (end == std::string_view::npos) bad("a string does not end");
        const std::string_view content = text_.substr(position_ + 1, end - position_ - 1);
        if (content.find('\\') != std::string_view::npos) bad("a string with a backslash");
        position_ = end + 1;
        return content;
    }

    bool boolean() {
        space();
        for (const auto& [word, flag] :
             {std::pair<std::string_view, bool>{"True", true}, {"False", false}}) {
            if (text_.substr(position_, word.size()) == word) {
                position_ += word.size();
                return flag;
            }
        }
        bad("fortran_order is neither True nor False");
    }

    std::uint64_t integer() {
        space();
        constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();
        const std::size_t begin = position_;
        std::uint64_t number = 0;
        for (; position_ < text_.size() && is_digit(text_[position_]); ++position_) {
            const auto digit = static_cast<std::uint64_t>(text_[position_] - '0');
            if (number > (kLargest - digit) / 10) bad("a dimension is too large");
            number = number * 10 + digit;
        }
        if (position_ == begin) bad("a dimension is not a whole number");
        // Python 2 wrote long integers as 10L.
        if (position_ < text_.size() && text_[position_] == 'L') ++position_;
        return number;
    }

    void expect_end() {
        space();
        if (position_ != text_.size()) bad("text follows the dictionary");
    }

    [[noreturn]] void bad(const std::string& what) const {
        throw NpyError("malformed header: " + what +
                       format(" (at byte %zu of the header)", position_));
    }

  private:
    static bool is_digit(char c) { return c >= '0' && c <= '9'; }

    void space() {
        while (position_ < text_.size() &&
               (text_[position_] == ' ' || text_[position_] == '\n' || text_[position_] == '\t')) {
            ++position_;
        }
    }

    std::string_view text_;
    std::size_t position_ = 0;
};

ElementType parse_type(std::string_view descr) {
    // '=' is the writer's own order; this program refuses to build where that is not little endian
    // (npy.cpp).
    if (!descr.empty() && (descr[0] == '<' || descr[0] == '=')) {
        const std::string_view kind = descr.substr(1);
        if (kind == "f4") return ElementType::kFloat32;
        if (kind == "f8") return ElementType::kFloat64;
        if (kind == "i4") return ElementType::kInt32;
        if (kind == "i8") return ElementType::kInt64;
    }
    if (!descr.empty() && descr[0] == '>') {
        throw NpyError("dtype " + quoted(descr) +
                       " is big endian; save it with a little-endian dtype");
    }
    throw NpyError("dtype " + quoted(descr) + " is not float32, float64, int32 or int64");
}

std::vector<std::uint64_t> parse_shape(Literal& literal) {
    literal.expect('(', "before the shape");
    std::vector<std::uint64_t> shape;
    while (!literal.at(')')) {
        shape.push_back(literal.integer());
        if (!literal.skip(',')) {
            // Python reads (5) as a number, not as a tuple.
            if (shape.size() == 1) literal.bad("the shape is not a tuple");
            break;
        }
    }
    literal.expect(')', "after the shape");
    return shape;
}

}  // namespace

const char* type_name(ElementType type) {
    switch (type) {
        case ElementType::kFloat32:
            return "float32";
        case ElementType::kFloat64:
            return "float64";
        case ElementType::kInt32:
            return "int32";
        case ElementType::kInt64:
            return "int64";
    }
    return "unknown";
}

std::size_t type_size(ElementType type) {
    return type == ElementType::kFloat32 || type == ElementType::kInt32 ? 4 : 8;
}

NpyHeaderSpan parse_npy_prefix(std::string_view prefix) {
    const auto byte = [&](std::size_t i) {
        return static_cast<std::size_t>(static_cast<unsigned char>(prefix[i]));
    };
    if (prefix.substr(0, kMagic.size()) != kMagic)
        throw NpyError("not a .npy file: it does not begin with \\x93NUMPY");
    if (prefix.size() < 10) throw NpyError("truncated: the file ends inside its header");
    const std::size_t major = byte(6), minor = byte(7);
    if (major < 1 || major > 3 || minor != 0) {
        throw NpyError(format("version %zu.%zu of the format is unknown; 1.0, 2.0 and 3.0 are read",
                              major, minor));
    }
    NpyHeaderSpan span{10, byte(8) | byte(9) << 8};
    if (major > 1) {
        if (prefix.size() < 12) throw NpyError("truncated: the file ends inside its header");
        span = {12, byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24};
    }
    if (span.length > kLongestHeader) {
        throw NpyError(format("malformed header: it claims %zu bytes, more than %zu", span.length,
                              kLongestHeader));
    }
    return span;
}

NpyHeader parse_npy_header(std::string_view text) {
    Literal literal(text);
    std::optional<std::string_view> descr;
    std::optional<bool> fortran_order;
    std::optional<std::vector<std::uint64_t>> shape;
    literal.expect('{', "at the start");
    while (!literal.at('}')) {
        const std::string_view key = literal.string("as a key");
        literal.expect(':', "after a key");
        if (key == "descr" && !descr) {
            if (literal.at('['))
                throw NpyError("a structured dtype is not float32, float64, int32 or int64");
            descr = literal.string("as descr");
        } else if (key == "fortran_order" && !fortran_order) {
            fortran_order = literal.boolean();  // means nothing in one dimension
        } else if (key == "shape" && !shape) {
            shape = parse_shape(literal);
        } else {
            literal.bad("key " + quoted(key) + " is unknown or given twice");
        }
        if (!literal.skip(',')) break;
    }
    literal.expect('}', "at the end");
    literal.expect_end();
    if (!descr) literal.bad("key 'descr' is missing");
    if (!fortran_order) literal.bad("key 'fortran_order' is missing");
    if (!shape) literal.bad("key 'shape' is missing");

    const ElementType type = parse_type(*descr);
    if (shape->size() != 1)
        throw NpyError(format("the array has %zu dimensions, not one", shape->size()));
    const std::uint64_t count = shape->front();
    if (count >
        static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) / type_size(type)) {
        throw NpyError(format("malformed header: %llu elements are more than any file holds",
                              static_cast<unsigned long long>(count)));
    }
    return {type, count};
}

}  // namespace scan_report
