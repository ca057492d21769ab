// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/nms/nms.h"

#include "base/error.h"
#include "base/tensor_size.h"
#include "graph/elements.h"
#include "layers/nms/nms_box.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <tuple>

namespace tenon {

namespace layers {
LayerEntry nmsLayer() { return entryOf<Nms>(); }
} // namespace layers

std::span<std::string_view const> names(Nms::Format) {
    static constexpr std::array<std::string_view, 2> all{"Corners", "Centers"};
    return all;
}

namespace {

constexpr std::string_view kCount = "count"; // the name of n
constexpr int kCountOutput = 1;

void expectEqual(Operands const& in, int boxAxis, int scoreAxis, std::string_view what) {
    DimExpr const& ofBoxes = in[Nms::kBoxes].shape[static_cast<size_t>(boxAxis)];
    DimExpr const& ofScores = in[Nms::kScores].shape[static_cast<size_t>(scoreAxis)];
    if (ofBoxes.constantOr(ofScores.constantOr(0)) != ofScores.constantOr(ofBoxes.constantOr(0)))
        fail(ErrorCode::InvalidArgument, "boxes ", in[Nms::kBoxes].shape, " and scores ", in[Nms::kScores].shape,
             " differ in their number of ", what, ": ", ofBoxes, " and ", ofScores);
}

void expectThreshold(Operands const& in, int input) {
    if (!in.has(input)) return;
    in.expectOneElement(input);
    if (in[input].type != DataType::Float32)
        fail(ErrorCode::InvalidArgument, in.nameOf(input), " is ", in[input].type, "; expected float32");
}

/// The boxes of one class of a batch item.
struct Candidate {
    float score;
    int64_t pair;
    int64_t box;

    bool operator<(Candidate const& other) const {
        return std::tuple(-score, pair, box) < std::tuple(-other.score, other.pair, other.box);
    }
};

class Choosing {
public:
    Choosing(Nms const& layer, std::span<HostTensor const> in)
        : layer_(layer), extents_(layer, in[Nms::kBoxes].dims, in[Nms::kScores].dims), boxes_(numbers(in[Nms::kBoxes])),
          scores_(numbers(in[Nms::kScores])), most_(integersIn(in[Nms::kMost])[0]) {
        if (in.size() > Nms::kOverlap && in[Nms::kOverlap].data) overlap_ = in[Nms::kOverlap].as<float>()[0];
        if (in.size() > Nms::kLeast && in[Nms::kLeast].data) least_ = in[Nms::kLeast].as<float>()[0];
    }

    /// (batch item, class, box) of all selected boxes.
    std::vector<std::array<int64_t, 3>> run() const {
        std::vector<std::array<int64_t, 3>> all;
        for (int64_t item = 0; item < extents_.batch; ++item) {
            auto const candidates = candidatesOf(item);
            for (int64_t pair = item * extents_.classes; pair < (item + 1) * extents_.classes; ++pair) {
                for (int64_t const box : chosen(candidates, pair)) all.push_back({item, pair % extents_.classes, box});
            }
        }
        return all;
    }

private:
    static std::vector<float> numbers(HostTensor const& tensor) {
        return Literal::borrowed(tensor.type, tensor.dims, tensor.data, nullptr).toFloat();
    }

    /// The best first.
    std::vector<Candidate> candidatesOf(int64_t item) const {
        std::vector<Candidate> all;
        for (int64_t pair = item * extents_.classes; pair < (item + 1) * extents_.classes; ++pair) {
            for (int64_t box = 0; box < extents_.boxes; ++box) {
                float const score = scores_[static_cast<size_t>(extents_.scoreAt(pair, box))];
                bool const isCandidate = least_ ? score > *least_ : !std::isnan(score);
                if (isCandidate) all.push_back({score, pair, box});
            }
        }
        std::ranges::sort(all, std::less());
        if (layer_.boxLimit > 0 && std::ssize(all) > layer_.boxLimit)
            all.erase(all.begin() + layer_.boxLimit, all.end());
        return all;
    }

