// SPDX-License-Identifier: Apache-2.0
//
// What the comparison says on a machine without a GPU: counts, and no times. Kernels are run by the
// CPU executor, in order, and every result is checked.
#include "count_call.h"
// count_call.h comes first, see there.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace counts {
namespace {

constexpr char kAbout[] =
    "Counted, not timed: there is no GPU here, and nothing below is a time or predicts one. The\n"
    "kernels ran on simt, the CPU executor, and every result was checked.\n"
    "\n"
    "n uint32; totals of one call. Exclusive sums: single_pass is DeviceScan as it is, "
    "three_kernel\n"
    "has 256 threads and tiles of 4096 items. Half of the items are selected; runs have 4. Keys "
    "and\n"
    "values are 32-bit, all bits are sorted.\n"
    "\n"
    "- launches: kernels + memsets.\n"
    "- read, written: bytes of the arrays for each item, counted through iterators. (So\n"
    "  three_kernel reads its input twice; to a pointer it adds the tiles' starts in place "
    "instead.\n"
    "  Lengths of runs and numbers of items are not in it.) Of sorts, which take pointers, they "
    "are\n"
    "  not counted: each pass over a digit of 8 bits reads and writes all once, and before them\n"
    "  the keys are read once to count digits; few items (one launch) are sorted without "
    "passes.\n"
    "- temp: bytes of temporary storage, which is read and written a few times at most (that of a\n"
    "  sort holds a copy of the items, too).\n"
    "- barriers: of blocks. warp ops: shuffles and votes of a warp; those of a look-back that "
    "waits\n"
    "  depend on the schedule, here one block after the other.\n"
    "- shared: requests to shared memory, and how many there would be without bank conflicts.\n";

std::string per_item(const Row& row, std::uint64_t items) {
    if (!row.counts_items) return "-";
    char text[32];
    std::snprintf(text, sizeof text, "%.3f",
                  static_cast<double>(items) * sizeof(Item) / static_cast<double>(row.n));
    return text;
}

void print(const std::vector<Row>& rows) {
    std::printf("%s", kAbout);
    std::int64_t n = 0;
    for (const Row& row : rows) {
        if (row.n != n) {
            std::printf(
                "\n| n = %lld | launches | read | written | temp | barriers | warp ops | shared | "
                "without conflicts |\n| --- |%s\n",
                static_cast<long long>(row.n),
                " ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
        }
        n = row.n;
        std::printf("| %s | %d + %d | %s | %s | %zu | %llu | %llu | %llu | %llu |\n",
                    row.algorithm.c_str(), row.kernels, row.memsets,
                    per_item(row, row.loads).c_str(), per_item(row, row.stores).c_str(),
                    row.temp_bytes, static_cast<unsigned long long>(row.barriers),
                    static_cast<unsigned long long>(row.collectives),
                    static_cast<unsigned long long>(row.requests),
                    static_cast<unsigned long long>(row.ideal));
    }
}

void write_json(const std::vector<Row>& rows, const char* path) {
    std::FILE* const file = std::fopen(path, "w");
    if (file == nullptr) fail(std::string("cannot write ") + path);
    std::fprintf(file, "{\"what\": \"counted on the simt CPU executor, not timed\", \"rows\": [");
    const char* separator = "";
    const auto number = [](const Row& row, std::uint64_t items) {
        return row.counts_items ? std::to_string(items) : std::string("null");
    };
    for (const Row& row : rows) {
        std::fprintf(file,
                     "%s\n{\"algorithm\": \"%s\", \"n\": %lld, \"kernels\": %d, \"memsets\": %d, "
                     "\"loads\": %s, \"stores\": %s, \"temp_bytes\": %zu, \"barriers\": %llu, "
                     "\"collectives\": %llu, \"requests\": %llu, \"ideal\": %llu}",
                     separator, row.algorithm.c_str(), static_cast<long long>(row.n), row.kernels,
                     row.memsets, number(row, row.loads).c_str(), number(row, row.stores).c_str(),
                     row.temp_bytes, static_cast<unsigned long long>(row.barriers),
                     static_cast<unsigned long long>(row.collectives),
                     static_cast<unsigned long long>(row.requests),
                     static_cast<unsigned long long>(row.ideal));
        separator = ",";
    }
    std::fprintf(file, "\n]}\n");
    if (std::fclose(file) != 0) fail(std::string("cannot write ") + path);
}

}  // namespace
}  // namespace counts

int main(int argc, char** argv) {
    std::vector<std::int64_t> sizes;
    const char* json = nullptr;
    for (int i = 1; i < argc; ++i) {
        const bool has_value = i + 1 < argc;
        if (std::strcmp(argv[i], "--n") == 0 && has_value) {
            char* end = nullptr;
            const long long n = std::strtoll(argv[++i], &end, 10);
            if (*end != '\0' || n < 1 || n > (1ll << 28)) counts::fail("--n: 1 to 2^28");
            sizes.push_back(n);
        } else if (std::strcmp(argv[i], "--quick") == 0) {
            sizes = {1000, 20000};
        } else if (std::strcmp(argv[i], "--json") == 0 && has_value) {
            json = argv[++i];
        } else {
            std::fprintf(stderr, "usage: bench_counts [--quick] [--n ITEMS]... [--json FILE]\n");
            return 2;
        }
    }
    if (sizes.empty()) sizes = {1000, 4096, 100000, 1000000};
    // One worker in order: the counts are the same every time.
    simt::config().seed = 0;
    simt::config().workers = 1;
    std::vector<counts::Row> rows;
    for (const std::int64_t n : sizes) {
        for (const auto count :
             {counts::count_scans, counts::count_compactions, counts::count_sorts}) {
            for (counts::Row& row : count(n)) rows.push_back(std::move(row));
        }
    }
    counts::print(rows);
    if (json != nullptr) counts::write_json(rows, json);
    return 0;
}
