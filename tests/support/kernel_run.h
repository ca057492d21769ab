// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"
#include "plan/shapes/profile_shapes.h"

namespace tenon::test {

/// A kernel in one of its variants, with weights packed for the shapes `built`, on the tested device.
class KernelRun {
public:
    KernelRun(Node const& node, Kernel const& kernel, Variant const& variant, NodeDims const& built);

    /// The outputs, of these shapes (data-dependent extents: their upper bounds; the outputs are cut), in the types of
    /// the node; it is run twice. Inputs are in the node's types too; one without data is absent.
    std::vector<Literal> run(std::vector<Literal> const& inputs, std::vector<Dims> const& outputs) const;

private:
    Node const& node_;
    Kernel const& kernel_;
    Variant const& variant_;
    Backend const& backend_;
    std::shared_ptr<Packed const> packed_;
};

/// The nearest values that can be stored with this label.
Literal storedAs(Label const& label, Literal const& values);
/// The tolerance for results of the variant, if it is `tolerance` for float32.
double toleranceOf(Variant const& variant, size_t output, double tolerance);

} // namespace tenon::test
