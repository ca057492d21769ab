// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/reduce/reduce.h"

#include "trt/network/network.h"

namespace tenon::trt {
namespace {

/// An empty mask names no axis in the API, but means all axes in the layer.
std::vector<int64_t> axesOfMask(uint32_t mask, Axes const& axes) {
    if (mask == 0) fail(ErrorCode::InvalidArgument, "axis mask 0 names no axis");
    return axes.allOfMask(mask);
}

class ReduceFace final : public FaceOf<api::IReduceLayer, Reduce, api::LayerType::kREDUCE> {
public:
    using FaceOf::FaceOf;

    void setOperation(api::ReduceOperation op) noexcept override {
        edit("setOperation", [&](Reduce& layer) { layer.operation = checkedEnum<ReduceOperation>(op, "reduction"); });
    }
    /// A number above the enumerators represents a reduction that only ONNX has.
    api::ReduceOperation getOperation() const noexcept override {
        return sameEnum<api::ReduceOperation>(layer().operation);
    }
    void setReduceAxes(uint32_t reduceAxes) noexcept override {
        edit("setReduceAxes", [&](Reduce& layer) { layer.axes = axesOfMask(reduceAxes, inputAxes()); });
    }
    uint32_t getReduceAxes() const noexcept override {
        return ask("getReduceAxes", [&](Reduce const& layer) {
            Axes const axes = inputAxes();
            if (node().input(Reduce::kAxes)) return uint32_t{0}; // of ONNX: an input that is known at run time only
            return axes.mask(layer.axes.empty() ? axes.all() : layer.axes);
        });
    }
    void setKeepDimensions(bool keepDimensions) noexcept override {
        edit("setKeepDimensions", [&](Reduce& layer) { layer.keepDimensions = keepDimensions; });
    }
    bool getKeepDimensions() const noexcept override { return layer().keepDimensions; }
};

} // namespace

FaceEntry reduceFace() { return faceEntry<ReduceFace>(); }

api::IReduceLayer* Network::addReduce(ITensor& input, api::ReduceOperation operation, uint32_t reduceAxes,
                                      bool keepDimensions) noexcept {
    return guarded(reporter_, "addReduce", [&] {
        Reduce layer;
        layer.operation = checkedEnum<ReduceOperation>(operation, "reduction");
        layer.axes = axesOfMask(reduceAxes, axesOf(input));
        layer.keepDimensions = keepDimensions;
        return addFace<ReduceFace>({&input}, layer);
    });
}

} // namespace tenon::trt
