// SPDX-License-Identifier: Apache-2.0
// The checks on shared memory: for each byte who wrote it last and who has read it since. A read of
// a byte that nobody wrote, and two accesses of different threads without order between them of
// which one writes, end the launch with both places. (The rule and its bookkeeping: FastTrack,
// Flanagan & Freund 2009.) Between the blocks of a cluster only the cluster's barrier gives order.
#pragma once

#include <cstdlib>
#include <map>
#include <unordered_map>

#include "clocks.h"

namespace simt {

// kAtomicLoad is no access to race with: it is checked, but not remembered.
enum class Access { kRead, kWrite, kAtomicLoad, kAtomicStore, kAtomic };

// The lanes of one warp that have read a byte in the present epoch.
struct Readers {
    uint32_t warp = 0, lanes = 0;
    uint32_t clock[32] = {}, phase[32] = {};
    uint32_t next = 0;  // index + 1 of the next warp's; 0: none
};

// The last read of a byte by each lane of one warp of another block of the cluster.
struct RemoteReaders {
    uint32_t rank = 0, warp = 0, lanes = 0;
    Stamp read[32];
    Site site;
};

struct RemoteAccess {
    Stamp stamp;
    Site site;
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
    uint32_t free_readers = 0;  // index + 1 of the first of those that are free, in a list
    std::unordered_map<size_t, std::vector<RemoteReaders>> remote_readers;  // by offset of the byte
    std::vector<RemoteAccess> last_remote;     // by rank: that which is ordered last
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
        clocks.reset(b.warp_count);
        forget_all_readers();
        remote_readers.clear();
        last_remote.assign(b.cluster->size, RemoteAccess{});
        objects.clear();
    }

    void release(const Lane& me, const void* object) {
        Knowledge& k = objects[object];
        k.phases = std::max(k.phases, phases_known(me));
        clocks.release(me, k);
    }
    void acquire(Lane& me, const void* object) {
        const auto it = objects.find(object);
        if (it == objects.end()) return;
        me.known_phases = std::max(me.known_phases, it->second.phases);
        clocks.acquire(me, it->second);
    }
    // A bulk copy to shared memory that `me` issues: an access by `me` as far as earlier ones are
    // concerned, but ordered before later ones by `object` alone.
    void bulk_write(Lane& me, const char* p, size_t n, const void* object, Site site) {
        Block& b = *me.warp->block;
        access(me, b, p, n, Access::kWrite, site);
        const Stamp stamp = clocks.engine_write(me, objects[object]);
        for (size_t i = 0; i < n; ++i) bytes[p - b.dynamic + i].write = stamp;
    }

    void forget_all_readers() {
        readers.clear();
        free_readers = 0;
    }

    // From here on somebody may write without being seen.
    void expose(const Block& b, const char* p, size_t n) {
        for (size_t i = 0; i < n; ++i) fresh(b, p + i).written = true;
    }

    // An access of the shared memory of `b`, whose shadow this is, by a thread of its cluster.
    void access(Lane& me, Block& b, const char* p, size_t n, Access kind, Site site) {
        if (p < b.dynamic || p >= b.dynamic + size) return;
        const Block& mine = *me.warp->block;
        const Stamp now = mine.shadow->clocks.now(me);
        const bool remote = &mine != &b;
        if (remote) note_remote(me, b, now, site);
        for (size_t i = 0; i < n; ++i) {
            ByteState& s = fresh(b, p + i);
            // Atomics work on plain variables, too, whose initialisation nobody has seen.
            if (kind == Access::kRead && !s.written)
                b.worker->fail("uninitialised: a read of shared memory that nobody has written yet",
                               site);
            const bool both_atomic = kind >= Access::kAtomicLoad && s.write_atomic;
            if (s.write.epoch && !both_atomic && !ordered(s.write, me))
                race(me, s.write, "wrote", s.write_file, s.write_line, kind, site);
            if (kind == Access::kRead && remote) {
                note_remote_read(size_t(p - b.dynamic) + i, now, me, site);
            } else if (kind == Access::kRead) {
                note_read(s, now, site);
            } else if (kind != Access::kAtomicLoad) {
                check_readers(s, me, b, kind, site);
                check_remote_readers(size_t(p - b.dynamic) + i, me, kind, site);
                s.write = now;
                s.written = true;
                s.write_atomic = kind != Access::kWrite;
                s.write_file = site.file;
                s.write_line = site.line;
                forget_readers(s, b);
            }
        }
    }

