// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/shuffle/shuffle.h"

#include "trt/network.h"

#include <algorithm>

namespace tenon::trt {
namespace {

std::vector<int64_t> fromApi(api::Permutation const& permutation, int rank) {
    std::vector<int64_t> order(permutation.order, permutation.order + rank);
    std::vector<int64_t> sorted = order;
    std::ranges::sort(sorted);
    for (int i = 0; i < rank; ++i) {
        if (sorted[static_cast<size_t>(i)] != i)
            fail(ErrorCode::InvalidArgument, "permutation ", joined(order), " of a tensor of rank ", rank,
                 "; expected every number from 0 to ", rank - 1, " once");
    }
    return order;
}

/// An empty order leaves the axes as they are.
api::Permutation toApi(std::vector<int64_t> const& order) {
    api::Permutation permutation{};
    for (int32_t i = 0; i < Dims64::MAX_DIMS; ++i) {
        bool const given = static_cast<size_t>(i) < order.size();
        permutation.order[i] = given ? static_cast<int32_t>(order[static_cast<size_t>(i)]) : i;
    }
    return permutation;
}

class ShuffleFace final : public FaceOf<api::IShuffleLayer, Shuffle, api::LayerType::kSHUFFLE> {
public:
    using FaceOf::FaceOf;

    void setFirstTranspose(api::Permutation permutation) noexcept override {
        edit("setFirstTranspose", [&](Shuffle& layer) { layer.firstTranspose = fromApi(permutation, inputRank()); });
    }
    api::Permutation getFirstTranspose() const noexcept override { return toApi(layer().firstTranspose); }

    void setSecondTranspose(api::Permutation permutation) noexcept override {
        edit("setSecondTranspose", [&](Shuffle& layer) { layer.secondTranspose = fromApi(permutation, outputRank()); });
    }
    api::Permutation getSecondTranspose() const noexcept override { return toApi(layer().secondTranspose); }

    void setZeroIsPlaceholder(bool zeroIsPlaceholder) noexcept override {
        edit("setZeroIsPlaceholder", [&](Shuffle& layer) { layer.zeroIsPlaceholder = zeroIsPlaceholder; });
    }
    bool getZeroIsPlaceholder() const noexcept override { return layer().zeroIsPlaceholder; }

protected:
    void setReshapeDimensions_(Dims64 const& dimensions) noexcept override {
        edit("setReshapeDimensions", [&](Shuffle& layer) {
            Dims const dims = trt::fromApi(dimensions);
            layer.reshape.assign(dims.begin(), dims.end());
            layer.reshapes = true;
        });
    }
    Dims64 getReshapeDimensions_() const noexcept override {
        return ask("getReshapeDimensions", [&](Shuffle const& layer) {
            if (node().input(1)) return noDims();
            if (!layer.reshapes) return trt::toApi(shapeOf(*node().input(0)));
            return trt::toApi(Dims(layer.reshape));
        });
    }
};

} // namespace

FaceEntry shuffleFace() { return faceEntry<ShuffleFace>(); }

api::IShuffleLayer* Network::addShuffle(ITensor& input) noexcept {
    return add<ShuffleFace>("addShuffle", {&input}, Shuffle());
}

} // namespace tenon::trt
