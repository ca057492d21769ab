// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Split: consecutive parts of one axis, one output each. The original exists only in serialized engines; its creator
// accepts no fields. The fields here are named after its saved values.
#include "layers.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace tenon::plugins {
namespace {

class Split final : public LayeredPlugin {
public:
    void fields(FieldVisitor& visit) override {
        visit("axis", axis_);
        visit("output_lengths", lengths_);
    }

    void check() const override {
        if (axis_ < 0) throw std::invalid_argument("axis has to be 0 or more; found " + std::to_string(axis_));
        if (lengths_.empty() || std::ranges::any_of(lengths_, [](int32_t length) { return length < 0; }))
            throw std::invalid_argument("output_lengths has to be given, one for each output, each 0 or more");
    }

    Signature signature() const override {
        Signature all;
        all.input("input", "[...]", Kind::kAny);
        for (size_t i = 0; i < lengths_.size(); ++i) all.output("output_" + std::to_string(i), "[?...]", Kind::kAny);
        return all;
    }

    void checkInputs(KnownShapes inputs) const override {
        if (axis_ >= inputs[0].nbDims)
            throw std::invalid_argument("axis is " + std::to_string(axis_) + "; the input has " +
                                        std::to_string(inputs[0].nbDims) + " axes");
        int64_t const extent = inputs[0].d[axis_];
        if (extent >= 0 && extent != sum())
            throw std::invalid_argument(wrongSum() + "; the input has " + std::to_string(extent));
    }

    void outputShapes(Shapes inputs, nvinfer1::DimsExprs* outputs, nvinfer1::IExprBuilder& builder) const override {
        for (size_t i = 0; i < lengths_.size(); ++i) {
            std::copy_n(inputs[0].d, inputs[0].nbDims, outputs[i].d);
            outputs[i].d[axis_] = builder.constant(lengths_[i]);
        }
    }

    std::vector<Value> layers(Layers& in, std::vector<Value> const& inputs) override {
        Value const& x = inputs[0];
        if (x.extent(axis_) < 0)
            in.expect(equal(extents(x, axis_, axis_ + 1), in.integers({sum()})),
                      "Split: " + wrongSum() + "; the input has another number");
        std::vector<Value> parts;
        int64_t first = 0;
        for (int32_t length : lengths_) {
            parts.push_back(part(x, axis_, first, length));
            first += length;
        }
        return parts;
    }

private:
    int64_t sum() const { return std::accumulate(lengths_.begin(), lengths_.end(), int64_t{0}); }

    std::string wrongSum() const {
        return "output_lengths are " + std::to_string(sum()) + " together, for axis " + std::to_string(axis_);
    }

    int32_t axis_ = 0;
    std::vector<int32_t> lengths_;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<Split>("Split", "1", PluginGeneration::kV2DynamicExt, "7.0 to 10.16")};

} // namespace

std::span<StandardPlugin const> splitPlugins() { return kDefinitions; }

} // namespace tenon::plugins
