// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// Non-maximum suppression: selects boxes for each batch item and class in falling order of their scores (of equal ones
/// the first), without those that overlap a box selected before. boxes [N,B,4] or [N,B,C,4]; scores [N,B,C], or [N,C,B]
/// if classFirst; most (one int32 or int64): the maximum number of boxes per class; overlap? (one float32, 0 if
/// absent): a box is suppressed if intersection / union is more; least? (one float32): only boxes whose scores are more
/// → selected [n,3], each (batch item, class, box); and n, a scalar. A box whose score is NaN is never selected.
struct Nms final : LayerOf<Nms> {
    static constexpr std::string_view kKind = "Nms";

    enum Inputs { kBoxes, kScores, kMost, kOverlap, kLeast };
    enum class Format {
        Corners, // x, y of two opposite corners
        Centers, // x, y of the center, width, height
    };

    Format format = Format::Corners;
    int64_t boxLimit = 0; // only that many boxes of a batch item are considered, those with the highest scores; 0: all
    bool classFirst = false;
    DataType indices = DataType::Int64; // of both outputs: int32 or int64

    void fields(Fields& f) override {
        f("format", format);
        f("boxLimit", boxLimit);
        f("classFirst", classFirst);
        f("indices", indices);
    }
    std::vector<Result> infer(Operands const& in) const override;
    std::vector<SizeTensor> sizes(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    std::string inputName(int input) const override;
};

std::span<std::string_view const> names(Nms::Format);

/// The extents of a Nms.
struct NmsExtents {
    int64_t batch = 0;     // N
    int64_t boxes = 0;     // B
    int64_t classes = 0;   // C
    bool ownBoxes = false; // each class has boxes of its own
    bool classFirst = false;

    NmsExtents(Nms const& layer, Dims const& boxDims, Dims const& scoreDims)
        : batch(boxDims[0]), boxes(boxDims[1]), classes(scoreDims[layer.classFirst ? 1 : 2]),
          ownBoxes(boxDims.rank() == 4), classFirst(layer.classFirst) {}

    /// (batch item, class) as one number.
    constexpr int64_t pairs() const { return batch * classes; }
    /// The index of a box's score.
    constexpr int64_t scoreAt(int64_t pair, int64_t box) const {
        return classFirst ? pair * boxes + box : (pair / classes * boxes + box) * classes + pair % classes;
    }
    /// The index of a box's first coordinate.
    constexpr int64_t boxAt(int64_t pair, int64_t box) const {
        int64_t const row = pair / classes * boxes + box;
        return 4 * (ownBoxes ? row * classes + pair % classes : row);
    }
};

} // namespace tenon
