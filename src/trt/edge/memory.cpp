// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "tenon/memory.h"

#include "base/literal.h"
#include "trt/edge/device.h"
#include "trt/edge/edge.h"

using tenon::Backend;
using tenon::CurrentDevice;
using tenon::ErrorCode;

struct TenonMemory {
    std::shared_ptr<void> bytes;
};

struct TenonStream {
    Backend const& backend;
    int index;
    std::shared_ptr<void> handle;
};

struct TenonMoment {
    Backend const& backend;
    int index;
    std::unique_ptr<tenon::Moment> moment;
};

namespace {

/// Null, or the text of an exception, valid until the thread's next call.
template <class Body> char const* textOfFailure(Body&& body) noexcept try {
    body();
    return nullptr;
} catch (std::exception const& error) {
    thread_local std::string kept;
    kept = error.what();
    return kept.c_str();
}

template <class T> T& there(T* object, char const* what) {
    if (object == nullptr) tenon::fail(ErrorCode::InvalidArgument, what, " is null");
    return *object;
}

/// Calls body(backend, index) with the device of this name current.
template <class Body> void onDevice(char const* name, Body&& body) {
    auto const choice = tenon::trt::deviceCalled(name);
    Backend const& backend = tenon::backendOf(choice.device);
    CurrentDevice const current(backend, choice.index);
    body(backend, choice.index);
}

/// The address requirements for inputs and outputs of engines.
std::shared_ptr<void> memoryFor(Backend const& backend, uint64_t bytes) {
    return backend.takesProgramMemory() ? backend.allocate(bytes) : tenon::allocateHost(bytes);
}

} // namespace

char const* tenonDeviceBytes(char const* device, uint64_t* bytes) noexcept {
    return textOfFailure(
        [&] { onDevice(device, [&](Backend const& backend, int) { there(bytes, "bytes") = backend.memoryBytes(); }); });
}

char const* tenonAllocate(char const* device, uint64_t bytes, TenonMemory** memory) noexcept {
    return textOfFailure([&] {
        onDevice(device, [&](Backend const& backend, int) {
            there(memory, "memory") = std::make_unique<TenonMemory>(memoryFor(backend, bytes)).release();
        });
    });
}

void tenonFree(TenonMemory* memory) noexcept { std::unique_ptr<TenonMemory> const owned(memory); }

void* tenonAddressOf(TenonMemory const* memory) noexcept { return memory ? memory->bytes.get() : nullptr; }

char const* tenonMakeStream(char const* device, TenonStream** stream) noexcept {
    return textOfFailure([&] {
        onDevice(device, [&](Backend const& backend, int index) {
            TenonStream made{backend, index, backend.makeStream()};
            there(stream, "stream") = std::make_unique<TenonStream>(std::move(made)).release();
        });
    });
}

void tenonEndStream(TenonStream* stream) noexcept { std::unique_ptr<TenonStream> const owned(stream); }

CUstream_st* tenonStreamHandle(TenonStream const* stream) noexcept {
    return stream ? static_cast<CUstream_st*>(stream->handle.get()) : nullptr;
}

char const* tenonCopy(TenonStream* stream, void* to, void const* from, uint64_t bytes) noexcept {
    return textOfFailure([&] {
        TenonStream const& in = there(stream, "stream");
        if ((to == nullptr || from == nullptr) && bytes != 0)
            tenon::fail(ErrorCode::InvalidArgument, "an address is null");
        CurrentDevice const current(in.backend, in.index);
        in.backend.copy(to, from, bytes, in.handle.get());
    });
}

char const* tenonWait(TenonStream* stream) noexcept {
    return textOfFailure([&] {
        TenonStream const& in = there(stream, "stream");
        CurrentDevice const current(in.backend, in.index);
        in.backend.synchronize(in.handle.get());
    });
}

char const* tenonMark(TenonStream* stream, TenonMoment** moment) noexcept {
    return textOfFailure([&] {
        TenonStream const& in = there(stream, "stream");
        TenonMoment*& mark = there(moment, "moment");
        CurrentDevice const current(in.backend, in.index);
        if (mark == nullptr)
            mark = std::make_unique<TenonMoment>(TenonMoment{in.backend, in.index, in.backend.makeMoment()}).release();
        if (&mark->backend != &in.backend || mark->index != in.index)
            tenon::fail(ErrorCode::InvalidArgument, "the moment was marked on another device before");
        mark->moment->mark(in.handle.get());
    });
}

char const* tenonTimeBetween(TenonMoment const* from, TenonMoment const* to, double* nanoseconds) noexcept {
    return textOfFailure([&] {
        if (from == nullptr || to == nullptr) tenon::fail(ErrorCode::InvalidState, "a moment was never marked");
        CurrentDevice const current(to->backend, to->index);
        there(nanoseconds, "nanoseconds") = to->moment->nanosecondsSince(*from->moment);
    });
}

void tenonForget(TenonMoment* moment) noexcept { std::unique_ptr<TenonMoment> const owned(moment); }
