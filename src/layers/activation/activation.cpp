// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/activation/activation.h"

#include "base/error.h"
#include "steps/step_values.h"

namespace tenon {

namespace layers {
LayerEntry activationLayer() { return entryOf<Activation>(); }
} // namespace layers

// X [any] → Y [the same]
std::vector<Result> Activation::infer(Operands const& in) const {
    in.expectCount(1, 1);
    if (!isActivation(operation)) fail(ErrorCode::InvalidArgument, operation, " is not an activation");
    bool const integers = operation == PointwiseOp::Relu || operation == PointwiseOp::Clip;
    if (!integers || !isInteger(in[0].type)) {
        in.expectFloat(0);
        return {{in[0].type, in[0].shape}};
    }
    return {{in[0].type, in[0].shape, stepValues(step(), in, in[0].shape)}};
}

void Activation::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    PointwiseStep const one = step();
    computeSteps({&one, 1}, in, out[0]);
}

} // namespace tenon
