// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/delivery.h"

#include <cstring>

namespace tenon {
namespace {

size_t at(int number) { return static_cast<size_t>(number); }

void deliverOne(Backend const& backend, Binding const& io, void const* data, Dims const& dims, void* stream) {
    size_t const bytes = bytesOf(dims, io.tensor->label);
    void* to = io.data;
    if (io.sink) to = io.allocateBySink(bytes);
    if (to == nullptr && io.tensor->onHost) return; // applications may query shape tensors by other methods
    if (to == nullptr && bytes != 0) io.failForAddress();
    if (io.tensor->onHost && bytes != 0)
        std::memmove(to, data, bytes);
    else
        backend.copy(to, data, bytes, stream);
    if (io.sink) io.sink->shapeIs(io.tensor->name, dims);
}

/// The data of an output that is known without a step: an input, a constant or a shape tensor.
void const* fixedData(Bindings const& bindings, Binding const& io, Segment const& segment,
                      ShapeProgram::Shapes const& actual) {
    if (!io.tensor->producer()) return bindings.of(io.tensor).data;  // the binding of the input, which comes first
    if (io.tensor->onHost) return actual.host[at(io.number)].data(); // at the sizes that are known now
    return segment.dataOf(io.number);
}

bool isFixed(Tensor const& output) {
    return !output.producer() || output.producer()->layer->constant() || output.onHost;
}

} // namespace

void deliver(Bindings const& bindings, Segment const& segment, ShapeProgram::Shapes const& actual, void* stream) {
    Backend const& backend = bindings.engine().backend();
    for (Binding const& io : bindings.all()) {
        if (io.isInput) continue;
        Dims const& dims = actual.dims[at(io.number)];
        bool const isWritten = segment.writes(io.number);
        if (isWritten && segment.shapes().bounded[at(io.number)])
            deliverOne(backend, io, segment.dataOf(io.number), dims, stream);
        else if (isWritten && io.sink)
            io.sink->shapeIs(io.tensor->name, dims);
        else if (!isWritten && segment.isLast() && isFixed(*io.tensor))
            deliverOne(backend, io, fixedData(bindings, io, segment, actual), dims, stream);
    }
}

} // namespace tenon
