// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/read_sizes.h"

#include "base/error.h"
#include "graph/reformat.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tenon {
namespace {

size_t at(int number) { return static_cast<size_t>(number); }

Tensor const& tensorAt(Engine const& engine, int number) { return *engine.plan().graph.tensors()[at(number)]; }

int64_t readInteger(void const* data, DataType type) {
    if (type == DataType::Int32) return *static_cast<int32_t const*>(data);
    if (type == DataType::Int64) return *static_cast<int64_t const*>(data);
    fail(ErrorCode::Plugin, "a size tensor is ", type, "; expected int32 or int64");
}

/// A tensor after the run of a segment, as a linear one on the host, whatever its label.
Literal elementsOf(Backend const& backend, Tensor const& tensor, Dims const& dims, void const* data, void* stream) {
    Label label = tensor.label;
    auto memory = allocateHost(bytesOf(dims, label));
    backend.copy(memory.get(), data, bytesOf(dims, label), stream);
    backend.synchronize(stream);
    label.device = Device::Cpu;
    Label const plain{tensor.type, Format::linear(), Device::Cpu};
    if (label != plain) {
        auto const packed = std::exchange(memory, allocateHost(bytesOf(dims, plain)));
        reformat(dims, label, packed.get(), plain, memory.get());
    }
    return Literal::borrowed(tensor.type, dims, memory.get(), memory);
}

} // namespace

void SizesRead::readSizes(Engine const& engine, Segment const& segment, Node const& node, void* stream) {
    for (SizeTensor const& size : engine.shapeProgram().sizesOf(node, segment.shapes())) {
        Tensor const* tensor = node.output(static_cast<int>(size.output));
        int64_t bytes = 0;
        void const* const data = segment.dataOf(engine.shapeProgram().numberOf(tensor));
        engine.backend().copy(&bytes, data, bitsOf(tensor->label.type) / 8, stream);
        engine.backend().synchronize(stream);
        int64_t const value = readInteger(&bytes, tensor->label.type);
        int64_t const most = size.upper.constantOr(INT64_MAX);
        if (value < 0)
            fail(ErrorCode::Plugin, node, ": size tensor ", tensor->name, " is ", value, "; expected 0 or more");
        if (value > most)
            fail(ErrorCode::Plugin, node, ": size tensor ", tensor->name, " is ", value,
                 "; the plugin declared at most ", most, " for inputs of these shapes");
        known_.sizes[size.symbol] = value;
        key_.push_back(value);
    }
}

void SizesRead::readElements(Engine const& engine, Segment const& segment, int number, void* stream) {
    Literal const elements = elementsOf(engine.backend(), tensorAt(engine, number), segment.shapes().dims[at(number)],
                                        segment.dataOf(number), stream);
    key_.insert(key_.end(), {number, static_cast<int64_t>(elements.bytes())}); // an empty tensor is part of the key too
    auto const* const bytes = static_cast<std::byte const*>(elements.data());
    for (size_t i = 0; i < elements.bytes(); i += sizeof(int64_t)) {
        int64_t part = 0;
        std::memcpy(&part, bytes + i, std::min(sizeof(part), elements.bytes() - i));
        key_.push_back(part);
    }
    known_.elements.insert_or_assign(number, elements);
}

void SizesRead::read(Engine const& engine, Segment const& segment, void* stream) {
    for (Node const* node : segment.plan().sized) readSizes(engine, segment, *node, stream);
    for (int const number : segment.plan().elements) readElements(engine, segment, number, stream);
}

void expectNoneReadsSizes(Segment const& segment, Bindings const& bindings) {
    constexpr std::string_view kWhy =
        ", and a run must wait for them; a stream that is being recorded (a CUDA graph) cannot wait";
    SegmentPlan const& plan = segment.plan();
    if (!plan.elements.empty())
        fail(ErrorCode::InvalidState, "the elements of ", tensorAt(bindings.engine(), plan.elements.front()).name,
             " decide shapes", kWhy, ": run without recording");
    Node const& node = *plan.sized.back();
    if (!segment.isLast())
        fail(ErrorCode::InvalidState, node, ": the shapes of later steps depend on its results", kWhy,
             ": record an engine that ends here, or run without recording");
    for (Binding const& io : bindings.all()) {
        if (!io.isInput && io.sink && segment.shapes().bounded[at(io.number)])
            fail(ErrorCode::InvalidState, node, ": the size of output ", io.tensor->name, " depends on its results",
                 kWhy, ": set memory for its largest size with setTensorAddress, and no output allocator");
    }
}

} // namespace tenon
