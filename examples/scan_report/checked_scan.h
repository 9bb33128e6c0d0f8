// SPDX-License-Identifier: Apache-2.0
// Runs scans and checks every output.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "check.h"
#include "device.h"

namespace scan_report {

constexpr std::uint64_t tiles_of(std::uint64_t n, int tile) {
    return n / static_cast<std::uint64_t>(tile) + (n % static_cast<std::uint64_t>(tile) != 0);
}

/// Levels of the three-kernel scan, none for nothing: the sums of the tiles of one level are the
/// input of the next.
constexpr int levels_of(std::uint64_t n, int tile) {
    int levels = n > 0;
    for (std::uint64_t tiles = tiles_of(n, tile); tiles > 1; tiles = tiles_of(tiles, tile))
        ++levels;
    return levels;
}

/// An exclusive sum in two phases: with temp == nullptr it only sets temp_bytes.
template <class T>
using ScanFunction =
    std::function<cudaError_t(void* temp, std::size_t& temp_bytes, T* in, T* out, std::int64_t n)>;

/// A scan with its temporary storage.
template <class T>
class PreparedScan {
  public:
    PreparedScan(ScanFunction<T> scan, std::string name, T* in, T* out, std::uint64_t n)
        : scan_(std::move(scan)),
          name_(std::move(name)),
          in_(in),
          out_(out),
          n_(static_cast<std::int64_t>(n)),
          temp_bytes_(query()),
          temp_(temp_bytes_) {}

    const std::string& name() const { return name_; }

    /// Puts one scan on the default stream.
    void launch() { check(scan_(temp_.data(), temp_bytes_, in_, out_, n_), name_); }

  private:
    std::size_t query() {
        std::size_t bytes = 0;
        check(scan_(nullptr, bytes, in_, out_, n_),
              name_ + ": asking for the size of its temporary storage");
        return bytes;
    }

    ScanFunction<T> scan_;
    std::string name_;
    T* in_;
    T* out_;
    std::int64_t n_;
    std::size_t temp_bytes_;
    DeviceBuffer<unsigned char> temp_;
};

/// The array to scan, on the host and on the device, and room for the outputs.
template <class T>
class ScanData {
  public:
    explicit ScanData(std::vector<T> input)
        : host_(std::move(input)), in_(host_.size()), out_(host_.size()) {
        if (host_.empty()) return;
        check(
            cudaMemcpy(in_.data(), host_.data(), host_.size() * sizeof(T), cudaMemcpyHostToDevice),
            "copying the input to the device");
    }

    const std::vector<T>& host() const { return host_; }
    std::uint64_t n() const { return host_.size(); }
    T* in() const { return in_.data(); }
    T* out() const { return out_.data(); }

    /// Spoils the outputs, so that none of an earlier scan can pass for one of the next.
    void clear_outputs() {
        if (n() != 0) check(cudaMemset(out_.data(), 0xA5, n() * sizeof(T)), "clearing the outputs");
    }

    /// Compares all outputs with the input. Returns the first wrong one.
    std::optional<Failure> check_outputs(int tile, CheckRule rule) const {
        constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
        PrefixChecker<T> checker(host_.data(), tile, rule);
        std::vector<T> piece(static_cast<std::size_t>(std::min(kPiece, n())));
        for (std::uint64_t begin = 0; begin < n(); begin += kPiece) {
            const std::uint64_t count = std::min(kPiece, n() - begin);
            check(cudaMemcpy(piece.data(), out_.data() + begin, count * sizeof(T),
                             cudaMemcpyDeviceToHost),
                  "copying outputs to the host");
            if (const auto failure = checker.feed(piece.data(), count)) return failure;
        }
        return std::nullopt;
    }

  private:
    std::vector<T> host_;
    DeviceBuffer<T> in_, out_;
};

/// One scan, all of whose outputs are checked.
template <class T>
Row checked_scan(ScanData<T>& data, const std::string& name, const ScanFunction<T>& scan, int tile,
                 CheckRule rule) {
    PreparedScan<T> prepared(scan, name, data.in(), data.out(), data.n());
    data.clear_outputs();
    check(cudaDeviceSynchronize(), name);
    const auto begin = std::chrono::steady_clock::now();
    prepared.launch();
    check(cudaDeviceSynchronize(), name);
    const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - begin;
    Row row;
    row.name = name;
    row.wall_ms = wall.count();
    row.failure = data.check_outputs(tile, rule);
    row.checked = !row.failure;
    return row;
}

}  // namespace scan_report
