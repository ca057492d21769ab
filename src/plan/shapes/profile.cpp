// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/shapes/profile.h"

#include "base/cast_element.h"
#include "base/error.h"
#include "base/tensor_size.h"

#include <algorithm>

namespace tenon {
namespace {

struct Point {
    std::string_view name;
    Dims const& dims;
    std::vector<int64_t> const& values;
};

Point pointOf(InputRange const& range, ProfilePoint point) {
    switch (point) {
    case ProfilePoint::Min: return {"min", range.min, range.minValues};
    case ProfilePoint::Opt: return {"opt", range.opt, range.optValues};
    case ProfilePoint::Max: return {"max", range.max, range.maxValues};
    }
    fail(ErrorCode::Internal, "an unknown profile point");
}

void checkAgainst(Tensor const& input, Dims const& dims, std::string_view point) {
    bool fits = dims.rank() == static_cast<int>(input.shape.size());
    for (int axis = 0; fits && axis < dims.rank(); ++axis)
        fits = dims[axis] >= 0 && input.shape[static_cast<size_t>(axis)].constantOr(dims[axis]) == dims[axis];
    if (!fits)
        fail(ErrorCode::InvalidArgument, "input ", input.name, " has shape ", input.shape, "; the profile's ", point,
             " ", dims, " does not fit it");
    locate([&] { return text("input ", input.name, ": the profile's ", point); },
           [&] { expectHoldable(input.type, dims); });
}

Literal hostValues(Tensor const& input, Dims const& dims, std::vector<int64_t> const& values) {
    if (static_cast<int64_t>(values.size()) != dims.volume())
        fail(ErrorCode::InvalidArgument, "input ", input.name, " is a shape tensor of ", dims.volume(),
             " elements; the profile gives ", values.size(), " values for it");
    auto const memory = allocateHost(bytesOf(input.type, dims.volume()));
    dispatch(input.type, [&]<class T>(TypeTag<T>) {
        std::ranges::transform(values, static_cast<T*>(memory.get()), castElement<int64_t, T>);
    });
    return Literal::borrowed(input.type, dims, memory.get(), memory);
}

void visitDims(Fields& f, std::string_view name, Dims& dims) {
    std::vector<int64_t> extents(dims.span().begin(), dims.span().end());
    f(name, extents);
    dims = Dims(extents);
}

} // namespace

void InputRange::fields(Fields& f) {
    visitDims(f, "min", min);
    visitDims(f, "opt", opt);
    visitDims(f, "max", max);
    f("min_values", minValues);
    f("opt_values", optValues);
    f("max_values", maxValues);
}

std::vector<ShapeProgram::Input> inputsAt(Graph const& graph, Profile const& profile, ProfilePoint point) {
    std::vector<ShapeProgram::Input> inputs;
    for (Tensor const* input : graph.inputs()) {
        auto const found = profile.find(input->name);
        if (found == profile.end()) {
            if (!isConstant(input->shape) || input->onHost)
                fail(ErrorCode::InvalidArgument, "input ", input->name, " has shape ", input->shape,
                     input->onHost ? " and is a shape tensor" : "", "; set a range in an optimization profile");
            inputs.push_back({toDims(input->shape), {}});
            continue;
        }
        Point const at = pointOf(found->second, point);
        Dims const dims = input->onHost && at.dims.rank() == 0 ? toDims(input->shape) : at.dims;
        checkAgainst(*input, dims, at.name);
        for (int axis = 0; axis < dims.rank() && !input->onHost; ++axis) {
            if (found->second.min[axis] > found->second.opt[axis] || found->second.opt[axis] > found->second.max[axis])
                fail(ErrorCode::InvalidArgument, "input ", input->name,
                     ": expected min <= opt <= max in the profile, found ", found->second.min, ", ", found->second.opt,
                     ", ", found->second.max);
        }
        inputs.push_back({dims, input->onHost ? hostValues(*input, dims, at.values) : Literal()});
    }
    return inputs;
}

} // namespace tenon
