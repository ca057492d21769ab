// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "copy.h"

#include <cstring>

#include "allocations.h"
#include "status.h"

namespace hostcuda {
namespace {

void requireKind(cudaMemcpyKind kind) {
    require(kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault, cudaErrorInvalidMemcpyDirection);
}

// Bytes from the first to the last; cudaErrorInvalidValue where that is more than there are addresses.
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

// What the place is part of, if the runtime knows it; then all of the box must be.
std::optional<Kind> check(Place place, Box box) {
    require(place.start != nullptr);
    size_t const bytes = span(place, box);
    auto const range = allocations().find(place.start);
    if (!range) return std::nullopt;
    require(range->holds(reinterpret_cast<uintptr_t>(place.start), bytes));
    return range->kind;
}

// A GPU can reach all memory that the runtime knows, on whichever side, and no other. Here, other memory may be an
// engine's; only where it faces device memory on the wrong side, the sides were clearly mixed up.
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

} // namespace

Mark copy(Place to, Place from, Box box, cudaMemcpyKind kind, cudaStream_t handle) {
    auto const stream = findStream(handle);
    if (box.isEmpty()) return stream->end();
    requireKind(kind);
    checkPitch(to, box);
    checkPitch(from, box);
    checkSides(check(to, box), check(from, box), kind);
    // Ranges that overlap have no defined result; a move gives them one.
    return stream->submit([=] {
        forEachRow(box, [&](size_t slice, size_t index) {
            std::memmove(rowOf(to, slice, index), rowOf(from, slice, index), box.width);
        });
    });
}

Mark fill(Place to, int value, Box box, cudaStream_t handle) {
    auto const stream = findStream(handle);
    if (box.isEmpty()) return stream->end();
    require(box.height <= 1 || to.pitch >= box.width);
    check(to, box);
    return stream->submit([=] {
        forEachRow(box, [&](size_t slice, size_t index) { std::memset(rowOf(to, slice, index), value, box.width); });
    });
}

} // namespace hostcuda
