// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/control_edge/control_edge.h"

#include "base/error.h"

namespace tenon {

namespace layers {
LayerEntry controlEdgeLayer() { return entryOf<ControlEdge>(); }
} // namespace layers

std::span<std::string_view const> names(ControlEdge::Role) {
    static constexpr std::string_view kNames[]{"Condition", "BranchInput",   "BranchOutput", "Recurrence", "NextValue",
                                               "TripCount", "TripCondition", "Iterator",     "LastValue",  "Gathered"};
    return kNames;
}

namespace {

using Role = ControlEdge::Role;

void expectBool(Operands const& in, std::string_view what) {
    in.expectCount(1, 1).expectOneElement(0);
    if (in[0].type != DataType::Bool)
        fail(ErrorCode::InvalidArgument, what, " is ", in[0].type, "; expected bool (add a cast)");
}

size_t axisIn(int64_t axis, int rank) {
    if (axis < 0 || axis >= rank) fail(ErrorCode::InvalidArgument, "axis is ", axis, "; expected 0 to ", rank - 1);
    return static_cast<size_t>(axis);
}

Result elementOf(ControlEdge const& edge, Operands const& in) {
    in.expectCount(1, 1).expectRank(0, 1, Dims::kMaxRank);
    Shape shape = in[0].shape;
    shape.erase(shape.begin() + static_cast<ptrdiff_t>(axisIn(edge.axis, in.rank(0))));
    return {in[0].type, std::move(shape)};
}

Result gathered(ControlEdge const& edge, Operands const& in) {
    in.expectCount(1, 2);
    if (!in.has(1))
        fail(ErrorCode::InvalidArgument, "has no length; set its second input to the number of trips, a shape tensor");
    in.expectInteger(1).expectOneElement(1);
    Shape shape = in[0].shape;
    auto const axis = static_cast<ptrdiff_t>(axisIn(edge.axis, in.rank(0) + 1));
    shape.insert(shape.begin() + axis, in.valuesOf(1, "length").front());
    return {in[0].type, std::move(shape)};
}

Result either(Operands const& in) {
    in.expectCount(2, 2).expectSameType(0, 1);
    if (in.rank(0) != in.rank(1))
        fail(ErrorCode::InvalidArgument, "the branches give ", in[0].shape, " and ", in[1].shape,
             "; expected the same rank (add a shuffle)");
    Shape shape = in[0].shape;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        if (!(shape[axis] == in[1].shape[axis])) shape[axis] = in.unknown(text("taken.", axis));
    }
    return {in[0].type, std::move(shape)};
}

} // namespace

std::vector<Result> ControlEdge::infer(Operands const& in) const {
    switch (role) {
    case Role::Condition: return expectBool(in, "the condition"), std::vector<Result>();
    case Role::TripCondition: return expectBool(in, "the condition of a trip"), std::vector<Result>();
    case Role::TripCount: in.expectCount(1, 1).expectInteger(0).expectOneElement(0); return {};
    case Role::NextValue: return in.expectCount(1, 1), std::vector<Result>();
    case Role::BranchOutput: return {either(in)};
    case Role::Iterator: return {elementOf(*this, in)};
    case Role::Gathered: return {gathered(*this, in)};
    case Role::BranchInput: return in.expectCount(1, 1), std::vector<Result>{{in[0].type, in[0].shape, in[0].values}};
    case Role::Recurrence: // other iterations find other elements
    case Role::LastValue: return in.expectCount(1, 1), std::vector<Result>{{in[0].type, in[0].shape}};
    }
    fail(ErrorCode::Internal, "an unknown role");
}

void ControlEdge::reference(std::span<HostTensor const>, std::span<HostTensor const>) const {
    fail(ErrorCode::Internal, "is the edge of a part that has not become a Loop or an If");
}

} // namespace tenon
