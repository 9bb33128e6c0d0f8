// SPDX-License-Identifier: Apache-2.0
// The report as JSON; help_text() in args.cpp documents the fields.
#pragma once

#include <string>

#include "report.h"

namespace scan_report {

std::string report_json(const Report& report);

}  // namespace scan_report