    // The last thread of `b` ends: nobody may be using its shared memory from then on.
    void check_end(const Block& b) const {
        for (uint32_t rank = 0; rank < last_remote.size(); ++rank) {
            const RemoteAccess& last = last_remote[rank];
            const Block& by = b.cluster->blocks[rank];
            if (!last.stamp.epoch || ordered_by_cluster(last.stamp, by, b.newest_phase)) continue;
            b.worker->fail_of("race: " + block_text(b) +
                                  " of the cluster can end before this access of its shared memory:"
                                  " no cluster barrier is between,",
                              last.site, by.index, by.lanes[last.stamp.thread].thread);
        }
    }

  private:
    // Is `before`, an access by a thread of the cluster, ordered before what `me` does now?
    static bool ordered(const Stamp& before, const Lane& me) {
        const Block& mine = *me.warp->block;
        const Block& by = mine.cluster->blocks[before.rank];
        if (&by == &mine && mine.shadow->clocks.ordered(before, me)) return true;
        return ordered_by_cluster(before, by, phases_known(me));
    }
    void note_remote(const Lane& me, const Block& b, const Stamp& now, Site site) {
        if (!phases_known(me))
            b.worker->fail(
                "an access of the shared memory of another block of the cluster before "
                "any cluster barrier: that block may not have started yet,",
                site);
        RemoteAccess& last = last_remote[now.rank];
        if (now.phase >= last.stamp.phase) last = {now, site};
    }
    // The state of a byte; that of an earlier block does not count.
    ByteState& fresh(const Block& b, const char* p) {
        ByteState& s = bytes[p - b.dynamic];
        if (s.generation != b.generation) {
            s = ByteState{};
            s.generation = b.generation;
        }
        return s;
    }
    void note_read(ByteState& s, const Stamp& now, Site site) {
        if (s.read.epoch != now.epoch || (!s.readers && s.read.thread == now.thread)) {
            s.read = now;
            s.readers = 0;
            s.read_file = site.file;
            s.read_line = site.line;
            return;
        }
        if (!s.readers) add_reader(s, s.read);
        add_reader(s, now);
    }
    void add_reader(ByteState& s, const Stamp& read) {
        const uint32_t warp = read.thread / 32, lane = read.thread % 32;
        uint32_t at = s.readers;
        while (at && readers[at - 1].warp != warp) at = readers[at - 1].next;
        if (!at) {
            if (free_readers) {
                at = free_readers;
                free_readers = readers[at - 1].next;
                readers[at - 1].lanes = 0;
            } else {
                readers.emplace_back();
                at = uint32_t(readers.size());
            }
            readers[at - 1].warp = warp;
            readers[at - 1].next = s.readers;
            s.readers = at;
        }
        readers[at - 1].lanes |= 1u << lane;
        readers[at - 1].clock[lane] = read.clock;
        readers[at - 1].phase[lane] = read.phase;
    }
    // A block that never meets a barrier would collect lists without end.
    void forget_readers(ByteState& s, const Block& b) {
        if (s.readers && s.read.epoch == b.epoch) {
            uint32_t last = s.readers;
            while (readers[last - 1].next) last = readers[last - 1].next;
            readers[last - 1].next = free_readers;
            free_readers = s.readers;
        }
        s.read = Stamp{};
        s.readers = 0;
    }
    void note_remote_read(size_t offset, const Stamp& now, const Lane& me, Site site) {
        std::vector<RemoteReaders>& all = remote_readers[offset];
        auto at = std::find_if(all.begin(), all.end(), [&](const RemoteReaders& r) {
            return r.rank == now.rank && r.warp == me.warp->id;
        });
        if (at == all.end()) {
            all.emplace_back();
            at = all.end() - 1;
            at->rank = now.rank;
            at->warp = me.warp->id;
        }
        at->lanes |= 1u << me.lane;
        at->read[me.lane] = now;
        at->site = site;
    }
    // Reads by the block's own threads. The list of an earlier epoch is gone; the first of its
    // readers stands for it.
    void check_readers(const ByteState& s, const Lane& me, const Block& b, Access kind,
                       Site site) const {
        if (!s.read.epoch) return;
        if (!s.readers || s.read.epoch != b.epoch) {
            if (!ordered(s.read, me))
                race(me, s.read, "read", s.read_file, s.read_line, kind, site);
            return;
        }
        for (uint32_t at = s.readers; at; at = readers[at - 1].next) {
            const Readers& r = readers[at - 1];
            for (uint32_t m = r.lanes; m; m &= m - 1) {
                const uint32_t lane = uint32_t(__builtin_ctz(m));
                const Stamp read{b.epoch, r.clock[lane], uint16_t(r.warp * 32 + lane),
                                 uint16_t(b.rank), r.phase[lane]};
                if (!ordered(read, me))
                    race(me, read, "read", s.read_file, s.read_line, kind, site);
            }
        }
    }
    void check_remote_readers(size_t offset, const Lane& me, Access kind, Site site) {
        const auto found = remote_readers.find(offset);
        if (found == remote_readers.end()) return;
        for (const RemoteReaders& r : found->second)
            for (uint32_t m = r.lanes; m; m &= m - 1) {
                const Stamp& read = r.read[__builtin_ctz(m)];
                if (!ordered(read, me))
                    race(me, read, "read", r.site.file, r.site.line, kind, site);
            }
        remote_readers.erase(found);
    }
    static std::string block_text(const Block& b) {
        return "block (" + std::to_string(b.index.x) + "," + std::to_string(b.index.y) + "," +
               std::to_string(b.index.z) + ")";
    }
    static std::string race_text(const Lane& me, const Stamp& other, const char* did,
                                 const char* file, int line, Access kind) {
        const Block& mine = *me.warp->block;
        const bool same_block = other.rank == mine.rank;
        const char* does = kind == Access::kRead         ? "reads"
                           : kind == Access::kWrite      ? "writes"
                           : kind == Access::kAtomicLoad ? "loads atomically"
                                                         : "updates atomically";
        std::string who = "a bulk copy";
        if (other.thread != kCopyEngine)
            who = "thread " + std::to_string(other.thread) + " of " +
                  (same_block ? "the block" : block_text(mine.cluster->blocks[other.rank]));
        return std::string("race: a thread ") + does + " shared memory that " + who + " " + did +
               " at " + file + ":" + std::to_string(line) + " with no " +
               (same_block ? "barrier" : "cluster barrier") + " between them,";
    }
    [[noreturn]] SIMT_COLD static void race(const Lane& me, const Stamp& other, const char* did,
                                            const char* file, int line, Access kind, Site site) {
        me.warp->block->worker->fail(race_text(me, other, did, file, line, kind), site);
    }
};

namespace detail {
inline void shadow_begin(Block& b) {
    if (!b.shadow) b.shadow = std::make_shared<BlockShadow>();
    b.shadow->begin(b);
}
inline void shadow_barrier(Block& b) {
    Untracked untracked;
    b.shadow->forget_all_readers();
}
inline void shadow_warp_sync(Warp& w, uint32_t mask) {
    Untracked untracked;
    w.block->shadow->clocks.join(w, mask);
    uint32_t phases = 0;
    for (uint32_t m = mask; m; m &= m - 1)
        phases = std::max(phases, w.lanes[__builtin_ctz(m)].known_phases);
    for (uint32_t m = mask; m; m &= m - 1) w.lanes[__builtin_ctz(m)].known_phases = phases;
}
inline void shadow_last_exit(Block& b) {
    Untracked untracked;
    b.shadow->check_end(b);
}
}  // namespace detail

}  // namespace simt
