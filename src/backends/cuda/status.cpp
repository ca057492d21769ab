// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cuda/status.h"

#include "backends/cuda/machine.h"

namespace tenon::cuda {

namespace {

/// An earlier error of a kernel: the device is lost for this process.
bool isSticky(cudaError_t status) {
    return status == cudaErrorIllegalAddress || status == cudaErrorLaunchFailure || status == cudaErrorAssert ||
           status == cudaErrorMisalignedAddress || status == cudaErrorIllegalInstruction ||
           status == cudaErrorHardwareStackError || status == cudaErrorLaunchTimeout;
}

} // namespace

void check(cudaError_t status, char const* call, Found found) {
    if (status == cudaSuccess) return;
    cudaGetLastError();
    std::string advice = adviceHere(status);
    if (status == cudaErrorStreamCaptureUnsupported)
        advice = "; run the context once at these shapes before capturing it; steps that wait for values (a condition, "
                 "a step on the CPU) cannot be captured";
    if (isSticky(status)) advice = "; run with TENON_BLAME=1 to find the layer that caused it";
    fail(found, call, " returned ", cudaGetErrorName(status), " (", cudaGetErrorString(status), ')', advice);
}

} // namespace tenon::cuda
