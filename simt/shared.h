// SPDX-License-Identifier: Apache-2.0
// Shared memory: variables of the block, and the array that the checks can see.
//
// SIMT_SHARED(name, type) declares a variable of the block, as `__shared__ type name`.
// dynamic_shared<T>() is the dynamic part, as `extern __shared__`.
// shared_at<T>(address) is one T in the dynamic part, or in that of another block of the cluster.
// shared_array<T, N> is an array whose accesses are bounds-checked always, and, when the settings
// ask for it, checked for races and uninitialised reads, counted, and points of preemption.
#pragma once

#include <stdexcept>
#include <type_traits>

#include "bank_counter.h"
#include "rendezvous.h"
#include "shadow.h"

#define SIMT_SHARED(name, ...) auto& name = ::simt::static_shared<__VA_ARGS__>([] {})
// nvcc's keyword has no meaning here that would be right with several blocks in flight.
#define __shared__ simt_has_no___shared__use_SIMT_SHARED

namespace simt {

inline bool instrumented = false;    // some access hook is on (set by execute)
inline bool preempt_access = false;  // seeded: switch lanes at accesses, too

// Finds or makes the storage of a shared variable of block `b`; `key` is unique for the variable.
SIMT_NOTSAN inline char* shared_variable(Block& b, const void* key, size_t size, size_t align) {
    for (uint32_t i = 0; i < b.variable_count; ++i)
        if (b.variables[i].key == key) return b.variables[i].address;
    const size_t at = (b.arena_used + align - 1) / align * align;
    b.static_bytes += size;
    if (b.static_bytes > kStaticSharedLimit || b.variable_count == Block::kMaxVariables ||
        at + size > kArenaBytes)
        b.worker->fail("more than 48 KiB of static shared memory, or more than 32 variables");
    b.arena_used = at + size + kRedZone;
    char* p = b.arena + at;
#if SIMT_ASAN
    __asan_unpoison_memory_region(p, size);
#endif
    for (size_t i = 0; i < size; ++i) p[i] = static_cast<char>(kSharedPoison);
    b.variables[b.variable_count++] = {key, p, size, align};
    return p;
}

SIMT_NOTSAN inline char* own_shared_variable(const void* key, size_t size, size_t align) {
    return shared_variable(*self->warp->block, key, size, align);
}

// The closure type of `[] {}` is unique for the variable and for each instantiation around it.
template <class T, class Tag>
inline T& static_shared(Tag) {
    static char key;
    return *reinterpret_cast<T*>(own_shared_variable(&key, sizeof(T), alignof(T)));
}

// The block's dynamic shared memory, 128-byte aligned.
template <class T>
SIMT_FAST T* dynamic_shared() {
    return reinterpret_cast<T*>(self->warp->block->dynamic);
}

SIMT_FAST bool in_shared(const Block& b, const char* p) {
    return p >= b.dynamic && p < b.arena + kArenaBytes;
}

// The block of the caller's cluster whose shared memory holds `p`; null: none.
SIMT_FAST Block* owner_of(Block& mine, const char* p) {
    if (in_shared(mine, p)) return &mine;
    const Cluster& c = *mine.cluster;
    for (uint32_t k = 0; k < c.size; ++k)
        if (in_shared(c.blocks[k], p)) return &c.blocks[k];
    return nullptr;
}

[[noreturn]] SIMT_COLD inline void block_has_ended(const Block& b, Site site) {
    Untracked untracked;
    std::string text = "an access of the shared memory of block (" + std::to_string(b.index.x) +
                       "," + std::to_string(b.index.y) + "," + std::to_string(b.index.z) +
                       ") of the cluster, which has ended,";
    b.worker->fail(std::move(text), site);
}

SIMT_NOTSAN __attribute__((noinline)) inline void instrument(const void* p, size_t size,
                                                             Access kind, Site site) {
    Lane* me = self;
    if (!me) return;
    if (preempt_access) {
        me->site = site;
        maybe_preempt(32);
    }
    Untracked untracked;
    Block& b = *me->warp->block;
    const char* at = static_cast<const char*>(p);
    Block* owner = owner_of(b, at);
    if (!owner) return;
    if (!owner->live) block_has_ended(*owner, site);
    if (b.shadow && hooks.warp_sync) {
        owner->shadow->access(*me, *owner, at, size, kind, site);
        // Weak order is not modelled: every atomic acquires, and every one that writes releases.
        // Between blocks none does.
        const bool own = owner == &b;
        if (own && (kind == Access::kAtomicLoad || kind == Access::kAtomic))
            b.shadow->acquire(*me, p);
        if (own && (kind == Access::kAtomicStore || kind == Access::kAtomic))
            b.shadow->release(*me, p);
    }
    const bool write = kind != Access::kRead && kind != Access::kAtomicLoad;
    if (b.trace && config().count && owner == &b) detail::trace_access(*me, at, size, write, site);
}

// A pointer to shared memory is given away.
SIMT_NOTSAN __attribute__((noinline)) inline void expose(const void* p, size_t size) {
    if (!self) return;
    Untracked untracked;
    const char* at = static_cast<const char*>(p);
    const Block* b = owner_of(*self->warp->block, at);
    if (b && b->shadow && hooks.warp_sync) b->shadow->expose(*b, at, size);
}

[[noreturn]] SIMT_COLD inline void out_of_bounds(int64_t index, size_t size, Site site) {
    Untracked untracked;
    std::string text = "out of bounds: index " + std::to_string(index) + " of a shared array of " +
                       std::to_string(size);
    if (!self) throw std::out_of_range(text);
    this_worker().fail(std::move(text), site);
}

// An index that remembers the source line of the access.
struct SharedIndex {
    int64_t value;
    Site site;
    template <class I,
              class = std::enable_if_t<std::is_integral<I>::value || std::is_enum<I>::value>>
    constexpr SharedIndex(I i, SIMT_SITE)
        : value(static_cast<int64_t>(i)), site{simt_file, simt_line, simt_function} {}
};

// What shared_array's operator[] gives: reads when converted to T, writes when assigned to.
template <class T>
class SharedRef {
  public:
    SharedRef(T* p, Site site) : p_(p), site_(site) {}
    SharedRef(const SharedRef&) = default;
    operator T() const {
        if (__builtin_expect(instrumented, 0)) instrument(p_, sizeof(T), Access::kRead, site_);
        return *p_;
    }
    const SharedRef& operator=(const T& v) const {
        if (__builtin_expect(instrumented, 0)) {
            const T copy = v;  // `v` may be shared memory that changes while others run
            instrument(p_, sizeof(T), Access::kWrite, site_);
            *p_ = copy;
        } else {
            *p_ = v;
        }
        return *this;
    }
    const SharedRef& operator=(const SharedRef& other) const {
        return *this = static_cast<T>(other);
    }
    template <class U>
    const SharedRef& operator+=(const U& v) const {
        return *this = static_cast<T>(static_cast<T>(*this) + v);
    }
    // For atomics, which tell the checks about themselves. What else is written there goes unseen.
    T* operator&() const {
        if (__builtin_expect(instrumented, 0)) expose(p_, sizeof(T));
        return p_;
    }

