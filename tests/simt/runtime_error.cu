// SPDX-License-Identifier: Apache-2.0
// The last error of a host thread, names and texts.
#include "runtime_testing.h"

using namespace runtime_testing;

class RuntimeError : public RuntimeTest {};

TEST_F(RuntimeError, GetLastErrorReturnsAndClears) {
    int x = 0;
    EXPECT_EQ(cudaErrorInvalidValue, cudaFree(&x));
    EXPECT_EQ(cudaErrorInvalidValue, cudaGetLastError());
    EXPECT_EQ(cudaSuccess, cudaGetLastError());
}

TEST_F(RuntimeError, PeekDoesNotClear) {
    EXPECT_EQ(cudaErrorInvalidDevice, cudaSetDevice(12345));
    EXPECT_EQ(cudaErrorInvalidDevice, cudaPeekAtLastError());
    EXPECT_EQ(cudaErrorInvalidDevice, cudaPeekAtLastError());
    EXPECT_EQ(cudaErrorInvalidDevice, cudaGetLastError());
    EXPECT_EQ(cudaSuccess, cudaPeekAtLastError());
}

TEST_F(RuntimeError, SuccessDoesNotClear) {
    int x = 0;
    EXPECT_EQ(cudaErrorInvalidValue, cudaFree(&x));
    void* p = nullptr;
    EXPECT_OK(cudaMalloc(&p, 16));
    EXPECT_OK(cudaFree(p));
    EXPECT_OK(cudaDeviceSynchronize());
    EXPECT_EQ(cudaErrorInvalidValue, cudaGetLastError());
}

TEST_F(RuntimeError, ALaterErrorReplacesAnEarlierOne) {
    int x = 0;
    EXPECT_EQ(cudaErrorInvalidValue, cudaFree(&x));
    EXPECT_EQ(cudaErrorInvalidDevice, cudaSetDevice(12345));
    EXPECT_EQ(cudaErrorInvalidDevice, cudaGetLastError());
}

TEST_F(RuntimeError, IsKeptPerHostThread) {
    int x = 0;
    EXPECT_EQ(cudaErrorInvalidValue, cudaFree(&x));
    in_another_thread([] {
        EXPECT_EQ(cudaSuccess, cudaPeekAtLastError());
        EXPECT_EQ(cudaErrorInvalidDevice, cudaSetDevice(12345));
        EXPECT_EQ(cudaErrorInvalidDevice, cudaGetLastError());
    });
    EXPECT_EQ(cudaErrorInvalidValue, cudaGetLastError());
}

TEST_F(RuntimeError, ALaunchThatIsRefusedSetsIt) {
    EXPECT_EQ(cudaErrorInvalidValue,
              launch(&add_kernel, dim3(0), dim3(32), 0, nullptr, nullptr, 0, 0));
    EXPECT_EQ(cudaErrorInvalidValue, cudaGetLastError());
}

TEST_F(RuntimeError, NamesAndTexts) {
    EXPECT_STREQ("cudaSuccess", cudaGetErrorName(cudaSuccess));
    EXPECT_STREQ("no error", cudaGetErrorString(cudaSuccess));
    EXPECT_STREQ("cudaErrorInvalidValue", cudaGetErrorName(cudaErrorInvalidValue));
    EXPECT_STREQ("invalid argument", cudaGetErrorString(cudaErrorInvalidValue));
    EXPECT_STREQ("cudaErrorMemoryAllocation", cudaGetErrorName(cudaErrorMemoryAllocation));
    EXPECT_STREQ("out of memory", cudaGetErrorString(cudaErrorMemoryAllocation));
    EXPECT_STREQ("invalid configuration argument",
                 cudaGetErrorString(cudaErrorInvalidConfiguration));
    EXPECT_STREQ("invalid device ordinal", cudaGetErrorString(cudaErrorInvalidDevice));
    EXPECT_STREQ("invalid resource handle", cudaGetErrorString(cudaErrorInvalidResourceHandle));
    EXPECT_STREQ("unspecified launch failure", cudaGetErrorString(cudaErrorLaunchFailure));
    EXPECT_STREQ("operation not permitted when stream is capturing",
                 cudaGetErrorString(cudaErrorStreamCaptureUnsupported));
    EXPECT_STREQ("unrecognized error code", cudaGetErrorString(static_cast<cudaError_t>(777)));
    EXPECT_STREQ("unrecognized error code", cudaGetErrorName(static_cast<cudaError_t>(777)));
}

TEST_F(RuntimeError, CodesAreThoseOfCuda) {
    EXPECT_EQ(0, static_cast<int>(cudaSuccess));
    EXPECT_EQ(1, static_cast<int>(cudaErrorInvalidValue));
    EXPECT_EQ(2, static_cast<int>(cudaErrorMemoryAllocation));
    EXPECT_EQ(9, static_cast<int>(cudaErrorInvalidConfiguration));
    EXPECT_EQ(21, static_cast<int>(cudaErrorInvalidMemcpyDirection));
    EXPECT_EQ(98, static_cast<int>(cudaErrorInvalidDeviceFunction));
    EXPECT_EQ(100, static_cast<int>(cudaErrorNoDevice));
    EXPECT_EQ(101, static_cast<int>(cudaErrorInvalidDevice));
    EXPECT_EQ(400, static_cast<int>(cudaErrorInvalidResourceHandle));
    EXPECT_EQ(401, static_cast<int>(cudaErrorIllegalState));
    EXPECT_EQ(600, static_cast<int>(cudaErrorNotReady));
    EXPECT_EQ(700, static_cast<int>(cudaErrorIllegalAddress));
    EXPECT_EQ(719, static_cast<int>(cudaErrorLaunchFailure));
    EXPECT_EQ(800, static_cast<int>(cudaErrorNotPermitted));
    EXPECT_EQ(801, static_cast<int>(cudaErrorNotSupported));
    EXPECT_EQ(900, static_cast<int>(cudaErrorStreamCaptureUnsupported));
    EXPECT_EQ(901, static_cast<int>(cudaErrorStreamCaptureInvalidated));
    EXPECT_EQ(902, static_cast<int>(cudaErrorStreamCaptureMerge));
    EXPECT_EQ(903, static_cast<int>(cudaErrorStreamCaptureUnmatched));
    EXPECT_EQ(904, static_cast<int>(cudaErrorStreamCaptureUnjoined));
    EXPECT_EQ(905, static_cast<int>(cudaErrorStreamCaptureIsolation));
    EXPECT_EQ(906, static_cast<int>(cudaErrorStreamCaptureImplicit));
    EXPECT_EQ(907, static_cast<int>(cudaErrorCapturedEvent));
    EXPECT_EQ(908, static_cast<int>(cudaErrorStreamCaptureWrongThread));
    EXPECT_EQ(999, static_cast<int>(cudaErrorUnknown));
}
