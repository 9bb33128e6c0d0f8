// SPDX-License-Identifier: Apache-2.0
// The report as text, section by section, so that each appears as soon as it is known. Every
// function returns whole lines.
#pragma once

#include <string>

#include "report.h"

namespace scan_report {

std::string device_text(const DeviceInfo& device);
std::string model_text(const TileModel& model);
std::string input_text(const InputInfo& input);

/// That every check has passed.
std::string checked_text(const Report& report);

/// One line: the algorithm, then element, tile, position, expected and got.
std::string failure_text(const Row& row);

/// One line: an algorithm whose counts are not the model's.
std::string count_failure_text(const Row& row);

/// The table of times, after the copy row. Needs copy and the rows' timing.
std::string timing_text(const Report& report);

/// The table of counts beside the model's, with the wall times as a footnote. Needs the rows'
/// counts.
std::string counts_text(const Report& report);

}  // namespace scan_report
