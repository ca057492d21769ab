// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/error.h"
#include "runtime/segment.h"

#include <algorithm>

// Common parts of runs of loops and conditionals.

namespace tenon {

/// The inputs of a graph inside a node.
using BodyShapes = std::vector<ShapeProgram::Input>;

/// Assigns offsets in one block of memory, whose address is not known yet.
class BlockOffsets {
public:
    explicit BlockOffsets(size_t alignment) : alignment_(alignment) {}

    size_t add(size_t bytes) {
        size_t const offset = bytes_;
        bytes_ += (std::max<size_t>(bytes, 1) + alignment_ - 1) / alignment_ * alignment_;
        return offset;
    }
    size_t bytes() const { return bytes_; }

private:
    size_t alignment_;
    size_t bytes_ = 0;
};

/// The node around a graph, with the shapes of its tensors.
class OuterNode {
public:
    OuterNode(Engine const& engine, Engine::Step const& step, ShapeProgram::Shapes const& shapes)
        : engine_(engine), node_(*step.assignment->node), shapes_(shapes) {}

    Node const& node() const { return node_; }
    Engine const& engine() const { return engine_; }
    Dims dimsOf(Tensor const* tensor) const { return tensor ? shapes_.dims[numberOf(tensor)] : Dims(); }
    Dims inputDims(int input) const { return dimsOf(node_.input(input)); }
    Dims outputDims(size_t output) const { return dimsOf(node_.outputs()[output]); }
    bool isUnbounded(size_t output) const { return shapes_.unbounded[numberOf(node_.outputs()[output])] != 0; }
    size_t outputBytes(size_t output) const {
        return bytesOf(node_.outputs()[output]->type, outputDims(output).volume());
    }
    /// The elements of an input, if they are known with the shapes.
    Literal known(int input) const {
        Tensor const* const tensor = node_.input(input);
        return tensor ? shapes_.host[numberOf(tensor)] : Literal();
    }

    /// Waits for the stream and reads an input of one element.
    template <class T> T read(int input, Pointers const& pointers) const {
        Tensor const* const tensor = node_.input(input);
        size_t const bytes = bitsOf(tensor->type) / 8;
        std::byte element[sizeof(int64_t)] = {};
        engine_.backend().copy(element, pointers.inputs[input], bytes, pointers.stream);
        engine_.backend().synchronize(pointers.stream);
        Literal const read = Literal::borrowed(tensor->type, Dims(), element, nullptr);
        if constexpr (std::is_same_v<T, bool>)
            return read.as<bool>()[0];
        else
            return read.toInt64()[0];
    }

private:
    size_t numberOf(Tensor const* tensor) const { return static_cast<size_t>(engine_.shapeProgram().numberOf(tensor)); }

    Engine const& engine_;
    Node const& node_;
    ShapeProgram::Shapes const& shapes_;
};

/// One graph inside a node.
class InnerGraph {
public:
    explicit InnerGraph(Engine const& engine) : engine_(engine) {}

    Tensor const& input(size_t i) const { return *graph().inputs()[i]; }
    Tensor const& output(size_t i) const { return *graph().outputs()[i]; }
    size_t inputs() const { return graph().inputs().size(); }

    /// The shapes of its outputs.
    std::vector<Dims> outputDims(BodyShapes const& inputs) const {
        ShapeProgram::Shapes const shapes = engine_.shapeProgram().evaluate(inputs);
        std::vector<Dims> dims;
        for (Tensor const* output : graph().outputs())
            dims.push_back(shapes.dims[static_cast<size_t>(engine_.shapeProgram().numberOf(output))]);
        return dims;
    }
    /// Bytes of the node's workspace that a context uses; if its shapes depend on data, it has memory of its own.
    size_t memoryBytes(BodyShapes const& inputs) const {
        return engine_.isOneSegment() ? Segment::bytesAt(engine_, engine_.shapeProgram().evaluate(inputs)) : 0;
    }
    size_t outputBytes(size_t i, Dims const& dims) const { return bytesOf(output(i).type, dims.volume()); }

private:
    Graph const& graph() const { return engine_.plan().graph; }

    Engine const& engine_;
};

} // namespace tenon
