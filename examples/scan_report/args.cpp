// SPDX-License-Identifier: Apache-2.0
#include "args.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "text.h"

namespace scan_report {
namespace {

std::uint64_t parse_count(const std::string& option, const std::string& value) {
    std::uint64_t number = 0;
    const char* const end = value.data() + value.size();
    const auto [stopped, error] = std::from_chars(value.data(), end, number);
    if (error == std::errc::result_out_of_range && stopped == end) {
        throw ArgumentError(option + ": " + quoted(value) + " is too large");
    }
    if (value.size() > 1 && value[0] == '-') {
        throw ArgumentError(option + ": " + quoted(value) + " is negative");
    }
    if (error != std::errc{} || stopped != end) {
        throw ArgumentError(option + ": " + quoted(value) + " is not a whole number");
    }
    return number;
}

template <class Items, class ToText>
std::string join(const Items& items, ToText to_text) {
    std::string line;
    for (const auto& item : items) line += (line.empty() ? "" : ", ") + to_text(item);
    return line;
}

std::string join(const std::vector<int>& tiles) {
    return join(tiles, [](int tile) { return std::to_string(tile); });
}

std::string join(const std::vector<std::string>& names) {
    return join(names, [](const std::string& name) { return name; });
}

int parse_tile(const std::string& value, const Choices& choices) {
    const std::uint64_t number = parse_count("--tile", value);
    for (const int tile : choices.tiles) {
        if (number == static_cast<std::uint64_t>(tile)) return tile;
    }
    throw ArgumentError("--tile: " + quoted(value) + " is not one of " + join(choices.tiles));
}

std::string parse_algorithm(const std::string& value, const Choices& choices) {
    const auto& names = choices.algorithms;
    if (std::find(names.begin(), names.end(), value) != names.end()) return value;
    throw ArgumentError("--algorithm: " + quoted(value) + " is not one of " + join(names));
}

/// Hands out the arguments one by one, splitting --option=value.
class ArgumentList {
  public:
    explicit ArgumentList(const std::vector<std::string>& arguments) : arguments_(arguments) {}

    bool next() {
        if (position_ == arguments_.size()) return false;
        const std::string& argument = arguments_[position_++];
        const std::size_t equals = argument.find('=');
        attached_ = equals != std::string::npos && argument.rfind("--", 0) == 0;
        option_ = attached_ ? argument.substr(0, equals) : argument;
        value_ = attached_ ? argument.substr(equals + 1) : "";
        return true;
    }

    const std::string& option() const { return option_; }

    /// The value of an option that needs one.
    std::string value() {
        if (!attached_ && position_ == arguments_.size()) {
            throw ArgumentError(option_ + " needs a value");
        }
        const std::string value = attached_ ? value_ : arguments_[position_++];
        if (value.empty()) throw ArgumentError(option_ + " needs a value, not an empty one");
        return value;
    }

    /// For an option that takes no value.
    void no_value() const {
        if (attached_) throw ArgumentError(option_ + " takes no value");
    }

  private:
    const std::vector<std::string>& arguments_;
    std::size_t position_ = 0;
    std::string option_, value_;
    bool attached_ = false;
};

}  // namespace

Options parse_arguments(const std::vector<std::string>& arguments, const Choices& choices) {
    Options options;
    bool n_given = false;
    ArgumentList list(arguments);
    while (list.next()) {
        const std::string& option = list.option();
        if (option == "--help" || option == "-h") {
            list.no_value();
            options.help = true;
        } else if (option == "--progress") {
            list.no_value();
            options.progress = true;
        } else if (option == "--n") {
            options.n = parse_count(option, list.value());
            n_given = true;
        } else if (option == "--tile") {
            options.tile = parse_tile(list.value(), choices);
        } else if (option == "--algorithm") {
            options.algorithm = parse_algorithm(list.value(), choices);
        } else if (option == "--input") {
            options.input = list.value();
        } else if (option == "--json") {
            options.json = list.value();
        } else if (option.rfind('-', 0) == 0) {
            throw ArgumentError("unknown option " + quoted(option) + "; --help lists the options");
        } else {
            throw ArgumentError("unexpected argument " + quoted(option) +
                                "; --help lists the options");
        }
    }
    if (n_given && !options.input.empty()) {
        throw ArgumentError("--n and --input exclude each other: a file is scanned as a whole");
    }
    return options;
}

std::string help_text(const Choices& choices) {
    std::string algorithms;
    for (const std::string& name : choices.algorithms)
        algorithms += "                     " + name + "\n";
    return R"(usage: scan_report [options]

Scans an array with every tile algorithm of libscan, checks every output, and prints what each
algorithm costs: times on a GPU; on the CPU executor adds and requests to shared memory, counted
while the kernels run.

  --n N              elements of the built-in input, as float32: every fourth is 2, the rest 1
                     (default 10000000; 0 and 1 are allowed)
  --tile T           elements per tile, one of )" +
           join(choices.tiles) + R"( (default 4096);
                     a block has T / 4 threads, at most 1024
  --input FILE       scan a .npy file instead, all of it: one dimension, little endian, of dtype
                     float32, float64, int32 or int64
  --algorithm NAME   only this one:
)" + algorithms +
           R"(  --json FILE        write the report to FILE as JSON, too
  --progress         show progress on stderr even if that is no terminal
  --help             this text

How outputs are checked
  Integers: bit for bit against a serial scan that wraps around. Floats: exactly, where every sum
  of any elements is a float without rounding (of the built-in input: up to 13421772 elements);
  else every output may be off by  d*u / (1 - d*u)  times the sum of the absolute values before it.
  u is 2^-24 or 2^-53, d the longest chain of adds behind an output, at most
  2 * log2(T) + T / threads + 33 for each level of the scan. An input that holds NaN or infinity, or
  whose absolute values sum to more than half of the largest float, is refused.

Fields of the JSON (sizes in bytes, times in ms; null where a field does not apply)
  status       ok, failed (an output or a count was wrong) or error; error is its message
  backend      cuda or simt; device has the details, device.executor the CPU executor's settings
  tile_model   tile, threads, algorithms (adds and requests per tile), and levels of the up-sweep:
               stride, lanes, warps, and requests per access without padding (plain), with one
               spare word in 32 (one_term), and with another in 1024 (two_term)
  input        source (built-in or a file), dtype, n, tiles, levels, bytes, total
  check        exact; bound_chain: d, if not exact
  copy         a copy from device to device: ms, bytes, gb_per_s
  rows         one per algorithm: name, checked, failure (element, tile, position, expected, got),
               counted (adds, requests, all_requests), model (adds, requests), tile_ms,
               pipeline_ms, bytes, gb_per_s, percent_of_copy, wall_ms (of the checked run)
  cub          the same for CUB's scan; cub_version
  warm_up_runs, timed_runs   behind each time, which is a median

Exit status
  0  every check has passed
  1  a check has failed, or a file or the device could not be used
  2  the command line cannot be carried out: wrong, or more than the machine or the device can hold
Errors are one line on stderr.
)";
}

}  // namespace scan_report
