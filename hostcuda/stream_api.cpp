// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <mutex>

#include "capture.h"
#include "export.h"
#include "handles.h"
#include "stream.h"

namespace hostcuda {
namespace {

constexpr int kLeastPriority = 0, kGreatestPriority = -5;

// Never destroyed: calls may come from the destructors of other globals.
Handles<Stream>& handles() {
    static Handles<Stream>& instance = *new Handles<Stream>;
    return instance;
}

std::shared_ptr<Stream> const& legacyStream() {
    static auto& instance = *new std::shared_ptr<Stream>(Stream::make(Stream::Order::legacy, 0));
    return instance;
}

std::shared_ptr<Stream> const& streamOfThread() {
    thread_local std::shared_ptr<Stream> const instance = Stream::make(Stream::Order::blocking, 0);
    return instance;
}

bool isDefault(cudaStream_t handle) {
    return handle == nullptr || handle == cudaStreamLegacy || handle == cudaStreamPerThread;
}

void create(cudaStream_t* result, unsigned flags, int priority) {
    require(result != nullptr && (flags & ~static_cast<unsigned>(cudaStreamNonBlocking)) == 0);
    auto const order = flags == cudaStreamNonBlocking ? Stream::Order::nonBlocking : Stream::Order::blocking;
    int const nearest = priority < kGreatestPriority ? kGreatestPriority : std::min(priority, kLeastPriority);
    *result = static_cast<cudaStream_t>(handles().add(Stream::make(order, nearest)));
}

// The attributes of a stream: stored and returned, without effect.
struct Attributes {
    std::mutex mutex;
    std::map<std::pair<uint64_t, cudaStreamAttrID>, cudaStreamAttrValue> values;
};

Attributes& attributes() {
    static Attributes& instance = *new Attributes;
    return instance;
}

} // namespace

std::shared_ptr<Stream> findStream(cudaStream_t handle) {
    if (handle == cudaStreamLegacy || (handle == nullptr && !ZeroIsThisThreads::active())) return legacyStream();
    if (handle == cudaStreamPerThread || handle == nullptr) return streamOfThread();
    return handles().find(handle);
}

} // namespace hostcuda

using namespace hostcuda;

CUDART(cudaStreamCreate)(cudaStream_t* pStream) {
    return call([&] { create(pStream, cudaStreamDefault, 0); });
}

CUDART(cudaStreamCreateWithFlags)(cudaStream_t* pStream, unsigned int flags) {
    return call([&] { create(pStream, flags, 0); });
}

CUDART(cudaStreamCreateWithPriority)(cudaStream_t* pStream, unsigned int flags, int priority) {
    return call([&] { create(pStream, flags, priority); });
}

CUDART(cudaStreamDestroy)(cudaStream_t stream) {
    return callAlways([&] {
        require(!isDefault(stream), cudaErrorInvalidResourceHandle);
        auto const removed = handles().remove(stream);
        abandonCapture(*removed);
        uint64_t const id = removed->id();
        std::lock_guard const lock(attributes().mutex);
        auto& values = attributes().values;
        std::erase_if(values, [id](auto const& entry) { return entry.first.first == id; });
    });
}

CUDART(cudaDeviceGetStreamPriorityRange)(int* leastPriority, int* greatestPriority) {
    if (leastPriority != nullptr) *leastPriority = kLeastPriority;
    if (greatestPriority != nullptr) *greatestPriority = kGreatestPriority;
    return stuck();
}

CUDART_ON_STREAM(cudaStreamGetPriority, (cudaStream_t hStream, int* priority), (hStream, priority)) {
    return call([&] {
        require(priority != nullptr);
        *priority = findStream(hStream)->priority();
    });
}

CUDART_ON_STREAM(cudaStreamGetFlags, (cudaStream_t hStream, unsigned int* flags), (hStream, flags)) {
    return call([&] {
        require(flags != nullptr);
        bool const nonBlocking = findStream(hStream)->order() == Stream::Order::nonBlocking;
        *flags = nonBlocking ? cudaStreamNonBlocking : cudaStreamDefault;
    });
}

