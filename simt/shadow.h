// SPDX-License-Identifier: Apache-2.0
// The checks on shared memory: for each byte who wrote it last and who has read it since. A read of
// a byte that nobody wrote, and two accesses of different threads without order between them of
// which one writes, end the launch with both places. (The rule and its bookkeeping: FastTrack,
// Flanagan & Freund 2009.)
#pragma once

#include <cstdlib>
#include <map>

#include "clocks.h"

namespace simt {

// kAtomicLoad is no access to race with: it is checked, but not remembered.
enum class Access { kRead, kWrite, kAtomicLoad, kAtomicStore, kAtomic };

// The lanes of one warp that have read a byte in the present epoch.
struct Readers {
    uint32_t warp = 0, lanes = 0;
    uint32_t clock[32] = {};
    uint32_t next = 0;  // index + 1 of the next warp's; 0: none
};

struct ByteState {
    uint32_t generation;  // of the block that it speaks of
    bool write_atomic;
    bool written;       // by an access that was seen, or perhaps by one that was not
    Stamp write, read;  // read: the only reader, or the first of many
    uint32_t readers;   // index + 1 of the list, where there are several
    int write_line, read_line;
    const char *write_file, *read_file;
};

struct BlockShadow {
    BlockClocks clocks;
    ByteState* bytes = nullptr;  // of the dynamic part and the arena
    size_t size = 0;
    std::vector<Readers> readers;
    std::map<const void*, Knowledge> objects;  // atomics and mbarriers in shared memory, by address

    BlockShadow() = default;
    BlockShadow(const BlockShadow&) = delete;
    BlockShadow& operator=(const BlockShadow&) = delete;
    ~BlockShadow() { std::free(bytes); }

    void begin(Block& b) {
        const size_t need = size_t(b.arena - b.dynamic) + kArenaBytes;
        if (size < need) {
            std::free(bytes);
            bytes = static_cast<ByteState*>(
                std::calloc(need, sizeof(ByteState)));  // pages come when touched
            if (!bytes) throw std::bad_alloc();
            size = need;
        }
        clocks.reset();
        readers.clear();
        objects.clear();
    }

    void release(const Lane& me, const void* object) { clocks.release(me, objects[object]); }
    void acquire(const Lane& me, const void* object) {
        const auto it = objects.find(object);
        if (it != objects.end()) clocks.acquire(me, it->second);
    }
    // A bulk copy to shared memory that `me` issues: an access by `me` as far as earlier ones are
    // concerned, but ordered before later ones by `object` alone.
    void bulk_write(Lane& me, const char* p, size_t n, const void* object, Site site) {
        access(me, p, n, Access::kWrite, site);
        const Stamp stamp = clocks.engine_write(*me.warp->block, objects[object]);
        for (size_t i = 0; i < n; ++i) bytes[p - me.warp->block->dynamic + i].write = stamp;
    }

    // From here on somebody may write without being seen.
    void expose(const Block& b, const char* p, size_t n) {
        for (size_t i = 0; i < n; ++i) fresh(b, p + i).written = true;
    }

    void access(Lane& me, const char* p, size_t n, Access kind, Site site) {
        Block& b = *me.warp->block;
        if (p < b.dynamic || p >= b.dynamic + size) return;  // not this block's shared memory
        const Stamp now = clocks.now(me);
        for (size_t i = 0; i < n; ++i) {
            ByteState& s = fresh(b, p + i);
            // Atomics work on plain variables, too, whose initialisation nobody has seen.
            if (kind == Access::kRead && !s.written)
                b.worker->fail("uninitialised: a read of shared memory that nobody has written yet",
                               site);
            const bool both_atomic = kind >= Access::kAtomicLoad && s.write_atomic;
            if (s.write.epoch && !both_atomic && !clocks.ordered(s.write, me))
                race(b, s.write.thread, "wrote", s.write_file, s.write_line, kind, site);
            if (kind == Access::kRead) {
                note_read(s, now, me, site);
            } else if (kind != Access::kAtomicLoad) {
                check_readers(s, me, kind, site);
                s.write = now;
                s.written = true;
                s.write_atomic = kind != Access::kWrite;
                s.write_file = site.file;
                s.write_line = site.line;
                s.read = Stamp{};
                s.readers = 0;
            }
        }
    }

