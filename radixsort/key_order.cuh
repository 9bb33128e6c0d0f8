// SPDX-License-Identifier: Apache-2.0
//
// Which digit of a key a pass sorts by. The bits [begin_bit, end_bit) of a key are cut into digits
// from the low end; pass p sorts by digit p. Turning a digit's bits over turns the order round and
// leaves equal keys as they are: that is all that a descending sort does differently.
#pragma once

#include <cstddef>
#include <libscan/config.cuh>
#include <libscan/operators.cuh>
#include <radixsort/key_bits.cuh>
#include <type_traits>
#include <utility>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// The key is a number by itself.
struct NoDecomposer {};

// ---- Numbers -----------------------------------------------------------------------------------

// Integers of one size are sorted by one kernel, as unsigned ones: of a signed key the pass with
// the highest bit turns that bit over.
template <class Key>
struct CanonicalKey {
    using Type = Key;
};
#define LIBSCAN_DETAIL_CANONICAL(from, to) \
    template <>                            \
    struct CanonicalKey<from> {            \
        using Type = to;                   \
    }
LIBSCAN_DETAIL_CANONICAL(bool, unsigned char);
LIBSCAN_DETAIL_CANONICAL(char, unsigned char);
LIBSCAN_DETAIL_CANONICAL(signed char, unsigned char);
LIBSCAN_DETAIL_CANONICAL(short, unsigned short);
LIBSCAN_DETAIL_CANONICAL(int, unsigned int);
LIBSCAN_DETAIL_CANONICAL(long, unsigned long);
LIBSCAN_DETAIL_CANONICAL(long long, unsigned long long);
LIBSCAN_DETAIL_CANONICAL(wchar_t, UnsignedOfSize<sizeof(wchar_t)>::Type);
LIBSCAN_DETAIL_CANONICAL(char16_t, std::uint16_t);
LIBSCAN_DETAIL_CANONICAL(char32_t, std::uint32_t);
LIBSCAN_DETAIL_CANONICAL(Int128, Uint128);
#undef LIBSCAN_DETAIL_CANONICAL

// One digit of a number.
template <class Key>
struct NumberDigit {
    int shift;
    unsigned mask;
    unsigned flip;

    __device__ unsigned operator()(const Key& key) const {
        return (static_cast<unsigned>(KeyBits<Key>::ordered(key) >> shift) & mask) ^ flip;
    }

    using Window = std::conditional_t<sizeof(Key) <= 4, std::uint32_t, typename KeyBits<Key>::Bits>;
    __device__ static Window window(const Key& key, bool is_signed, bool descending, int begin,
                                    int end) {
        using Bits = typename KeyBits<Key>::Bits;
        Bits bits = KeyBits<Key>::ordered(key);
        if (is_signed) bits = static_cast<Bits>(bits ^ KeyBits<Key>::kSign);
        const Window mask = ~Window{0} >> (static_cast<int>(8 * sizeof(Window)) - (end - begin));
        const Window window = static_cast<Window>(bits >> begin) & mask;
        return descending ? window ^ mask : window;
    }
};

// ---- Structs -----------------------------------------------------------------------------------

// Tuple: a std::tuple or cuda::std::tuple of references, the most significant first.
template <class Tuple, std::size_t kField>
using FieldOf = std::remove_reference_t<std::tuple_element_t<kField, Tuple>>;

// Bits of the fields from kFirst on.
template <class Tuple, std::size_t kFirst = 0>
__host__ __device__ constexpr int field_bits() {
    if constexpr (kFirst == std::tuple_size_v<Tuple>) {
        return 0;
    } else {
        static_assert(std::is_lvalue_reference_v<std::tuple_element_t<kFirst, Tuple>>,
                      "a decomposer returns a tuple of references to the fields of its argument");
        return KeyBits<FieldOf<Tuple, kFirst>>::kBits + field_bits<Tuple, kFirst + 1>();
    }
}

// One digit of a struct; it may stretch over several fields.
template <class Key, class Decomposer>
struct FieldsDigit {
    using Window = void;
    using Tuple = std::decay_t<std::invoke_result_t<Decomposer&, Key&>>;

    Decomposer decompose;
    int begin;
    int bits;
    unsigned flip;

    __device__ unsigned operator()(const Key& key) const {
        Key copy = key;  // a decomposer refers to the fields of what it may change
        Decomposer of = decompose;
        const Tuple fields = of(copy);
        return collect(fields, std::make_index_sequence<std::tuple_size_v<Tuple>>{}) ^ flip;
    }

