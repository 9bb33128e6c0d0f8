// SPDX-License-Identifier: Apache-2.0
// Counts the shared-memory requests of each access site: a warp-wide access costs as many requests
// as the most loaded of the 32 banks has different words to serve.
//
// Lanes are matched by how often each has passed the site since the last block barrier: the k-th
// passes of the lanes of a warp are one warp-wide access.
#pragma once

#include <algorithm>
#include <map>
#include <tuple>

#include "worker.h"

namespace simt {

struct SiteCount {
    const char* file;
    int line;
    std::string function;  // without its template arguments
    bool write;
    uint64_t accesses;  // warp-wide accesses
    uint64_t requests;  // each costs its conflict degree
    uint64_t ideal;     // what they would cost without conflicts
};

struct BankAccess {
    Site site;
    bool write;
    uint32_t address, size;  // bytes
};

struct BlockTrace {
    std::vector<BankAccess> lanes[1024];
};

namespace detail {

struct SiteLess {
    bool operator()(const std::pair<Site, bool>& a, const std::pair<Site, bool>& b) const {
        if (const int c =
                a.first.file == b.first.file ? 0 : std::strcmp(a.first.file, b.first.file))
            return c < 0;
        return std::tie(a.first.line, a.second) < std::tie(b.first.line, b.second);
    }
};
struct BankTotals {
    std::mutex mutex;
    std::map<std::pair<Site, bool>, SiteCount, SiteLess> sites;
};
inline BankTotals& bank_totals() {
    static BankTotals t;
    return t;
}

// One warp-wide access: at most 32 (offset, size) pairs, all of one size. Wider words than 4 bytes
// are served in halves or quarters of a warp; odd sizes word by word.
inline void add_warp_access(SiteCount& c, const std::vector<BankAccess>& lanes) {
    const uint32_t size = lanes[0].size;
    const uint32_t unit = size % 16 == 0 ? 16 : size % 8 == 0 ? 8 : size < 4 ? size : 4;
    const uint32_t lanes_at_once = unit <= 4 ? 32 : 128 / unit;
    const uint32_t units = (size + unit - 1) / unit;
    for (uint32_t u = 0; u < units; ++u) {
        ++c.accesses;
        for (size_t first = 0; first < lanes.size(); first += lanes_at_once) {
            std::vector<uint32_t> words;
            const size_t last = std::min(lanes.size(), first + lanes_at_once);
            for (size_t i = first; i < last; ++i) {
                const uint32_t begin = lanes[i].address + u * unit;
                for (uint32_t at = begin / 4; at <= (begin + unit - 1) / 4; ++at)
                    words.push_back(at);
            }
            std::sort(words.begin(), words.end());
            words.erase(std::unique(words.begin(), words.end()), words.end());
            uint32_t bank[32] = {}, degree = 0;
            for (const uint32_t w : words) degree = std::max(degree, ++bank[w % 32]);
            c.requests += degree;
            ++c.ideal;
        }
    }
}

// Compilers differ in whether a template's name carries its arguments.
inline std::string plain_name(const char* function) {
    const std::string name = function;
    return name.substr(0, name.find('<'));
}

inline void trace_begin(Block& b) {
    if (!b.trace) b.trace = std::make_shared<BlockTrace>();
    for (auto& lane : b.trace->lanes) lane.clear();
}

inline void trace_flush(Block& b) {
    Untracked untracked;
    for (uint32_t w = 0; w < b.warp_count; ++w) {
        std::map<std::pair<Site, bool>, std::vector<std::vector<BankAccess>>, SiteLess> passes;
        for (uint32_t l = 0; l < 32; ++l) {
            auto& trace = b.trace->lanes[w * 32 + l];
            std::map<std::pair<Site, bool>, uint32_t, SiteLess> times;
            for (const BankAccess& a : trace) {
                const std::pair<Site, bool> key{a.site, a.write};
                auto& of_site = passes[key];
                const uint32_t k = times[key]++;
                if (of_site.size() <= k) of_site.resize(k + 1);
                of_site[k].push_back(a);
            }
            trace.clear();
        }
        BankTotals& totals = bank_totals();
        std::lock_guard<std::mutex> lock(totals.mutex);
        for (const auto& site : passes) {
            const Site& s = site.first.first;
            SiteCount& c =
                totals.sites
                    .try_emplace(site.first, SiteCount{s.file, s.line, plain_name(s.function),
                                                       site.first.second, 0, 0, 0})
                    .first->second;
            for (const auto& access : site.second) add_warp_access(c, access);
        }
    }
}

inline void trace_access(Lane& me, const char* p, size_t n, bool write, Site site) {
    Block& b = *me.warp->block;
    b.trace->lanes[me.linear].push_back(
        {site, write, static_cast<uint32_t>(p - b.dynamic), static_cast<uint32_t>(n)});
}

}  // namespace detail

// Totals over all blocks run since the reset, sorted by file, line, read before write.
inline std::vector<SiteCount> bank_counts() {
    detail::BankTotals& totals = detail::bank_totals();
    std::lock_guard<std::mutex> lock(totals.mutex);
    std::vector<SiteCount> list;
    for (const auto& site : totals.sites) list.push_back(site.second);
    return list;
}

inline void reset_bank_counts() {
    detail::BankTotals& totals = detail::bank_totals();
    std::lock_guard<std::mutex> lock(totals.mutex);
    totals.sites.clear();
}

}  // namespace simt
