// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// CumSum: prefix sums along an axis, inclusive unless bInclusive is 0. The name and fields of NVIDIA's plugin for
// WeNet.
#include "layers.h"

#include <stdexcept>

namespace tenon::plugins {
namespace {

class CumSum final : public LayeredPlugin {
public:
    void fields(FieldVisitor& visit) override {
        visit("axis", axis_);
        visit("bInclusive", isInclusive_);
    }

    Signature signature() const override {
        return Signature().input("input", "[...]", Kind::kAny).output("output", "[...]", Kind::kAny);
    }

    void checkInputs(KnownShapes inputs) const override {
        int32_t const rank = inputs[0].nbDims;
        if (axis_ < -rank || axis_ >= rank)
            throw std::invalid_argument("axis is " + std::to_string(axis_) + "; the input has " + std::to_string(rank) +
                                        " axes");
    }

    std::vector<Value> layers(Layers& in, std::vector<Value> const& inputs) override {
        Value const axis = in.integer(axis_ < 0 ? axis_ + inputs[0].rank() : axis_);
        auto* const layer = in.network().addCumulative(inputs[0].tensor(), axis.tensor(),
                                                       nvinfer1::CumulativeOperation::kSUM, isInclusive_ == 0, false);
        return {in.outputOf(layer, "addCumulative")};
    }

private:
    int32_t axis_ = -1;
    int32_t isInclusive_ = 1;
};

constexpr StandardPlugin kDefinitions[] = {standardPlugin<CumSum>("CumSum", "1", PluginGeneration::kV2DynamicExt, "")};

} // namespace

std::span<StandardPlugin const> cumSumPlugins() { return kDefinitions; }

} // namespace tenon::plugins
