// SPDX-License-Identifier: Apache-2.0
// Versions that are compiled in.
#pragma once

#include <string>

namespace bench {

std::string cub_version();      // "3.0.1"; of the toolkit or of the peer
std::string toolkit_version();  // "13.0"
std::string commit();           // of this repository, "unknown" outside of one

}  // namespace bench
