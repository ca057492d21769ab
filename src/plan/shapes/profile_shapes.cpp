// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/shapes/profile_shapes.h"

#include "backends/empty_tensors.h"
#include "base/error.h"

#include <algorithm>

namespace tenon {
namespace {

using Inputs = std::vector<ShapeProgram::Input>;

bool areSame(Inputs const& a, Inputs const& b) {
    auto const isSame = [](auto const& x, auto const& y) { return x.dims == y.dims && !x.host && !y.host; };
    return std::ranges::equal(a, b, isSame);
}

/// Those of another point with the same inputs: most networks of thousands of nodes are static.
ShapeProgram::Shapes shapesAt(Graph const& graph, Profile const& profile, ShapeProgram const& program,
                              ProfilePoint point, ShapeProgram::Shapes const& atMin) {
    Inputs const inputs = inputsAt(graph, profile, point);
    return areSame(inputs, inputsAt(graph, profile, ProfilePoint::Min)) ? atMin : program.evaluate(inputs);
}

} // namespace

ProfileShapes::ProfileShapes(Graph const& graph, Profile const& profile)
    : program_(graph), min_(program_.evaluate(inputsAt(graph, profile, ProfilePoint::Min))),
      opt_(shapesAt(graph, profile, program_, ProfilePoint::Opt, min_)),
      max_(shapesAt(graph, profile, program_, ProfilePoint::Max, min_)),
      bounds_(graph, profile, {&min_, &opt_, &max_}) {}

ShapeProgram::Shapes const& ProfileShapes::at(ProfilePoint point) const {
    if (point == ProfilePoint::Min) return min_;
    return point == ProfilePoint::Opt ? opt_ : max_;
}

ShapeProgram::Shapes ProfileShapes::largest() const {
    ShapeProgram::Shapes shapes = max_;
    shapes.dims = bounds_.most();
    return shapes;
}

std::vector<Dims> ProfileShapes::pick(std::vector<Tensor*> const& tensors, std::vector<Dims> const& dims) const {
    std::vector<Dims> picked;
    for (Tensor const* tensor : tensors)
        picked.push_back(tensor ? dims[static_cast<size_t>(program_.numberOf(tensor))] : Dims());
    return picked;
}

std::vector<Dims> ProfileShapes::dimsOf(std::vector<Tensor*> const& tensors, ProfilePoint point) const {
    return pick(tensors, at(point).dims);
}

NodeDims ProfileShapes::dimsAt(Node const& node, ProfilePoint point) const {
    return {dimsOf(node.inputs(), point), dimsOf(node.outputs(), point)};
}

ProfilePoint ProfileShapes::pointFor(Node const& node) const {
    NodeDims const dims = dimsAt(node, ProfilePoint::Opt);
    return anyEmpty(dims.inputs) || anyEmpty(dims.outputs) ? ProfilePoint::Max : ProfilePoint::Opt;
}

NodeDims ProfileShapes::dimsFor(Node const& node) const {
    ProfilePoint const point = pointFor(node);
    auto const fitted = isOpen(node) ? fittedDims(node, program_, at(point)) : std::nullopt;
    return fitted ? *fitted : dimsAt(node, point);
}

NodeDims ProfileShapes::exactDimsFor(Node const& node) const {
    ProfilePoint const point = pointFor(node);
    if (!isOpen(node)) return dimsAt(node, point);
    if (auto const fitted = fittedDims(node, program_, at(point))) return *fitted;
    fail(ErrorCode::Unsupported, node, ": extents of its inputs are known at run time only (planned as ",
         joined(dimsAt(node, point).inputs),
         "), and none were found that fit its weights; check these, or pass the shape as a constant");
}

bool ProfileShapes::isOpen(Node const& node) const {
    return std::ranges::any_of(node.inputs(), [&](Tensor const* input) {
        return input && max_.bounded[static_cast<size_t>(program_.numberOf(input))] != 0;
    });
}

std::vector<NodeDims> ProfileShapes::largestFor(Node const& node) const {
    auto const of = [&](std::vector<Dims> const& dims) {
        return NodeDims{pick(node.inputs(), dims), pick(node.outputs(), dims)};
    };
    std::vector<NodeDims> all{of(max_.dims)};
    NodeDims const most = of(bounds_.most());
    if (all.front() == most) return all;
    for (auto const* shapes : {&min_, &opt_}) all.push_back(of(shapes->dims));
    if (bounds_.goTogether(node, program_)) all.push_back(most);
    return all;
}

PortRanges ProfileShapes::rangesOf(Node const& node) const {
    auto const portsOf = [&](std::vector<Tensor*> const& tensors) {
        auto const min = pick(tensors, bounds_.least());
        auto const opt = pick(tensors, opt_.dims);
        auto const max = pick(tensors, bounds_.most());
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
