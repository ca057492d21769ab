// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "capture.h"
#include "export.h"

namespace hostcuda {
namespace {

Box row(size_t bytes) { return {bytes, 1, 1}; }

Mark submitTo(cudaStream_t handle, Copy const& copy) {
    auto const stream = findStream(handle);
    check(copy);
    return copy.box.isEmpty() ? stream->end() : submit(stream, copy);
}

Mark submitTo(cudaStream_t handle, Fill const& fill) {
    auto const stream = findStream(handle);
    check(fill);
    return fill.box.isEmpty() ? stream->end() : submit(stream, fill);
}

Mark copy(Place to, Place from, Box box, cudaMemcpyKind kind, cudaStream_t stream) {
    return submitTo(stream, Copy{to, from, box, kind});
}

Mark fill(Place to, int value, Box box, cudaStream_t stream) {
    return submitTo(stream, Fill{to, static_cast<unsigned>(value), 1, box});
}

Mark copy3D(cudaMemcpy3DParms const* p, cudaStream_t stream) {
    require(p != nullptr);
    return submitTo(stream, copyOf(*p));
}

Mark copy3DPeer(cudaMemcpy3DPeerParms const* p, cudaStream_t stream) {
    require(p != nullptr);
    require(p->srcDevice == 0 && p->dstDevice == 0, cudaErrorInvalidDevice);
    cudaMemcpy3DParms const same{p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                                 p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDeviceToDevice};
    return copy3D(&same, stream);
}

Mark copyPeer(Place to, int toDevice, Place from, int fromDevice, size_t count, cudaStream_t stream) {
    require(toDevice == 0 && fromDevice == 0, cudaErrorInvalidDevice);
    return copy(to, from, row(count), cudaMemcpyDeviceToDevice, stream);
}

Mark fill3D(cudaPitchedPtr memory, int value, cudaExtent extent, cudaStream_t stream) {
    return submitTo(stream, fillOf(memory, value, extent));
}

// Runs the body of a call that waits for its work in stream 0.
template <class Body> cudaError_t callNow(Body&& body) {
    return call([&] {
        refuseWhileCaptured(*findStream(nullptr));
        waitFor(body());
    });
}

} // namespace
} // namespace hostcuda

using namespace hostcuda;

CUDART_ON_ZERO(cudaMemcpy, (void* dst, void const* src, size_t count, cudaMemcpyKind kind), (dst, src, count, kind)) {
    return callNow([&] { return copy(Place::row(dst), Place::row(src), row(count), kind, nullptr); });
}

CUDART_ON_STREAM(cudaMemcpyAsync, (void* dst, void const* src, size_t count, cudaMemcpyKind kind, cudaStream_t stream),
                 (dst, src, count, kind, stream)) {
    return call([&] { copy(Place::row(dst), Place::row(src), row(count), kind, stream); });
}

CUDART(cudaMemcpyPeer)(void* dst, int dstDevice, void const* src, int srcDevice, size_t count) {
    return callNow([&] { return copyPeer(Place::row(dst), dstDevice, Place::row(src), srcDevice, count, nullptr); });
}

CUDART(cudaMemcpyPeerAsync)
(void* dst, int dstDevice, void const* src, int srcDevice, size_t count, cudaStream_t stream) {
    return call([&] { copyPeer(Place::row(dst), dstDevice, Place::row(src), srcDevice, count, stream); });
}

CUDART_ON_ZERO(cudaMemcpy2D,
               (void* dst, size_t dpitch, void const* src, size_t spitch, size_t width, size_t height,
                cudaMemcpyKind kind),
               (dst, dpitch, src, spitch, width, height, kind)) {
    return callNow([&] {
        return copy(Place::rows(dst, dpitch), Place::rows(src, spitch), {width, height, 1}, kind, nullptr);
    });
}

CUDART_ON_STREAM(cudaMemcpy2DAsync,
                 (void* dst, size_t dpitch, void const* src, size_t spitch, size_t width, size_t height,
                  cudaMemcpyKind kind, cudaStream_t stream),
                 (dst, dpitch, src, spitch, width, height, kind, stream)) {
    return call([&] { copy(Place::rows(dst, dpitch), Place::rows(src, spitch), {width, height, 1}, kind, stream); });
}

CUDART_ON_ZERO(cudaMemcpy3D, (cudaMemcpy3DParms const* p), (p)) {
    return callNow([&] { return copy3D(p, nullptr); });
}

CUDART_ON_STREAM(cudaMemcpy3DAsync, (cudaMemcpy3DParms const* p, cudaStream_t stream), (p, stream)) {
    return call([&] { copy3D(p, stream); });
}

CUDART_ON_ZERO(cudaMemcpy3DPeer, (cudaMemcpy3DPeerParms const* p), (p)) {
    return callNow([&] { return copy3DPeer(p, nullptr); });
}

CUDART_ON_STREAM(cudaMemcpy3DPeerAsync, (cudaMemcpy3DPeerParms const* p, cudaStream_t stream), (p, stream)) {
    return call([&] { copy3DPeer(p, stream); });
}

CUDART_ON_ZERO(cudaMemset, (void* devPtr, int value, size_t count), (devPtr, value, count)) {
    return callNow([&] { return fill(Place::row(devPtr), value, row(count), nullptr); });
}

CUDART_ON_STREAM(cudaMemsetAsync, (void* devPtr, int value, size_t count, cudaStream_t stream),
                 (devPtr, value, count, stream)) {
    return call([&] { fill(Place::row(devPtr), value, row(count), stream); });
}

CUDART_ON_ZERO(cudaMemset2D, (void* devPtr, size_t pitch, int value, size_t width, size_t height),
               (devPtr, pitch, value, width, height)) {
    return callNow([&] { return fill(Place::rows(devPtr, pitch), value, {width, height, 1}, nullptr); });
}

CUDART_ON_STREAM(cudaMemset2DAsync,
                 (void* devPtr, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream),
                 (devPtr, pitch, value, width, height, stream)) {
    return call([&] { fill(Place::rows(devPtr, pitch), value, {width, height, 1}, stream); });
}

CUDART_ON_ZERO(cudaMemset3D, (cudaPitchedPtr pitchedDevPtr, int value, cudaExtent extent),
               (pitchedDevPtr, value, extent)) {
    return callNow([&] { return fill3D(pitchedDevPtr, value, extent, nullptr); });
}

CUDART_ON_STREAM(cudaMemset3DAsync, (cudaPitchedPtr pitchedDevPtr, int value, cudaExtent extent, cudaStream_t stream),
                 (pitchedDevPtr, value, extent, stream)) {
    return call([&] { fill3D(pitchedDevPtr, value, extent, stream); });
}