CUDART_ON_STREAM(cudaStreamGetId, (cudaStream_t hStream, unsigned long long* streamId), (hStream, streamId)) {
    return call([&] {
        require(streamId != nullptr);
        *streamId = findStream(hStream)->id();
    });
}

CUDART_ON_STREAM(cudaStreamGetDevice, (cudaStream_t hStream, int* device), (hStream, device)) {
    return call([&] {
        require(device != nullptr);
        findStream(hStream);
        *device = 0;
    });
}

CUDART_ON_STREAM(cudaStreamCopyAttributes, (cudaStream_t dst, cudaStream_t src), (dst, src)) {
    return call([&] {
        uint64_t const from = findStream(src)->id(), to = findStream(dst)->id();
        std::lock_guard const lock(attributes().mutex);
        auto const values = attributes().values;
        for (auto const& [key, value] : values) {
            if (key.first == from) attributes().values[{to, key.second}] = value;
        }
    });
}

CUDART_ON_STREAM(cudaStreamGetAttribute, (cudaStream_t hStream, cudaStreamAttrID attr, cudaStreamAttrValue* value_out),
                 (hStream, attr, value_out)) {
    return call([&] {
        require(value_out != nullptr);
        auto const stream = findStream(hStream);
        std::lock_guard const lock(attributes().mutex);
        auto const found = attributes().values.find({stream->id(), attr});
        *value_out = found == attributes().values.end() ? cudaStreamAttrValue{} : found->second;
        if (attr == cudaStreamAttributePriority) value_out->priority = stream->priority();
    });
}

CUDART_ON_STREAM(cudaStreamSetAttribute,
                 (cudaStream_t hStream, cudaStreamAttrID attr, cudaStreamAttrValue const* value),
                 (hStream, attr, value)) {
    return call([&] {
        require(value != nullptr);
        uint64_t const id = findStream(hStream)->id();
        std::lock_guard const lock(attributes().mutex);
        attributes().values[{id, attr}] = *value;
    });
}

CUDART_ON_STREAM(cudaStreamSynchronize, (cudaStream_t stream), (stream)) {
    return call([&] {
        auto const found = findStream(stream);
        refuseWhileCaptured(*found);
        refuseUnsafe();
        for (Mark const& mark : found->ends()) waitFor(mark);
    });
}

CUDART_ON_STREAM(cudaStreamQuery, (cudaStream_t stream), (stream)) {
    return call([&] {
        auto const found = findStream(stream);
        refuseWhileCaptured(*found);
        refuseUnsafe();
        for (Mark const& mark : found->ends()) require(reached(mark), cudaErrorNotReady);
    });
}

CUDART_ON_STREAM(cudaStreamAttachMemAsync, (cudaStream_t stream, void* devPtr, size_t /*length*/, unsigned int flags),
                 (stream, devPtr, 0, flags)) {
    return call([&] {
        findStream(stream);
        require(devPtr != nullptr);
        require(flags == cudaMemAttachGlobal || flags == cudaMemAttachHost || flags == cudaMemAttachSingle);
    });
}

CUDART_ON_STREAM(cudaStreamAddCallback,
                 (cudaStream_t stream, cudaStreamCallback_t callback, void* userData, unsigned int flags),
                 (stream, callback, userData, flags)) {
    return call([&] {
        require(callback != nullptr && flags == 0);
        auto const found = findStream(stream);
        refuseWhileCaptured(*found);
        found->submitElsewhere([=] {
            CallersFunction const scope;
            callback(stream, stuck(), userData);
        });
    });
}

CUDART_ON_STREAM(cudaLaunchHostFunc, (cudaStream_t stream, cudaHostFn_t fn, void* userData), (stream, fn, userData)) {
    return call([&] {
        require(fn != nullptr);
        submit(findStream(stream), HostFunction{fn, userData});
    });
}

CUDART(cudaDeviceSynchronize)() {
    return call([] {
        refuseWhileAnyCaptured();
        waitForEverything();
    });
}
