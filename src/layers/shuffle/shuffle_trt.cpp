// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/shuffle/shuffle.h"

#include "trt/network/network.h"

#include <algorithm>

namespace tenon::trt {
namespace {

std::vector<int64_t> fromApi(api::Permutation const& permutation, Axes const& axes) {
    int const rank = axes.shownRank();
    std::vector<int64_t> order(permutation.order, permutation.order + rank);
    std::vector<int64_t> sorted = order;
    std::ranges::sort(sorted);
    for (int i = 0; i < rank; ++i) {
        if (sorted[static_cast<size_t>(i)] != i)
            fail(ErrorCode::InvalidArgument, "permutation ", joined(order), " of a tensor of rank ", rank,
                 "; expected every number from 0 to ", rank - 1, " once");
    }
    for (int64_t& axis : order) axis = axes.fromApi(axis);
    if (rank < axes.rank()) order.insert(order.begin(), 0); // the batch stays first
    return order;
}

class ShuffleFace final : public FaceOf<api::IShuffleLayer, Shuffle, api::LayerType::kSHUFFLE> {
public:
    using FaceOf::FaceOf;

    void setFirstTranspose(api::Permutation permutation) noexcept override {
        edit("setFirstTranspose", [&](Shuffle& layer) { layer.firstTranspose = fromApi(permutation, inputAxes()); });
    }
    api::Permutation getFirstTranspose() const noexcept override { return shownOrder(layer().firstTranspose); }

    void setSecondTranspose(api::Permutation permutation) noexcept override {
        edit("setSecondTranspose", [&](Shuffle&) { second_ = permutation; });
    }
    api::Permutation getSecondTranspose() const noexcept override {
        return second_.value_or(shownOrder(layer().secondTranspose));
    }

    void setZeroIsPlaceholder(bool zeroIsPlaceholder) noexcept override {
        edit("setZeroIsPlaceholder", [&](Shuffle& layer) {
            if (!zeroIsPlaceholder) network().expectExplicitBatch("setZeroIsPlaceholder(false)");
            layer.zeroIsPlaceholder = zeroIsPlaceholder;
        });
    }
    bool getZeroIsPlaceholder() const noexcept override { return layer().zeroIsPlaceholder; }

    void settle() override {
        if (second_) static_cast<Shuffle&>(*node().layer).secondTranspose = fromApi(*second_, reshapedAxes());
    }

protected:
    void setReshapeDimensions_(Dims64 const& dimensions) noexcept override {
        edit("setReshapeDimensions", [&](Shuffle& layer) {
            constexpr int64_t kAsItIs = 0; // the batch
            Dims const dims = trt::fromApi(network().whole(dimensions, kAsItIs));
            layer.reshape.assign(dims.begin(), dims.end());
            layer.reshapes = true;
        });
    }
    Dims64 getReshapeDimensions_() const noexcept override {
        return ask("getReshapeDimensions", [&](Shuffle const& layer) {
            if (node().input(1)) return noDims();
            if (!layer.reshapes) return network().shown(toApi(shapeOf(*node().input(0))));
            return network().shown(toApi(Dims(layer.reshape)));
        });
    }

private:
    Axes reshapedAxes() const {
        Tensor const* const shape = node().input(1);
        if (shape) return {static_cast<int>(shape->shape.at(0).constant()), network().hiddenAxes()};
        if (layer().reshapes) return {static_cast<int>(layer().reshape.size()), network().hiddenAxes()};
        return network().axesOf(node().input(0)->shape);
    }
    /// An empty order means the identity.
    api::Permutation shownOrder(std::vector<int64_t> const& order) const {
        auto const hidden = static_cast<size_t>(network().hiddenAxes());
        api::Permutation permutation{};
        for (size_t i = 0; i < Dims64::MAX_DIMS; ++i) {
            bool const given = i + hidden < order.size();
            permutation.order[i] = static_cast<int32_t>(given ? order[i + hidden] - static_cast<int64_t>(hidden)
                                                              : static_cast<int64_t>(i));
        }
        return permutation;
    }

    std::optional<api::Permutation> second_; // as given; other setters may change the number of axes later
};

} // namespace

FaceEntry shuffleFace() { return faceEntry<ShuffleFace>(); }

api::IShuffleLayer* Network::addShuffle(ITensor& input) noexcept {
    return add<ShuffleFace>("addShuffle", {&input}, Shuffle());
}

} // namespace tenon::trt
