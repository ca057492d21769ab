// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/program_cuda.h"

#include "base/error.h"

#include <dlfcn.h>

namespace tenon::trt {
namespace {

template <class Function> void lookUp(Function& function, char const* name) {
    function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

void expectSuccess(int status, char const* what) {
    if (status != 0) fail(ErrorCode::Device, what, " answered with CUDA error ", status);
}

/// How the runtime's cudaPointerAttributes begins, in all its versions.
struct PointerAttributes {
    int type = 0;
    int device = 0;
    void* devicePointer = nullptr;
    void* hostPointer = nullptr;
    char later[96] = {};
};
constexpr int kDeviceMemory = 2;

} // namespace

ProgramCuda ProgramCuda::find() {
    ProgramCuda cuda;
    lookUp(cuda.synchronizeStream_, "cudaStreamSynchronize");
    lookUp(cuda.recordEvent_, "cudaEventRecord");
    lookUp(cuda.peekAtLastError_, "cudaPeekAtLastError");
    lookUp(cuda.errorName_, "cudaGetErrorName");
    lookUp(cuda.pointerAttributes_, "cudaPointerGetAttributes");
    return cuda;
}

void ProgramCuda::waitFor(cudaStream_t stream) const {
    if (stream && synchronizeStream_) expectSuccess(synchronizeStream_(stream), "cudaStreamSynchronize");
}

void ProgramCuda::record(cudaEvent_t event, cudaStream_t stream) const {
    if (!canRecord()) fail(ErrorCode::InvalidState, "the program has no cudaEventRecord to mark the event with");
    expectSuccess(recordEvent_(event, stream), "cudaEventRecord");
}

int ProgramCuda::lastError() const { return peekAtLastError_ ? peekAtLastError_() : 0; }

std::string ProgramCuda::nameOf(int error) const {
    return errorName_ ? errorName_(error) : "CUDA error " + std::to_string(error);
}

bool ProgramCuda::isOnlyOnDevice(void const* memory) const {
    PointerAttributes attributes;
    if (memory == nullptr || !pointerAttributes_ || pointerAttributes_(&attributes, memory) != 0) return false;
    return attributes.type == kDeviceMemory && attributes.hostPointer == nullptr;
}

} // namespace tenon::trt
