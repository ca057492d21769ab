// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// Stretches or shrinks X along any axes by sampling it: X [any shape], sizes? [n] int32 or int64, scales? [n] float32,
/// roi? [2n] float32 (the part of X that CropAndResize samples, starts then ends, 0 to 1) → Y, of X's type. Where there
/// is no input the field holds; sizes go before scales; the extent for a scale is floor(scale · extent).
struct Resize final : LayerOf<Resize> {
    static constexpr std::string_view kKind = "Resize";

    enum class Mode { Nearest, Linear, Cubic };
    /// Where element i of `to` lies among the `from` of X (s = scale, or to / from):
    ///   AlignCorners        i · (from - 1) / (to - 1)
    ///   Asymmetric          i / s
    ///   HalfPixel           (i + ½) / s - ½
    ///   PytorchHalfPixel    the same, 0 where `to` is 1
    ///   TfHalfPixel         (i + ½) / s
    ///   HalfPixelSymmetric  HalfPixel, with the centres in one place where s · from is no whole number
    ///   TfCropAndResize     AlignCorners within the roi; outside X lies `extrapolation`
    enum class Coordinates {
        AlignCorners,
        Asymmetric,
        HalfPixel,
        PytorchHalfPixel,
        TfHalfPixel,
        HalfPixelSymmetric,
        TfCropAndResize
    };
    enum class Selector { Formula, Upper }; // an axis resized to 1: by the formula, or always the first element
    /// The last one: Ceil on an axis that shrinks, else Floor.
    enum class Rounding { HalfUp, HalfDown, Floor, Ceil, CeilIfSmaller };
    /// What sizes mean: as they are, or bounds within or around which the shape keeps its proportions.
    enum class AspectRatio { Stretch, NotLarger, NotSmaller };
    enum Input { kX, kSizes, kScales, kRoi, kInputs };

    Mode mode = Mode::Nearest;
    Coordinates coordinates = Coordinates::Asymmetric;
    Selector selector = Selector::Formula;
    Rounding rounding = Rounding::Floor; // of Nearest
    double cubicCoeff = -0.75;
    bool excludeOutside =
        false;              // of Cubic, and with antialias: weights of elements outside X are shared by those inside
    bool antialias = false; // where an axis shrinks, Linear and Cubic average all elements that it skips otherwise
    AspectRatio aspectRatio = AspectRatio::Stretch;
    double extrapolation = 0;
    std::vector<int64_t> sizes;
    std::vector<double> scales;
    std::vector<int64_t> axes; // that the lists are about; empty: all in order

    void fields(Fields& f) override;
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    MovedInputs moved(Operands const& in) const override;
    std::string inputName(int input) const override;
    bool readsValuesOf(int input) const override { return input != kX; }
};

std::span<std::string_view const> names(Resize::Mode);
std::span<std::string_view const> names(Resize::Coordinates);
std::span<std::string_view const> names(Resize::Selector);
std::span<std::string_view const> names(Resize::Rounding);
std::span<std::string_view const> names(Resize::AspectRatio);

/// An axis that changes.
struct ResizedAxis {
    int axis = 0;
    int64_t from = 0;
    int64_t to = 0;
    float scale = 1;
    float roiStart = 0;
    float roiEnd = 1;
};
/// The lists that say how, from inputs or fields.
struct ResizeLists {
    bool bySizes = false; // then scales do not matter
    std::vector<float> scales;
    std::vector<float> roi;
    std::vector<int64_t> sizes = {}; // only the proportions that AspectRatio keeps need them
};
/// Of inputs, some of which may be without data: those that saysHow() does not name.
ResizeLists listsOf(Resize const& layer, std::span<HostTensor const> in);
/// Whether the elements of an input say how a node resizes axes, once the shape of Y is known, which says most of it.
bool saysHow(Node const& node, int input);
/// Of Nearest on this axis; none that depends on it.
Resize::Rounding roundingOn(ResizedAxis const& axis, Resize const& layer);
std::vector<ResizedAxis> resizedAxes(Resize const& layer, ResizeLists const& lists, Dims const& x, Dims const& y);

/// What each element along a resized axis is made of: `count` elements of X and their weights.
struct Taps {
    int64_t count = 1;
    std::vector<int64_t> index; // [to, count]
    std::vector<float> weight;  // likewise
    std::vector<char> outside;  // [to]: 1 where the extrapolation value stands instead; empty: nowhere
};
Taps tapsOf(Resize const& layer, ResizedAxis const& axis);

} // namespace tenon
