// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/squeeze/squeeze.h"

#include "base/error.h"
#include "graph/elements.h"

#include <algorithm>
#include <cstring>

namespace tenon {

namespace layers {
LayerEntry squeezeLayer() { return entryOf<Squeeze>(); }
} // namespace layers

namespace {

std::vector<int> axesOfExtentOne(Shape const& shape) {
    std::vector<int> axes;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        if (!shape[axis].isConstant())
            fail(ErrorCode::Unsupported, "which axes of ", shape,
                 " have extent 1 is not known before run time; give the axes to drop");
        if (shape[axis] == DimExpr(1)) axes.push_back(static_cast<int>(axis));
    }
    return axes;
}

} // namespace

// X [2,1,3], axes [1] → Y [2,3]
std::vector<Result> Squeeze::infer(Operands const& in) const {
    in.expectCount(1, 2);
    Shape const& from = in[0].shape;
    std::vector<int> dropped;
    if (in.has(kAxes)) {
        auto const listed = axesIn(in, kAxes, in.rank(0));
        if (!listed) return {{in[0].type, unknownShape(in, in.rank(0) - axisCount(in, kAxes, in.rank(0)))}};
        dropped = *listed;
    } else {
        dropped = axesOfExtentOne(from);
    }
    Shape shape;
    for (size_t axis = 0; axis < from.size(); ++axis) {
        if (std::ranges::count(dropped, static_cast<int>(axis)) == 0) {
            shape.push_back(from[axis]);
        } else if (from[axis].constantOr(1) != 1) { // an unknown one is assumed to be 1; checked at run time
            fail(ErrorCode::InvalidArgument, "axis ", axis, " of ", from, " has extent ", from[axis],
                 "; only axes of extent 1 can be dropped");
        }
    }
    return {{in[0].type, shape, valuesIn(in[0])}};
}

void Squeeze::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    if (in[0].bytes() != 0) std::memcpy(out[0].data, in[0].data, in[0].bytes());
}

} // namespace tenon
