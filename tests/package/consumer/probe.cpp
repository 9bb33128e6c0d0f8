// SPDX-License-Identifier: Apache-2.0
// Compiled with and without libscan, to compare the two compile commands.
int probe() { return 0; }
