// SPDX-License-Identifier: Apache-2.0
//
// Device-wide stable radix sort with the names and signatures of cub::DeviceRadixSort.
#pragma once

#include <libscan/config.cuh>
#include <radixsort/device_sort_keys.cuh>
#include <radixsort/device_sort_pairs.cuh>
#include <radixsort/double_buffer.cuh>
#include <radixsort/sort_options.cuh>

LIBSCAN_NAMESPACE_BEGIN

// SortKeys, SortKeysDescending, SortPairs, SortPairsDescending: sort num_items keys, or pairs of a
// key and a value, by their keys. All are stable, the descending ones too: items with equal keys
// stay in the order in which they came. num_items has any integral type.
//
// Keys are integers of up to 128 bits, bool, characters, float, double, __half, __nv_bfloat16; or,
// with a decomposer, trivially copyable structs. Floating-point keys are sorted by bit pattern
// (-NaN, -inf, ..., -0 and +0, ..., inf, NaN); -0 equals +0, and both keep their sign. A decomposer
// is an object that is called with a key by reference and returns a tuple of references to its
// fields, of the types above, the most significant first. On a GPU that is a cuda::std::tuple and
// the call operator is __host__ __device__ or __device__; std::tuple does for the CPU back end.
//
// Values are of any trivially copyable type and size. In place of the pointer to the input values
// any random access iterator will do that device code can dereference, for example one that counts;
// what it reads is not checked for overlap.
//
// Bits: only the bits [begin_bit, end_bit) of a key are looked at, bit 0 being its lowest; of a
// decomposed key that is the lowest of the last field. Signed integers are looked at with their
// highest bit turned over, floating-point keys as described in key_bits.cuh. With begin_bit ==
// end_bit all keys are equal.
//
// From input to output, the input is only read. In storage, another array of keys and one of
// values are needed. With a DoubleBuffer (ours or CUB's) the input is overwritten, and apart from
// the items the storage is small; afterwards the selector tells which buffer has the sorted items.
// It is set when the call returns, before anything has run, and does not depend on the keys.
//
// Each sort can be called in two ways.
//
// Two-phase, as in CUB: with d_temp_storage == nullptr it only sets temp_storage_bytes (at least 1,
// never less for a larger num_items); called again with that much device memory, at any alignment,
// it enqueues its work on `stream` and returns. Nothing is allocated and nothing waits; it can be
// captured in a graph. In one call: with SortOptions at the end, which allocates on the stream.
//
// Returns cudaErrorInvalidValue, before anything is launched or written, for a negative num_items
// or one whose items no memory could hold, bits that are none of the key's, a null or
// misaligned pointer with num_items > 0, a selector that is neither 0 nor 1, too small storage, and
// any overlap of the arrays and the storage (two inputs that are only read may overlap): no sort
// works in place. Otherwise returns the first error of a launch. num_items == 0 succeeds and writes
// nothing. An earlier error of the caller is neither returned nor cleared.
//
// Algorithm: Andy Adinets and Duane Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort
// for GPUs", arXiv 2206.01784, 2022. The digits of all passes are counted in one reading; then each
// pass reads and writes each item once. A pass in which all digits are the same is left out. Up to
// some thousand items are sorted in one launch, by other ways (radix_sort_policy.cuh).
struct DeviceRadixSort : detail::DeviceSortKeys, detail::DeviceSortPairs {};

LIBSCAN_NAMESPACE_END