  private:
    // The state of a byte; that of an earlier block does not count.
    ByteState& fresh(const Block& b, const char* p) {
        ByteState& s = bytes[p - b.dynamic];
        if (s.generation != b.generation) {
            s = ByteState{};
            s.generation = b.generation;
        }
        return s;
    }
    void note_read(ByteState& s, const Stamp& now, const Lane& me, Site site) {
        if (s.read.epoch != now.epoch || (!s.readers && s.read.thread == now.thread)) {
            s.read = now;
            s.readers = 0;
            s.read_file = site.file;
            s.read_line = site.line;
            return;
        }
        if (!s.readers) add_reader(s, s.read.thread / 32, s.read.thread % 32, s.read.clock);
        add_reader(s, me.warp->id, me.lane, now.clock);
    }
    void add_reader(ByteState& s, uint32_t warp, uint32_t lane, uint32_t clock) {
        uint32_t at = s.readers;
        while (at && readers[at - 1].warp != warp) at = readers[at - 1].next;
        if (!at) {
            readers.emplace_back();
            at = uint32_t(readers.size());
            readers[at - 1].warp = warp;
            readers[at - 1].next = s.readers;
            s.readers = at;
        }
        readers[at - 1].lanes |= 1u << lane;
        readers[at - 1].clock[lane] = clock;
    }
    void check_readers(const ByteState& s, const Lane& me, Access kind, Site site) const {
        Block& b = *me.warp->block;
        if (s.read.epoch != b.epoch) return;
        if (!s.readers) {
            if (!clocks.ordered(s.read, me))
                race(b, s.read.thread, "read", s.read_file, s.read_line, kind, site);
            return;
        }
        for (uint32_t at = s.readers; at; at = readers[at - 1].next) {
            const Readers& r = readers[at - 1];
            for (uint32_t m = r.lanes; m; m &= m - 1) {
                const uint32_t lane = uint32_t(__builtin_ctz(m));
                const Stamp read{b.epoch, r.clock[lane], r.warp * 32 + lane};
                if (!clocks.ordered(read, me))
                    race(b, read.thread, "read", s.read_file, s.read_line, kind, site);
            }
        }
    }
    static std::string race_text(uint32_t other, const char* did, const char* file, int line,
                                 Access kind) {
        const char* does = kind == Access::kRead         ? "reads"
                           : kind == Access::kWrite      ? "writes"
                           : kind == Access::kAtomicLoad ? "loads atomically"
                                                         : "updates atomically";
        const std::string who = other == BlockClocks::kCopyEngine
                                    ? "a bulk copy"
                                    : "thread " + std::to_string(other) + " of the block";
        return std::string("race: a thread ") + does + " shared memory that " + who + " " + did +
               " at " + file + ":" + std::to_string(line) + " with no barrier between them,";
    }
    [[noreturn]] SIMT_COLD static void race(Block& b, uint32_t other, const char* did,
                                            const char* file, int line, Access kind, Site site) {
        b.worker->fail(race_text(other, did, file, line, kind), site);
    }
};

namespace detail {
inline void shadow_begin(Block& b) {
    if (!b.shadow) b.shadow = std::make_shared<BlockShadow>();
    b.shadow->begin(b);
}
inline void shadow_barrier(Block& b) {
    Untracked untracked;
    b.shadow->readers.clear();
}
inline void shadow_warp_sync(Warp& w, uint32_t mask) {
    Untracked untracked;
    w.block->shadow->clocks.join(w, mask);
}
}  // namespace detail

}  // namespace simt