    std::vector<int64_t> chosen(std::vector<Candidate> const& candidates, int64_t pair) const {
        std::vector<int64_t> boxes;
        for (Candidate const& one : candidates) {
            if (one.pair != pair || std::ssize(boxes) >= most_) continue;
            bool const isFree = std::ranges::none_of(
                boxes, [&](int64_t other) { return overlap(boxOf(pair, other), boxOf(pair, one.box), overlap_); });
            if (isFree) boxes.push_back(one.box);
        }
        return boxes;
    }

    NmsBox boxOf(int64_t pair, int64_t box) const {
        float const* const at = boxes_.data() + extents_.boxAt(pair, box);
        return nmsBox(layer_.format, at[0], at[1], at[2], at[3]);
    }

    Nms const& layer_;
    NmsExtents extents_;
    std::vector<float> boxes_;
    std::vector<float> scores_;
    int64_t most_;
    float overlap_ = 0;
    std::optional<float> least_;
};

template <class Index> void write(std::vector<std::array<int64_t, 3>> const& chosen, std::span<HostTensor const> out) {
    auto* to = static_cast<Index*>(out[0].data);
    for (auto const& row : chosen) to = std::ranges::transform(row, to, [](int64_t i) { return Index(i); }).out;
    *static_cast<Index*>(out[kCountOutput].data) = static_cast<Index>(chosen.size());
}

} // namespace

std::string Nms::inputName(int input) const {
    constexpr std::array<std::string_view, 5> all{"boxes", "scores", "the number of boxes to select",
                                                  "the overlap threshold", "the score threshold"};
    auto const at = static_cast<size_t>(input);
    return at < all.size() ? std::string(all[at]) : Layer::inputName(input);
}

// boxes [N,B,4] or [N,B,C,4], scores [N,B,C], most [], overlap? [], least? [] → chosen [n,3], n []
std::vector<Result> Nms::infer(Operands const& in) const {
    in.expectCount(3, 5).expectFloat(kBoxes).expectSameType(kBoxes, kScores);
    in.expectRank(kBoxes, 3, 4).expectRank(kScores, 3, 3).expectInteger(kMost).expectOneElement(kMost);
    expectThreshold(in, kOverlap);
    expectThreshold(in, kLeast);
    if (in[kBoxes].shape.back().constantOr(4) != 4)
        fail(ErrorCode::InvalidArgument, "boxes has shape ", in[kBoxes].shape, "; expected four numbers for each box");
    expectEqual(in, 0, 0, "batch items");
    expectEqual(in, 1, classFirst ? 2 : 1, "boxes");
    if (in.rank(kBoxes) == 4) expectEqual(in, 2, classFirst ? 1 : 2, "classes");
    if (boxLimit < 0) fail(ErrorCode::InvalidArgument, "boxLimit is ", boxLimit, "; expected at least 0");
    if (indices != DataType::Int32 && indices != DataType::Int64)
        fail(ErrorCode::InvalidArgument, "the type of the indices is ", indices, "; expected int32 or int64");
    expectCountable(indices, volume(in[kScores].shape).constantOr(0), "scores");
    return {{indices, {in.unknown(kCount), 3}}, {indices, {}}};
}

std::vector<SizeTensor> Nms::sizes(Operands const& in) const {
    Shape const& scores = in[kScores].shape;
    DimExpr const& classes = scores[classFirst ? 1 : 2];
    DimExpr ofClass = scores[classFirst ? 2 : 1];
    if (in[kMost].literal) ofClass = min(ofClass, std::max<int64_t>(in[kMost].literal->toInt64()[0], 0));
    DimExpr ofItem = classes * ofClass;
    if (boxLimit > 0) ofItem = min(ofItem, boxLimit);
    DimExpr const upper = scores[0] * ofItem;
    return {{in.unknown(kCount).name(), kCountOutput, ceilDiv(upper, 8), upper}};
}

void Nms::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    auto const chosen = Choosing(*this, in).run();
    if (indices == DataType::Int32) return write<int32_t>(chosen, out);
    write<int64_t>(chosen, out);
}

} // namespace tenon