  private:
    T* p_;
    Site site_;
};

// Is there room for `size` bytes at `p` in `b`, in the dynamic part or in one variable?
SIMT_NOTSAN inline bool fits_shared(const Block& b, const char* p, size_t size) {
    const auto inside = [&](const char* begin, size_t bytes) {
        return p >= begin && size <= bytes && p <= begin + (bytes - size);
    };
    if (inside(b.dynamic, b.dynamic_bytes)) return true;
    for (uint32_t i = 0; i < b.variable_count; ++i)
        if (inside(b.variables[i].address, b.variables[i].size)) return true;
    return false;
}

SIMT_NOTSAN inline void check_shared_address(const char* p, size_t size, size_t align, Site site) {
    Block& b = *self->warp->block;
    const Block* owner = owner_of(b, p);
    if (!owner) b.worker->fail("an address outside the shared memory of the cluster", site);
    if (!fits_shared(*owner, p, size))
        b.worker->fail("out of bounds: an access beyond the block's shared memory", site);
    if (reinterpret_cast<uintptr_t>(p) % align) b.worker->fail("a misaligned access", site);
    if (!owner->live) block_has_ended(*owner, site);
}

// One T at an address in shared memory, the block's own or one that __cluster_map_shared_rank has
// given.
template <class T>
SharedRef<T> shared_at(void* address, SIMT_SITE) {
    static_assert(std::is_trivially_copyable<T>::value, "shared memory is not constructed");
    check_shared_address(static_cast<const char*>(address), sizeof(T), alignof(T), SIMT_HERE);
    return {static_cast<T*>(address), SIMT_HERE};
}

template <class T, size_t N>
class shared_array {
    static_assert(std::is_trivially_copyable<T>::value, "shared memory is not constructed");

  public:
    static constexpr size_t size() { return N; }
    SharedRef<T> operator[](SharedIndex i) { return {at(i), i.site}; }
    T operator[](SharedIndex i) const {
        return SharedRef<T>(const_cast<shared_array*>(this)->at(i), i.site);
    }
    // Accesses through the pointer are not seen by the checks.
    T* data() {
        if (__builtin_expect(instrumented, 0)) expose(data_, sizeof data_);
        return data_;
    }

  private:
    T* at(const SharedIndex& i) {
        if (__builtin_expect(static_cast<uint64_t>(i.value) >= N, 0))
            out_of_bounds(i.value, N, i.site);
        return data_ + i.value;
    }
    T data_[N];
};

}  // namespace simt
