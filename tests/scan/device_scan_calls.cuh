// SPDX-License-Identifier: Apache-2.0
//
// Every entry point of DeviceScan, in all its forms, over arrays of int: a table that says how each
// is called and what is right. Tests of what all of them have to do walk along it.
#pragma once

#include <functional>
#include <libscan/device_scan.cuh>

#include "test_types.cuh"

namespace scan_test {

struct ScanArguments {
    void* temp;
    std::size_t& bytes;
    const int* keys;
    int* in;  // what is scanned in place is `out`
    int* out;
    long long n;
    cudaStream_t stream = nullptr;
};

enum class Form { kTwoPhase, kInPlace, kOneCall };

struct ScanCall {
    const char* name;
    Form form;
    bool by_key;
    std::function<cudaError_t(const ScanArguments&)> run;
    std::function<std::vector<int>(const std::vector<int>& keys, const std::vector<int>& in)>
        expected;
};

inline libscan::ScanOptions options_for(const ScanArguments& a, libscan::ScanStrategy strategy) {
    libscan::ScanOptions options;
    options.stream = a.stream;
    options.strategy = strategy;
    return options;
}

inline constexpr Pick kCallOp{Pick::kLastWritten};  // not commutative
inline constexpr int kCallInit = 17;

inline std::vector<ScanCall> make_scan_calls() {
    using libscan::DeviceScan;
    using libscan::Equal;
    using libscan::Plus;
    using Ints = const std::vector<int>&;
    using Args = const ScanArguments&;

    std::vector<ScanCall> calls;
    const auto exclusive_sum = [](Ints, Ints in) { return exclusive_scan(in, Plus{}, 0); };
    calls.push_back({"ExclusiveSum", Form::kTwoPhase, false,
                     [](Args a) {
                         return DeviceScan::ExclusiveSum(a.temp, a.bytes, a.in, a.out, a.n,
                                                         a.stream);
                     },
                     exclusive_sum});
    calls.push_back(
        {"ExclusiveSum in place", Form::kInPlace, false,
         [](Args a) { return DeviceScan::ExclusiveSum(a.temp, a.bytes, a.out, a.n, a.stream); },
         exclusive_sum});
    const auto inclusive_sum = [](Ints, Ints in) { return inclusive_scan<int>(in, Plus{}); };
    calls.push_back({"InclusiveSum", Form::kTwoPhase, false,
                     [](Args a) {
                         return DeviceScan::InclusiveSum(a.temp, a.bytes, a.in, a.out, a.n,
                                                         a.stream);
                     },
                     inclusive_sum});
    calls.push_back(
        {"InclusiveSum in place", Form::kInPlace, false,
         [](Args a) { return DeviceScan::InclusiveSum(a.temp, a.bytes, a.out, a.n, a.stream); },
         inclusive_sum});
    const auto exclusive = [](Ints, Ints in) { return exclusive_scan(in, kCallOp, kCallInit); };
    calls.push_back({"ExclusiveScan", Form::kTwoPhase, false,
                     [](Args a) {
                         return DeviceScan::ExclusiveScan(a.temp, a.bytes, a.in, a.out, kCallOp,
                                                          kCallInit, a.n, a.stream);
                     },
                     exclusive});
    calls.push_back({"ExclusiveScan in place", Form::kInPlace, false,
                     [](Args a) {
                         return DeviceScan::ExclusiveScan(a.temp, a.bytes, a.out, kCallOp,
                                                          kCallInit, a.n, a.stream);
                     },
                     exclusive});
    const auto inclusive = [](Ints, Ints in) { return inclusive_scan<int>(in, kCallOp); };
    calls.push_back({"InclusiveScan", Form::kTwoPhase, false,
                     [](Args a) {
                         return DeviceScan::InclusiveScan(a.temp, a.bytes, a.in, a.out, kCallOp,
                                                          a.n, a.stream);
                     },
                     inclusive});
    calls.push_back({"InclusiveScan in place", Form::kInPlace, false,
                     [](Args a) {
                         return DeviceScan::InclusiveScan(a.temp, a.bytes, a.out, kCallOp, a.n,
                                                          a.stream);
                     },
                     inclusive});
    const auto inclusive_init = [](Ints, Ints in) {
        std::vector<int> out = inclusive_scan<int>(in, kCallOp);
        for (int& v : out) v = kCallOp(kCallInit, v);
        return out;
    };
    calls.push_back({"InclusiveScanInit", Form::kTwoPhase, false,
                     [](Args a) {
                         return DeviceScan::InclusiveScanInit(a.temp, a.bytes, a.in, a.out, kCallOp,
                                                              kCallInit, a.n, a.stream);
                     },
                     inclusive_init});
    calls.push_back({"InclusiveScanInit in place", Form::kInPlace, false,
                     [](Args a) {
                         return DeviceScan::InclusiveScanInit(a.temp, a.bytes, a.out, a.out,
                                                              kCallOp, kCallInit, a.n, a.stream);
                     },
                     inclusive_init});

    for (const auto strategy :
         {libscan::ScanStrategy::automatic, libscan::ScanStrategy::three_kernel}) {
        calls.push_back({"ExclusiveSum in one call", Form::kOneCall, false,
                         [strategy](Args a) {
                             return DeviceScan::ExclusiveSum(a.in, a.out, a.n,
                                                             options_for(a, strategy));
                         },
                         exclusive_sum});
#if !defined(SCAN_TEST_IS_SLOW)  // to compile, too: each has kernels of its own
        calls.push_back({"InclusiveSum in one call", Form::kOneCall, false,
                         [strategy](Args a) {
                             return DeviceScan::InclusiveSum(a.in, a.out, a.n,
                                                             options_for(a, strategy));
                         },
                         inclusive_sum});
        calls.push_back({"ExclusiveScan in one call", Form::kOneCall, false,
                         [strategy](Args a) {
                             return DeviceScan::ExclusiveScan(a.in, a.out, kCallOp, kCallInit, a.n,
                                                              options_for(a, strategy));
                         },
                         exclusive});
        calls.push_back({"InclusiveScan in one call", Form::kOneCall, false,
                         [strategy](Args a) {
                             return DeviceScan::InclusiveScan(a.in, a.out, kCallOp, a.n,
                                                              options_for(a, strategy));
                         },
                         inclusive});
        calls.push_back({"InclusiveScanInit in one call", Form::kOneCall, false,
                         [strategy](Args a) {
                             return DeviceScan::InclusiveScanInit(a.in, a.out, kCallOp, kCallInit,
                                                                  a.n, options_for(a, strategy));
                         },
                         inclusive_init});
#endif
    }

    for (const Form form : {Form::kTwoPhase, Form::kInPlace}) {
        const bool in_place = form == Form::kInPlace;
        calls.push_back({"ExclusiveSumByKey", form, true,
                         [in_place](Args a) {
                             return DeviceScan::ExclusiveSumByKey(a.temp, a.bytes, a.keys,
                                                                  in_place ? a.out : a.in, a.out,
                                                                  a.n, Equal{}, a.stream);
                         },
                         [](Ints keys, Ints in) {
                             return serial_by_key(keys, in, Plus{}, Equal{}, false, 0);
                         }});
        calls.push_back({"InclusiveSumByKey", form, true,
                         [in_place](Args a) {
                             return DeviceScan::InclusiveSumByKey(a.temp, a.bytes, a.keys,
                                                                  in_place ? a.out : a.in, a.out,
                                                                  a.n, SameTens{}, a.stream);
                         },
                         [](Ints keys, Ints in) {
                             return serial_by_key(keys, in, Plus{}, SameTens{}, true, 0);
                         }});
        calls.push_back({"ExclusiveScanByKey", form, true,
                         [in_place](Args a) {
                             return DeviceScan::ExclusiveScanByKey(
                                 a.temp, a.bytes, a.keys, in_place ? a.out : a.in, a.out, kCallOp,
                                 kCallInit, a.n, Equal{}, a.stream);
                         },
                         [](Ints keys, Ints in) {
                             return serial_by_key(keys, in, kCallOp, Equal{}, false, kCallInit);
                         }});
        calls.push_back({"InclusiveScanByKey", form, true,
                         [in_place](Args a) {
                             return DeviceScan::InclusiveScanByKey(
                                 a.temp, a.bytes, a.keys, in_place ? a.out : a.in, a.out, kCallOp,
                                 a.n, SameTens{}, a.stream);
                         },
                         [](Ints keys, Ints in) {
                             return serial_by_key(keys, in, kCallOp, SameTens{}, true, 0);
                         }});
    }
    return calls;
}

// Which call it is, and how.
inline std::string describe(const ScanCall& call, long long n) {
    return std::string(call.name) +
           (call.by_key && call.form == Form::kInPlace ? " in place" : "") + " of " +
           std::to_string(n);
}

}  // namespace scan_test
