// SPDX-License-Identifier: Apache-2.0
// The command line of scan_report.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace scan_report {

/// What the build offers: the command line may choose among these only.
struct Choices {
    std::vector<int> tiles;               ///< elements per tile, ascending
    std::vector<std::string> algorithms;  ///< names for --algorithm, in the order of the table
};

struct Options {
    std::uint64_t n = 10'000'000;  ///< elements of the built-in input; unused when `input` is set
    int tile = 4096;               ///< elements per tile
    std::string algorithm;         ///< only this one; empty: all
    std::string input;             ///< a .npy file to scan; empty: the built-in input
    std::string json;              ///< where to write the report as JSON; empty: nowhere
    bool progress = false;         ///< show progress even if stderr is no terminal
    bool help = false;
};

/// A command line that cannot be carried out. what() is one line; the program ends with status 2.
struct ArgumentError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Reads the arguments (without the program's name). Values follow as the next argument or after
/// '='. The last of a repeated option counts. Throws ArgumentError.
Options parse_arguments(const std::vector<std::string>& arguments, const Choices& choices);

std::string help_text(const Choices& choices);

}  // namespace scan_report
