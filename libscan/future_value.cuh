// SPDX-License-Identifier: Apache-2.0
//
// An initial value that the kernel reads when it runs.
#pragma once

#include <libscan/config.cuh>
#include <type_traits>

LIBSCAN_NAMESPACE_BEGIN

// Stands for *iterator in device memory at the time when the kernel runs, so that an earlier kernel
// of the same stream can provide it. As cub::FutureValue, which is accepted as well.
template <class T, class Iterator = T*>
class FutureValue {
  public:
    using value_type = T;
    using iterator_type = Iterator;

    __host__ __device__ explicit FutureValue(Iterator iterator) : iterator_(iterator) {}
    __device__ operator T() const { return *iterator_; }

  private:
    Iterator iterator_;
};

namespace detail {

template <class Init, class = void>
struct InitialValue {
    using Type = Init;
    static constexpr bool kInFuture = false;
};

// Whatever names a value type and an iterator type and converts to the former.
template <class Init>
struct InitialValue<Init, std::void_t<typename Init::value_type, typename Init::iterator_type>> {
    using Type = typename Init::value_type;
    static constexpr bool kInFuture = true;
};

// What the kernels get as their start: the value as an Acc, or what will give it on the device.
template <class Acc, class Init>
constexpr auto scan_start(const Init& init) {
    if constexpr (InitialValue<Init>::kInFuture) {
        return init;
    } else {
        return static_cast<Acc>(init);
    }
}

}  // namespace detail
LIBSCAN_NAMESPACE_END
