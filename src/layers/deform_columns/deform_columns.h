// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// What the filters of a convolution meet whose elements are moved: a product with the filters is the rest of a
/// DeformConv. X [N,C,H,W]; moves [N,M·kh·kw·2,h,w]: down and to the right, for each element of the filters at each
/// place, for M equal parts of the channels; factors? [N,M·kh·kw,h,w] of what is met → columns
/// [N,groups,C/groups·kh·kw,h·w]. Floating point. Between elements X is interpolated, outside it is 0.
struct DeformColumns final : LayerOf<DeformColumns> {
    static constexpr std::string_view kKind = "DeformColumns";

    std::vector<int64_t> kernel{1, 1}; // of the filters; this and the next two down and to the right
    std::vector<int64_t> strides{1, 1};
    std::vector<int64_t> dilations{1, 1};
    std::vector<int64_t> pads{0, 0, 0, 0}; // above, left, below, right
    int64_t parts = 1;                     // M
    int64_t groups = 1;

    void fields(Fields& f) override {
        f("kernel", kernel);
        f("strides", strides);
        f("dilations", dilations);
        f("pads", pads);
        f("parts", parts);
        f("groups", groups);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    std::string inputName(int input) const override;
};

} // namespace tenon
