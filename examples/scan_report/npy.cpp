// SPDX-License-Identifier: Apache-2.0
#include "npy.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "text.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the reader copies little-endian elements as they are"
#endif

namespace scan_report {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 22;

unsigned long long printable(std::uint64_t number) { return number; }

std::string system_error() { return std::strerror(errno); }

}  // namespace

NpyFile::NpyFile(const std::string& path) : file_(std::fopen(path.c_str(), "rb")) {
    if (!file_) throw NpyError("cannot be opened: " + system_error());
    std::string start = read_up_to(kNpyPrefixBytes);
    const NpyHeaderSpan span = parse_npy_prefix(start);
    const std::size_t data_begin = span.begin + span.length;
    // Version 1 has a shorter prefix, so part of the header text may be in `start` already.
    if (data_begin > start.size()) start += read_up_to(data_begin - start.size());
    if (start.size() < data_begin) throw NpyError("truncated: the file ends inside its header");
    if (start.size() > data_begin) throw NpyError("malformed header: it is too short");
    header_ = parse_npy_header(std::string_view(start).substr(span.begin));
    check_length(data_begin);
}

void NpyFile::check_length(std::uint64_t data_begin) {
    struct stat status {};
    if (fstat(fileno(file_.get()), &status) != 0 || !S_ISREG(status.st_mode)) return;
    const std::uint64_t found = static_cast<std::uint64_t>(status.st_size);
    const std::uint64_t data = found > data_begin ? found - data_begin : 0;
    const std::uint64_t wanted = header_.count * type_size(header_.type);
    if (data == wanted) return;
    throw NpyError(format("%s: %llu elements of %s need %llu bytes of data, the file has %llu",
                          data < wanted ? "truncated" : "oversized", printable(header_.count),
                          type_name(header_.type), printable(wanted), printable(data)));
}

std::string NpyFile::read_up_to(std::size_t bytes) {
    std::string data(bytes, '\0');
    data.resize(std::fread(data.data(), 1, bytes, file_.get()));
    if (std::ferror(file_.get())) throw NpyError("cannot be read: " + system_error());
    return data;
}

template <class T>
std::vector<T> NpyFile::read() {
    std::vector<T> elements;
    while (elements.size() < header_.count) {
        const std::size_t begin = elements.size();
        const std::size_t wanted =
            std::min<std::uint64_t>(kChunkBytes / sizeof(T), header_.count - begin);
        elements.resize(begin + wanted);
        if (std::fread(elements.data() + begin, sizeof(T), wanted, file_.get()) != wanted) {
            if (std::ferror(file_.get())) throw NpyError("cannot be read: " + system_error());
            throw NpyError(format("truncated: the data ends before element %llu of %llu",
                                  printable(begin + wanted), printable(header_.count)));
        }
    }
    if (std::fgetc(file_.get()) != EOF) throw NpyError("oversized: data follows the last element");
    return elements;
}

template std::vector<float> NpyFile::read<float>();
template std::vector<double> NpyFile::read<double>();
template std::vector<std::uint32_t> NpyFile::read<std::uint32_t>();
template std::vector<std::uint64_t> NpyFile::read<std::uint64_t>();

}  // namespace scan_report
