// SPDX-License-Identifier: Apache-2.0
// The program itself: scans, checks, measures, prints.
#pragma once

#include "args.h"
#include "progress.h"
#include "report.h"

namespace scan_report {

/// Fills the report and prints each section to stdout when it is known. Wrong outputs end up in the
/// report, and as lines on stderr. Throws ArgumentError for a size that the machine cannot hold or
/// a tile that the device cannot, InputError for an --input that cannot be used, DeviceError; the
/// report then holds what was known.
void run_report(const Options& options, Report& report, Progress& progress);

}  // namespace scan_report
