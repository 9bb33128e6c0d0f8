// SPDX-License-Identifier: Apache-2.0
// The version of libscan, and the only place where it is written (CMake reads it from here).
#ifndef LIBSCAN_VERSION_H
#define LIBSCAN_VERSION_H

#define LIBSCAN_VERSION_MAJOR 0
#define LIBSCAN_VERSION_MINOR 1
#define LIBSCAN_VERSION_PATCH 0

/// One number to compare: major * 10000 + minor * 100 + patch.
#define LIBSCAN_VERSION \
    (LIBSCAN_VERSION_MAJOR * 10000 + LIBSCAN_VERSION_MINOR * 100 + LIBSCAN_VERSION_PATCH)

#endif  // LIBSCAN_VERSION_H
