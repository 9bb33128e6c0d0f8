// SPDX-License-Identifier: Apache-2.0
//
// Counts what kernels do while the CPU executor runs them: barriers, warp collectives, and what
// they load from and store to arrays that are handed to them as CountedArray. The executor itself
// counts the requests to shared memory. To be included before any header with kernels.
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cuda/atomic>
#include <iterator>

#if !defined(SIMT_VERSION)
#error "counting works on the CPU executor only"
#endif

namespace counts {

struct Counters {
    std::atomic<std::uint64_t> barriers{0};     // that thread 0 of a block comes to
    std::atomic<std::uint64_t> collectives{0};  // of lanes, in shuffles and votes
    std::atomic<std::uint64_t> loads{0};        // elements of counted arrays
    std::atomic<std::uint64_t> stores{0};

    void reset() { barriers = collectives = loads = stores = 0; }
};

inline Counters& counters() {
    static Counters all;
    return all;
}

inline void count(std::atomic<std::uint64_t>& counter) {
    counter.fetch_add(1, std::memory_order_relaxed);
}

inline void count_barrier() {
    if (threadIdx.x == 0) count(counters().barriers);
}

/// An array in device memory, as an iterator that counts.
template <class T>
class CountedArray {
  public:
    class Element {
      public:
        explicit Element(T* at) : at_(at) {}
        operator T() const {
            count(counters().loads);
            return *at_;
        }
        void operator=(const T& value) const {
            count(counters().stores);
            *at_ = value;
        }

      private:
        T* at_;
    };

    using iterator_category = std::random_access_iterator_tag;
    using value_type = T;
    using difference_type = std::int64_t;
    using pointer = void;
    using reference = Element;

    explicit CountedArray(T* first) : first_(first) {}
    Element operator[](std::int64_t i) const { return Element(first_ + i); }

  private:
    T* first_;
};

}  // namespace counts

// A macro's own name is not expanded again inside it.
#define __syncthreads(...) (::counts::count_barrier(), __syncthreads(__VA_ARGS__))
#define LIBSCAN_COUNTED(...) (::counts::count(::counts::counters().collectives), __VA_ARGS__)
#define __shfl_sync(...) LIBSCAN_COUNTED(__shfl_sync(__VA_ARGS__))
#define __shfl_up_sync(...) LIBSCAN_COUNTED(__shfl_up_sync(__VA_ARGS__))
#define __shfl_down_sync(...) LIBSCAN_COUNTED(__shfl_down_sync(__VA_ARGS__))
#define __shfl_xor_sync(...) LIBSCAN_COUNTED(__shfl_xor_sync(__VA_ARGS__))
#define __ballot_sync(...) LIBSCAN_COUNTED(__ballot_sync(__VA_ARGS__))
#define __all_sync(...) LIBSCAN_COUNTED(__all_sync(__VA_ARGS__))
#define __any_sync(...) LIBSCAN_COUNTED(__any_sync(__VA_ARGS__))
