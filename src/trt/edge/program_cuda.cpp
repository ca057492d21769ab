// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/edge/program_cuda.h"

#include "base/error.h"

#include <dlfcn.h>

namespace tenon::trt {
namespace {

template <class Function> void lookUp(Function& function, char const* name, char const* otherwise = nullptr) {
    function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
    if (!function && otherwise) lookUp(function, otherwise);
}

void expectSuccess(int status, char const* what) {
    if (status != 0) fail(ErrorCode::Device, what, " returned CUDA error ", status);
}

/// The first fields of the runtime's cudaPointerAttributes, in all its versions.
struct PointerAttributes {
    int type = 0;
    int device = 0;
    void* devicePointer = nullptr;
    void* hostPointer = nullptr;
    char later[96] = {};
};
constexpr int kDeviceMemory = 2;

constexpr int kRelaxed = 2;              // cudaStreamCaptureModeRelaxed
constexpr unsigned kNonBlocking = 1;     // cudaStreamNonBlocking
constexpr unsigned kNotSynchronized = 1; // cudaUserObjectNoDestructorSync
constexpr unsigned kMove = 1;            // cudaGraphUserObjectMove
constexpr int kLaunchFailure = 719;      // cudaErrorLaunchFailure

int runWork(void* work) { return static_cast<GraphWork*>(work)->run() ? 0 : kLaunchFailure; }
void destroyWork(void* work) { delete static_cast<GraphWork*>(work); }

} // namespace

ProgramCuda ProgramCuda::find() {
    ProgramCuda cuda;
    lookUp(cuda.synchronizeStream_, "cudaStreamSynchronize");
    lookUp(cuda.recordEvent_, "cudaEventRecord");
    lookUp(cuda.peekAtLastError_, "cudaPeekAtLastError");
    lookUp(cuda.errorName_, "cudaGetErrorName");
    lookUp(cuda.pointerAttributes_, "cudaPointerGetAttributes");
    lookUp(cuda.isCapturing_, "cudaStreamIsCapturing");
    lookUp(cuda.captureInfo_, "cudaStreamGetCaptureInfo_v2", "cudaStreamGetCaptureInfo"); // the latter from 13 on
    lookUp(cuda.makeStream_, "cudaStreamCreateWithFlags");
    lookUp(cuda.destroyStream_, "cudaStreamDestroy");
    lookUp(cuda.exchangeMode_, "cudaThreadExchangeStreamCaptureMode");
    // NVIDIA's runtime ignores the function's result, and forbids it to call CUDA.
    lookUp(cuda.launch_, "hostcudaLaunchWork", "cudaLaunchHostFunc");
    lookUp(cuda.makeObject_, "cudaUserObjectCreate");
    lookUp(cuda.retain_, "cudaGraphRetainUserObject");
    return cuda;
}

void ProgramCuda::waitFor(cudaStream_t stream) const {
    if (!stream || !synchronizeStream_) return;
    BesideCaptures const beside(*this);
    expectSuccess(synchronizeStream_(stream), "cudaStreamSynchronize");
}

void ProgramCuda::record(cudaEvent_t event, cudaStream_t stream) const {
    if (!canRecord()) fail(ErrorCode::InvalidState, "the application has no cudaEventRecord to record the event");
    expectSuccess(recordEvent_(event, stream), "cudaEventRecord");
}

bool ProgramCuda::isCapturing(cudaStream_t stream) const {
    int status = 0;
    return stream && isCapturing_ && isCapturing_(stream, &status) == 0 && status != 0;
}

void ProgramCuda::addToGraph(cudaStream_t stream, std::unique_ptr<GraphWork> work) const {
    if (!captureInfo_ || !launch_ || !makeObject_ || !retain_)
        fail(ErrorCode::Unsupported,
             "capturing an engine on the CPU in a graph requires a CUDA runtime of 11.4 or later");
    int status = 0;
    unsigned long long id = 0;
    void* graph = nullptr;
    void* object = nullptr;
    expectSuccess(captureInfo_(stream, &status, &id, &graph, nullptr, nullptr, nullptr), "cudaStreamGetCaptureInfo");
    if (graph == nullptr)
        fail(ErrorCode::InvalidState, "the capture of the stream has already failed; end it with cudaStreamEndCapture");
    expectSuccess(makeObject_(&object, work.get(), destroyWork, 1, kNotSynchronized), "cudaUserObjectCreate");
    GraphWork* const owned = work.release();
    expectSuccess(retain_(graph, object, 1, kMove), "cudaGraphRetainUserObject");
    expectSuccess(launch_(stream, runWork, owned), "cudaLaunchHostFunc");
}

std::shared_ptr<void> ProgramCuda::makeStream() const {
    cudaStream_t stream = nullptr;
    if (!makeStream_ || !destroyStream_) return nullptr;
    expectSuccess(makeStream_(&stream, kNonBlocking), "cudaStreamCreateWithFlags");
    return {stream, [destroy = destroyStream_](void* made) { destroy(static_cast<cudaStream_t>(made)); }};
}

ProgramCuda::BesideCaptures::BesideCaptures(ProgramCuda const& cuda) : cuda_(cuda), mode_(kRelaxed) {
    if (cuda_.exchangeMode_) cuda_.exchangeMode_(&mode_);
}

ProgramCuda::BesideCaptures::~BesideCaptures() {
    if (cuda_.exchangeMode_) cuda_.exchangeMode_(&mode_);
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