  private:
    template <std::size_t... kFields>
    __device__ unsigned collect(const Tuple& fields, std::index_sequence<kFields...>) const {
        using std::get;
        return (0u | ... | part<kFields>(get<kFields>(fields)));
    }

    // The bits that the digit has in common with a field, at their place in the digit.
    template <std::size_t kField>
    __device__ unsigned part(const FieldOf<Tuple, kField>& field) const {
        constexpr int kLow = field_bits<Tuple, kField + 1>();
        constexpr int kHigh = field_bits<Tuple, kField>();
        const int from = begin > kLow ? begin : kLow;
        const int to = begin + bits < kHigh ? begin + bits : kHigh;
        if (from >= to) return 0;
        const auto ordered = KeyBits<FieldOf<Tuple, kField>>::ordered(field);
        const unsigned mask = (1u << (to - from)) - 1;
        return (static_cast<unsigned>(ordered >> (from - kLow)) & mask) << (from - begin);
    }
};

// ---- Both --------------------------------------------------------------------------------------

// By which bits, and in which direction, keys are sorted.
template <class Key, class Decomposer>
class KeyOrder {
    static constexpr bool kIsNumber = std::is_same_v<Decomposer, NoDecomposer>;

    template <class K, class D, bool>
    struct Kinds {
        using Digit = FieldsDigit<K, D>;
        static constexpr int kBits = field_bits<typename Digit::Tuple>();
    };
    template <class K, class D>
    struct Kinds<K, D, true> {
        using Digit = NumberDigit<K>;
        static constexpr int kBits = KeyBits<K>::kBits;
    };

  public:
    using Digit = typename Kinds<Key, Decomposer, kIsNumber>::Digit;
    static constexpr int kBits = Kinds<Key, Decomposer, kIsNumber>::kBits;

    // is_signed: the key stands for a signed integer (CanonicalKey).
    KeyOrder(Decomposer decompose, bool is_signed, bool descending, int begin_bit, int end_bit)
        : decompose_(decompose),
          is_signed_(is_signed),
          descending_(descending),
          begin_bit_(begin_bit),
          end_bit_(end_bit) {}

    [[nodiscard]] bool is_valid() const {
        return begin_bit_ >= 0 && begin_bit_ <= end_bit_ && end_bit_ <= kBits;
    }

    [[nodiscard]] bool has_all_bits() const { return begin_bit_ == 0 && end_bit_ == kBits; }

    // Number of passes with digits of up to digit_bits bits.
    __host__ __device__ int passes(int digit_bits) const {
        return ceil_div(end_bit_ - begin_bit_, digit_bits);
    }

    __device__ Digit digit(int pass, int digit_bits) const {
        const int begin = begin_bit_ + pass * digit_bits;
        const int rest = end_bit_ - begin;
        const int bits = rest < digit_bits ? rest : digit_bits;
        const unsigned mask = (1u << bits) - 1;
        unsigned flip = descending_ ? mask : 0;
        if constexpr (kIsNumber) {
            if (is_signed_ && begin + bits == kBits) flip ^= 1u << (bits - 1);
            return Digit{begin, mask, flip};
        } else {
            return Digit{decompose_, begin, bits, flip};
        }
    }

    // All digits of a number as one: the window of the bits that are sorted by, as a number that is
    // smaller for a key that goes before. There is at least one bit.
    using Window = typename Digit::Window;
    __device__ Window window(const Key& key) const {
        return Digit::window(key, is_signed_, descending_, begin_bit_, end_bit_);
    }

    // Gives a key the largest digit in every pass: it is sorted behind all others, or stays behind
    // those that are equal to it.
    __device__ void set_last(Key& key) const {
        if constexpr (kIsNumber) {
            KeyBits<Key>::set_extreme(key, !descending_);
            if constexpr (KeyBits<Key>::kKind == KeyKind::kUnsigned) {
                if (is_signed_) key = static_cast<Key>(key ^ KeyBits<Key>::kSign);
            }
        } else {
            set_last_fields(key,
                            std::make_index_sequence<std::tuple_size_v<typename Digit::Tuple>>{});
        }
    }

  private:
    template <std::size_t... kFields>
    __device__ void set_last_fields(Key& key, std::index_sequence<kFields...>) const {
        using std::get;
        Decomposer of = decompose_;
        const typename Digit::Tuple fields = of(key);
        (KeyBits<FieldOf<typename Digit::Tuple, kFields>>::set_extreme(get<kFields>(fields),
                                                                       !descending_),
         ...);
    }

    Decomposer decompose_;
    bool is_signed_;
    bool descending_;
    int begin_bit_;
    int end_bit_;
};

}  // namespace detail
LIBSCAN_NAMESPACE_END
