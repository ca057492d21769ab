// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/profile_shapes.h"

#include "backends/empty_tensors.h"

namespace tenon {
namespace {

ShapeProgram::Shapes shapesAt(Plan const& plan, Profile const& profile, ShapeProgram const& program,
                              ProfilePoint point) {
    return program.evaluate(inputsAt(plan.graph, profile, point));
}

} // namespace

ProfileShapes::ProfileShapes(Plan const& plan, Profile const& profile)
    : program_(plan.graph), min_(shapesAt(plan, profile, program_, ProfilePoint::Min)),
      opt_(shapesAt(plan, profile, program_, ProfilePoint::Opt)),
      max_(shapesAt(plan, profile, program_, ProfilePoint::Max)) {}

std::vector<Dims> ProfileShapes::dimsOf(std::vector<Tensor*> const& tensors, ProfilePoint point) const {
    ShapeProgram::Shapes const& shapes = point == ProfilePoint::Min ? min_ : (point == ProfilePoint::Opt ? opt_ : max_);
    std::vector<Dims> dims;
    for (Tensor const* tensor : tensors)
        dims.push_back(tensor ? shapes.dims[static_cast<size_t>(program_.numberOf(tensor))] : Dims());
    return dims;
}

NodeDims ProfileShapes::dimsFor(Node const& node) const {
    auto const at = [&](ProfilePoint point) {
        return NodeDims{dimsOf(node.inputs(), point), dimsOf(node.outputs(), point)};
    };
    NodeDims dims = at(ProfilePoint::Opt);
    return anyEmpty(dims.inputs) || anyEmpty(dims.outputs) ? at(ProfilePoint::Max) : dims;
}

PortRanges ProfileShapes::rangesOf(Node const& node) const {
    auto const portsOf = [&](std::vector<Tensor*> const& tensors) {
        auto const min = dimsOf(tensors, ProfilePoint::Min);
        auto const opt = dimsOf(tensors, ProfilePoint::Opt);
        auto const max = dimsOf(tensors, ProfilePoint::Max);
        std::vector<PortRange> ports;
        for (size_t i = 0; i < tensors.size(); ++i) {
            Tensor const* tensor = tensors[i];
            ports.push_back(
                {tensor ? tensor->shape : Shape(), min[i], opt[i], max[i], tensor ? tensor->label : Label()});
        }
        return ports;
    };
    return {portsOf(node.inputs()), portsOf(node.outputs())};
}

PortRanges ProfileShapes::rangesOf(Node const& node, Variant const& variant) const {
    PortRanges ranges = rangesOf(node);
    for (size_t i = 0; i < ranges.inputs.size(); ++i) ranges.inputs[i].label = variant.inputs[i];
    for (size_t i = 0; i < ranges.outputs.size(); ++i) ranges.outputs[i].label = variant.outputs[i];
    return ranges;
}

} // namespace tenon
