// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// Regions of images, each pooled to one size. X [N,C,H,W], rois [R,4] (left, top, right, bottom of each region), items
/// [R] int32 or int64 (the index of its image) → Y [R,C,height,width]. Floating point. A region is divided into bins,
/// and each bin is sampled, with interpolation, at a grid of points.
struct RoiAlign final : LayerOf<RoiAlign> {
    static constexpr std::string_view kKind = "RoiAlign";

    enum class Mode {
        Average, // of the points
        Max,     // as in ONNX: of the four products of element and weight that each point consists of
    };

    Mode mode = Mode::Average;
    bool halfPixel = true; // the center of the first element is at 1/2; else at 0, and regions are at least 1×1
    int64_t height = 1;
    int64_t width = 1;
    static constexpr int kMostPoints = 4096; // more would take minutes to compute and not change results
    int64_t points = 0; // along each side of a bin; 0: one for each element that it covers, at most kMostPoints
    double scale = 1;   // from the regions' coordinates to elements of X

    void fields(Fields& f) override {
        f("mode", mode);
        f("halfPixel", halfPixel);
        f("height", height);
        f("width", width);
        f("points", points);
        f("scale", scale);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    std::string inputName(int input) const override;
};

std::span<std::string_view const> names(RoiAlign::Mode);

[[noreturn]] void failOnItem(int64_t region, int64_t item, int64_t items);

} // namespace tenon
