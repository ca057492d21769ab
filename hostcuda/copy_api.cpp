// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "copy.h"
#include "export.h"
#include "refusal.h"
#include "status.h"

namespace hostcuda {
namespace {

Box row(size_t bytes) { return {bytes, 1, 1}; }

Place placeOf(cudaPitchedPtr const& memory, cudaPos position) {
    size_t slice = 0, offset = 0, rows = 0;
    bool const overflow =
        __builtin_mul_overflow(memory.pitch, memory.ysize, &slice) ||
        __builtin_mul_overflow(slice, position.z, &offset) || __builtin_mul_overflow(memory.pitch, position.y, &rows) ||
        __builtin_add_overflow(offset, rows, &offset) || __builtin_add_overflow(offset, position.x, &offset);
    require(memory.ptr != nullptr && !overflow);
    return {static_cast<char*>(memory.ptr) + offset, memory.pitch, slice};
}

// A slice has the rows, or there is one slice only and its size is left open.
bool holdsRows(cudaPitchedPtr const& memory, Box box) {
    return memory.ysize >= box.height || (box.depth == 1 && memory.ysize == 0);
}

Mark copy3D(cudaMemcpy3DParms const* p, cudaStream_t stream) {
    require(p != nullptr);
    if (p->srcArray != nullptr || p->dstArray != nullptr) refuseArrays("cudaMemcpy3D");
    Box const box{p->extent.width, p->extent.height, p->extent.depth};
    Place const to = placeOf(p->dstPtr, p->dstPos), from = placeOf(p->srcPtr, p->srcPos);
    bool const fits = box.isEmpty() || (holdsRows(p->dstPtr, box) && holdsRows(p->srcPtr, box));
    require(fits, box.depth > 1 ? cudaErrorInvalidPitchValue : cudaErrorInvalidValue);
    return copy(to, from, box, p->kind, stream);
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
    Box const box{extent.width, extent.height, extent.depth};
    require(box.isEmpty() || holdsRows(memory, box));
    return fill(placeOf(memory, {0, 0, 0}), value, box, stream);
}

} // namespace
} // namespace hostcuda

using namespace hostcuda;

CUDART_ON_ZERO(cudaMemcpy, (void* dst, void const* src, size_t count, cudaMemcpyKind kind), (dst, src, count, kind)) {
    return call([&] { waitFor(copy(Place::row(dst), Place::row(src), row(count), kind, nullptr)); });
}

CUDART_ON_STREAM(cudaMemcpyAsync, (void* dst, void const* src, size_t count, cudaMemcpyKind kind, cudaStream_t stream),
                 (dst, src, count, kind, stream)) {
    return call([&] { copy(Place::row(dst), Place::row(src), row(count), kind, stream); });
}

CUDART(cudaMemcpyPeer)(void* dst, int dstDevice, void const* src, int srcDevice, size_t count) {
    return call([&] { waitFor(copyPeer(Place::row(dst), dstDevice, Place::row(src), srcDevice, count, nullptr)); });
}

CUDART(cudaMemcpyPeerAsync)
(void* dst, int dstDevice, void const* src, int srcDevice, size_t count, cudaStream_t stream) {
    return call([&] { copyPeer(Place::row(dst), dstDevice, Place::row(src), srcDevice, count, stream); });
}

CUDART_ON_ZERO(cudaMemcpy2D,
               (void* dst, size_t dpitch, void const* src, size_t spitch, size_t width, size_t height,
                cudaMemcpyKind kind),
               (dst, dpitch, src, spitch, width, height, kind)) {
    return call([&] {
        waitFor(copy(Place::rows(dst, dpitch), Place::rows(src, spitch), {width, height, 1}, kind, nullptr));
    });
}

CUDART_ON_STREAM(cudaMemcpy2DAsync,
                 (void* dst, size_t dpitch, void const* src, size_t spitch, size_t width, size_t height,
                  cudaMemcpyKind kind, cudaStream_t stream),
                 (dst, dpitch, src, spitch, width, height, kind, stream)) {
    return call([&] { copy(Place::rows(dst, dpitch), Place::rows(src, spitch), {width, height, 1}, kind, stream); });
}

CUDART_ON_ZERO(cudaMemcpy3D, (cudaMemcpy3DParms const* p), (p)) {
    return call([&] { waitFor(copy3D(p, nullptr)); });
}

CUDART_ON_STREAM(cudaMemcpy3DAsync, (cudaMemcpy3DParms const* p, cudaStream_t stream), (p, stream)) {
    return call([&] { copy3D(p, stream); });
}

CUDART_ON_ZERO(cudaMemcpy3DPeer, (cudaMemcpy3DPeerParms const* p), (p)) {
    return call([&] { waitFor(copy3DPeer(p, nullptr)); });
}

CUDART_ON_STREAM(cudaMemcpy3DPeerAsync, (cudaMemcpy3DPeerParms const* p, cudaStream_t stream), (p, stream)) {
    return call([&] { copy3DPeer(p, stream); });
}

CUDART_ON_ZERO(cudaMemset, (void* devPtr, int value, size_t count), (devPtr, value, count)) {
    return call([&] { waitFor(fill(Place::row(devPtr), value, row(count), nullptr)); });
}

CUDART_ON_STREAM(cudaMemsetAsync, (void* devPtr, int value, size_t count, cudaStream_t stream),
                 (devPtr, value, count, stream)) {
    return call([&] { fill(Place::row(devPtr), value, row(count), stream); });
}

CUDART_ON_ZERO(cudaMemset2D, (void* devPtr, size_t pitch, int value, size_t width, size_t height),
               (devPtr, pitch, value, width, height)) {
    return call([&] { waitFor(fill(Place::rows(devPtr, pitch), value, {width, height, 1}, nullptr)); });
}

CUDART_ON_STREAM(cudaMemset2DAsync,
                 (void* devPtr, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream),
                 (devPtr, pitch, value, width, height, stream)) {
    return call([&] { fill(Place::rows(devPtr, pitch), value, {width, height, 1}, stream); });
}

CUDART_ON_ZERO(cudaMemset3D, (cudaPitchedPtr pitchedDevPtr, int value, cudaExtent extent),
               (pitchedDevPtr, value, extent)) {
    return call([&] { waitFor(fill3D(pitchedDevPtr, value, extent, nullptr)); });
}

CUDART_ON_STREAM(cudaMemset3DAsync, (cudaPitchedPtr pitchedDevPtr, int value, cudaExtent extent, cudaStream_t stream),
                 (pitchedDevPtr, value, extent, stream)) {
    return call([&] { fill3D(pitchedDevPtr, value, extent, stream); });
}
