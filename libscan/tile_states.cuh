// SPDX-License-Identifier: Apache-2.0
//
// Values that one block publishes and others wait for while the grid runs.
//
// A value of up to 32 bytes is stored four bytes a word, each 64-bit word with a flag of its own:
// the GPU reads and writes such a word whole, so no fence is needed and a value of several words
// cannot tear: it is there when all its words are. A larger value stands apart, behind a flag that
// is released after it. All bits of a value are its own. All bytes zero means "not there".
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <libscan/config.cuh>
#include <libscan/device_words.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// What of a value is stored in words: all its bytes; or, for a type that says so here, a payload,
// and one more bit that has room beside a flag.
template <class T>
struct StateBits {
    using Payload = T;
    static __device__ __forceinline__ const T& payload(const T& value) { return value; }
    static __device__ __forceinline__ bool bit(const T&) { return false; }
    static __device__ __forceinline__ T value(const T& payload, bool) { return payload; }
};

template <class T, bool kInWords = (sizeof(T) <= 32)>
class TileStates;

template <class T>
class TileStates<T, true> {
    using Bits = StateBits<T>;
    using Payload = typename Bits::Payload;

  public:
    static constexpr int kWords = static_cast<int>((sizeof(Payload) + 3) / 4);
    static constexpr std::size_t kClearedBytes = 8 * kWords;  // of one value; zero at the start
    static constexpr std::size_t kValueBytes = 0;

    TileStates() = default;
    // 16-byte aligned.
    __host__ __device__ TileStates(void* cleared, void*) : words_(static_cast<Word*>(cleared)) {}

    __device__ __forceinline__ void publish(std::int64_t i, const T& value) const {
        std::uint32_t bits[kWords] = {};
        const Payload payload = Bits::payload(value);
        std::memcpy(bits, static_cast<const void*>(__builtin_addressof(payload)), sizeof(Payload));
        const Word flags = Bits::bit(value) ? kPublished | kBit : kPublished;
        Word* const to = words_ + i * kWords;
        if constexpr (kWords % 2 == 0) {
            LIBSCAN_UNROLL_ALL
            for (int w = 0; w < kWords; w += 2) {
                store_relaxed2(to + w, flags | bits[w], flags | bits[w + 1]);
            }
        } else {
            LIBSCAN_UNROLL_ALL
            for (int w = 0; w < kWords; ++w) store_relaxed(to + w, flags | bits[w]);
        }
    }

    // A value as poll() found it.
    class Found {
      public:
        __device__ __forceinline__ Found() {
            LIBSCAN_UNROLL_ALL
            for (int w = 0; w < kWords; ++w) word[w] = 0;
        }
        __device__ __forceinline__ bool there() const {
            std::uint32_t all = 1;
            LIBSCAN_UNROLL_ALL
            for (int w = 0; w < kWords; ++w) all &= static_cast<std::uint32_t>(word[w] >> 32);
            return all != 0;
        }
        __device__ __forceinline__ T value() const {
            std::uint32_t bits[kWords];
            LIBSCAN_UNROLL_ALL
            for (int w = 0; w < kWords; ++w) bits[w] = static_cast<std::uint32_t>(word[w]);
            Payload payload;
            std::memcpy(static_cast<void*>(__builtin_addressof(payload)), bits, sizeof(Payload));
            return Bits::value(payload, (word[0] & kBit) != 0);
        }

      private:
        friend class TileStates;
        Word word[kWords];
    };

    // Looks again for those of the values first .. first + needed - 1 that have not been found yet;
    // kCount is a power of two and `first` a multiple of it. The loads are issued one behind the
    // other, none of them waited for: look at what was found after all polls of a round only.
    template <int kCount>
    __device__ __forceinline__ void poll(std::int64_t first, Found (&found)[kCount],
                                         int needed) const {
        const Word* const from = words_ + first * kWords;
        if constexpr (kWords == 1 && kCount % 2 == 0) {
            LIBSCAN_UNROLL_ALL
            for (int i = 0; i < kCount; i += 2) {
                const bool want =
                    (i < needed && !found[i].there()) || (i + 1 < needed && !found[i + 1].there());
                load_relaxed2_if(want, from + i, found[i].word[0], found[i + 1].word[0]);
            }
        } else {
            LIBSCAN_UNROLL_ALL
            for (int i = 0; i < kCount; ++i) {
                const bool want = i < needed && !found[i].there();
                const Word* const at = from + i * kWords;
                if constexpr (kWords % 2 == 0) {
                    LIBSCAN_UNROLL_ALL
                    for (int w = 0; w < kWords; w += 2) {
                        load_relaxed2_if(want, at + w, found[i].word[w], found[i].word[w + 1]);
                    }
                } else {
                    LIBSCAN_UNROLL_ALL
                    for (int w = 0; w < kWords; ++w) {
                        load_relaxed_if(want, at + w, found[i].word[w]);
                    }
                }
            }
        }
    }

  private:
    static constexpr Word kPublished = Word(1) << 32, kBit = Word(2) << 32;
    Word* words_;
};

template <class T>
class TileStates<T, false> {
  public:
    static constexpr int kWords = static_cast<int>((sizeof(T) + 3) / 4);
    static constexpr std::size_t kClearedBytes = sizeof(unsigned);
    static constexpr std::size_t kValueBytes = sizeof(T);

    TileStates() = default;
    __host__ __device__ TileStates(void* cleared, void* values)
        : flags_(static_cast<unsigned*>(cleared)), values_(static_cast<T*>(values)) {}

    __device__ __forceinline__ void publish(std::int64_t i, const T& value) const {
        values_[i] = value;
        store_release(flags_ + i, 1u);
    }

    class Found {
      public:
        __device__ __forceinline__ bool there() const { return there_; }
        __device__ __forceinline__ const T& value() const { return value_; }

      private:
        friend class TileStates;
        bool there_ = false;
        T value_;
    };

    template <int kCount>
    __device__ __forceinline__ void poll(std::int64_t first, Found (&found)[kCount],
                                         int needed) const {
        for (int i = 0; i < kCount; ++i) {
            if (i >= needed || found[i].there_) continue;
            if (load_acquire(flags_ + first + i) == 0) continue;
            found[i].value_ = values_[first + i];
            found[i].there_ = true;
        }
    }

  private:
    unsigned* flags_;
    T* values_;
};

}  // namespace detail
LIBSCAN_NAMESPACE_END
