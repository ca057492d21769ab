// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "copy.h"

#include <cstring>

#include "allocations.h"
#include "refusal.h"
#include "status.h"

namespace hostcuda {
namespace {

void requireKind(cudaMemcpyKind kind) {
    require(kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault, cudaErrorInvalidMemcpyDirection);
}

// Bytes from the first to the last; cudaErrorInvalidValue if they exceed the address space.
size_t span(Place place, Box box) {
    size_t rows = 0, slices = 0, bytes = 0;
    bool const overflow = (box.height > 1 && __builtin_mul_overflow(place.pitch, box.height - 1, &rows)) ||
                          (box.depth > 1 && __builtin_mul_overflow(place.slice, box.depth - 1, &slices)) ||
                          __builtin_add_overflow(rows, slices, &bytes) ||
                          __builtin_add_overflow(bytes, box.width, &bytes) ||
                          bytes > UINTPTR_MAX - reinterpret_cast<uintptr_t>(place.start);
    require(!overflow);
    return bytes;
}

// The allocation of the address, if the runtime knows it; then all of the box must be in it.
std::optional<Kind> check(Place place, Box box) {
    require(place.start != nullptr);
    size_t const bytes = span(place, box);
    auto const range = allocations().find(place.start);
    if (!range) return std::nullopt;
    require(range->holds(reinterpret_cast<uintptr_t>(place.start), bytes));
    return range->kind;
}

// A GPU can access all memory that the runtime knows, on either side, and no other. Here, other memory may be an
// engine's; an error is certain only if it is copied to or from device memory in the wrong direction.
void checkSides(std::optional<Kind> target, std::optional<Kind> source, cudaMemcpyKind kind) {
    if (kind == cudaMemcpyHostToDevice) require(target || source != Kind::device);
    if (kind == cudaMemcpyDeviceToHost) require(source || target != Kind::device);
}

void checkPitch(Place place, Box box) {
    if (place.pitch >= box.width || (box.height == 1 && place.pitch == 0)) return;
    throw Failure{box.height == 1 ? cudaErrorInvalidValue : cudaErrorInvalidPitchValue};
}

template <class Row> void forEachRow(Box box, Row row) {
    for (size_t slice = 0; slice < box.depth; ++slice) {
        for (size_t index = 0; index < box.height; ++index) row(slice, index);
    }
}

char* rowOf(Place place, size_t slice, size_t index) { return place.start + slice * place.slice + index * place.pitch; }

Place placeOf(cudaPitchedPtr const& memory, cudaPos position) {
    size_t slice = 0, offset = 0, rows = 0;
    bool const overflow =
        __builtin_mul_overflow(memory.pitch, memory.ysize, &slice) ||
        __builtin_mul_overflow(slice, position.z, &offset) || __builtin_mul_overflow(memory.pitch, position.y, &rows) ||
        __builtin_add_overflow(offset, rows, &offset) || __builtin_add_overflow(offset, position.x, &offset);
    require(memory.ptr != nullptr && !overflow);
    return {static_cast<char*>(memory.ptr) + offset, memory.pitch, slice};
}

// A slice has the rows, or there is one slice only and its size is not given.
bool holdsRows(cudaPitchedPtr const& memory, Box box) {
    return memory.ysize >= box.height || (box.depth == 1 && memory.ysize == 0);
}

cudaPitchedPtr pitched(Place place, Box box) {
    bool const isRow = place.pitch == SIZE_MAX;
    size_t const pitch = isRow ? box.width : place.pitch;
    size_t const rows = place.slice == SIZE_MAX || pitch == 0 ? box.height : place.slice / pitch;
    return {place.start, pitch, box.width, rows};
}

template <class Element> void fillRow(char* row, unsigned value, size_t bytes) {
    auto const element = static_cast<Element>(value);
    for (size_t at = 0; at + sizeof(element) <= bytes; at += sizeof(element))
        std::memcpy(row + at, &element, sizeof(element));
}

} // namespace

void check(Copy const& copy) {
    if (copy.box.isEmpty()) return;
    requireKind(copy.kind);
    checkPitch(copy.to, copy.box);
    checkPitch(copy.from, copy.box);
    checkSides(check(copy.to, copy.box), check(copy.from, copy.box), copy.kind);
}

void check(Fill const& fill) {
    if (fill.box.isEmpty()) return;
    require(fill.box.height <= 1 || fill.to.pitch >= fill.box.width);
    check(fill.to, fill.box);
}

// Copies of overlapping ranges are undefined; memmove defines them.
void Copy::run() const {
    forEachRow(box, [&](size_t slice, size_t index) {
        std::memmove(rowOf(to, slice, index), rowOf(from, slice, index), box.width);
    });
}

void Fill::run() const {
    forEachRow(box, [&](size_t slice, size_t index) {
        char* const row = rowOf(to, slice, index);
        if (elementBytes == 4)
            fillRow<uint32_t>(row, value, box.width);
        else if (elementBytes == 2)
            fillRow<uint16_t>(row, value, box.width);
        else
            std::memset(row, static_cast<int>(value), box.width);
    });
}

Copy copyOf(cudaMemcpy3DParms const& p) {
    if (p.srcArray != nullptr || p.dstArray != nullptr) refuseArrayCopy("cudaMemcpy3D");
    Box const box{p.extent.width, p.extent.height, p.extent.depth};
    Place const to = placeOf(p.dstPtr, p.dstPos), from = placeOf(p.srcPtr, p.srcPos);
    bool const fits = box.isEmpty() || (holdsRows(p.dstPtr, box) && holdsRows(p.srcPtr, box));
    require(fits, box.depth > 1 ? cudaErrorInvalidPitchValue : cudaErrorInvalidValue);
    return {to, from, box, p.kind};
}

Fill fillOf(cudaMemsetParams const& p) {
    require(p.elementSize == 1 || p.elementSize == 2 || p.elementSize == 4);
    size_t bytes = 0;
    require(!__builtin_mul_overflow(p.width, p.elementSize, &bytes));
    Place const to = p.height > 1 ? Place::rows(p.dst, p.pitch) : Place::row(p.dst);
    return {to, p.value, p.elementSize, {bytes, p.height, 1}};
}

Fill fillOf(cudaPitchedPtr memory, int value, cudaExtent extent) {
    Box const box{extent.width, extent.height, extent.depth};
    require(box.isEmpty() || holdsRows(memory, box));
    return {placeOf(memory, {0, 0, 0}), static_cast<unsigned>(value), 1, box};
}

cudaMemcpy3DParms parametersOf(Copy const& copy) {
    cudaMemcpy3DParms p = {};
    p.srcPtr = pitched(copy.from, copy.box);
    p.dstPtr = pitched(copy.to, copy.box);
    p.extent = {copy.box.width, copy.box.height, copy.box.depth};
    p.kind = copy.kind;
    return p;
}

cudaMemsetParams parametersOf(Fill const& fill) {
    cudaPitchedPtr const memory = pitched(fill.to, fill.box);
    return {memory.ptr,
            memory.pitch,
            fill.value,
            fill.elementBytes,
            fill.box.width / fill.elementBytes,
            fill.box.height * fill.box.depth};
}

} // namespace hostcuda
