// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/fill/fill.h"

#include "trt/network/network.h"

#include <cmath>

namespace tenon::trt {
namespace {

std::vector<int64_t> listOf(Dims64 const& dimensions) {
    Dims const dims = fromApi(dimensions);
    return {dims.begin(), dims.end()};
}

class FillFace final : public FaceOf<api::IFillLayer, Fill, api::LayerType::kFILL> {
public:
    using FaceOf::FaceOf;

    void setOperation(api::FillOperation op) noexcept override {
        edit("setOperation",
             [&](Fill& layer) { layer.operation = checkedEnum<Fill::Operation>(op, "fill operation"); });
    }
    api::FillOperation getOperation() const noexcept override {
        return sameEnum<api::FillOperation>(layer().operation);
    }
    void setAlpha(double alpha) noexcept override {
        set("setAlpha", alpha, [&](Fill& layer) { layer.alpha = alpha, layer.alphaInteger = wholeOf(alpha); });
    }
    double getAlpha() const noexcept override { return node().input(Fill::kAlpha) ? -1 : layer().alpha; }
    void setBeta(double beta) noexcept override {
        set("setBeta", beta, [&](Fill& layer) { layer.beta = beta, layer.betaInteger = wholeOf(beta); });
    }
    double getBeta() const noexcept override { return node().input(Fill::kBeta) ? -1 : layer().beta; }
    void setAlphaInt64(int64_t alpha) noexcept override {
        edit("setAlphaInt64", [&](Fill& layer) {
            layer.alpha = static_cast<double>(alpha), layer.alphaInteger = alpha;
            integers_ = true;
        });
    }
    int64_t getAlphaInt64() const noexcept override { return node().input(Fill::kAlpha) ? -1 : layer().alphaInteger; }
    void setBetaInt64(int64_t beta) noexcept override {
        edit("setBetaInt64", [&](Fill& layer) {
            layer.beta = static_cast<double>(beta), layer.betaInteger = beta;
            integers_ = true;
        });
    }
    int64_t getBetaInt64() const noexcept override { return node().input(Fill::kBeta) ? -1 : layer().betaInteger; }
    bool isAlphaBetaInt64() const noexcept override { return integers_; }
    void setToType(api::DataType toType) noexcept override {
        edit("setToType", [&](Fill& layer) {
            layer.type = fromApi(toType);
            followsInputs_ = false;
        });
    }
    api::DataType getToType() const noexcept override { return toApi(layer().type); }

    /// The type was not specified: if tensors give the numbers, it is theirs.
    void followInputs() { followsInputs_ = true; }
    void settle() override {
        auto& fill = static_cast<Fill&>(*node().layer);
        if (!followsInputs_ || fill.isRandom()) return;
        Tensor const* const given = node().input(Fill::kAlpha) ? node().input(Fill::kAlpha) : node().input(Fill::kBeta);
        fill.type = given ? given->type : DataType::Float32;
    }

protected:
    void setDimensions_(Dims64 const& dimensions) noexcept override {
        edit("setDimensions", [&](Fill& layer) { layer.dims = listOf(dimensions); });
    }
    Dims64 getDimensions_() const noexcept override {
        return node().input(Fill::kShape) ? noDims() : toApi(Dims(layer().dims));
    }

private:
    /// Truncated towards zero, for an integer result of a number that was set as floating point.
    static int64_t wholeOf(double number) {
        constexpr double kAbove = 0x1p63;
        if (number >= kAbove) return INT64_MAX;
        return number <= -kAbove ? INT64_MIN : static_cast<int64_t>(number);
    }

    template <class Change> void set(char const* method, double number, Change const& change) noexcept {
        edit(method, [&](Fill& layer) {
            if (!std::isfinite(number)) fail(ErrorCode::InvalidArgument, number, " is not a finite number");
            change(layer);
            integers_ = false;
        });
    }

    bool integers_ = false; // the application sets them as such
    bool followsInputs_ = false;
};

} // namespace

FaceEntry fillFace() { return faceEntry<FillFace>(); }

api::IFillLayer* Network::addFill_(Dims64 const& dimensions, api::FillOperation op, api::DataType outputType) noexcept {
    return guarded(reporter_, "addFill", [&] {
        expectExplicitBatch("addFill");
        Fill layer;
        layer.operation = checkedEnum<Fill::Operation>(op, "fill operation");
        bool const isSaid = outputType != static_cast<api::DataType>(-1);
        if (isSaid) layer.type = fromApi(outputType);
        layer.dims = trt::listOf(dimensions);
        // Inputs that replace dimensions and numbers are set afterwards.
        FillFace* const face = addFace<FillFace>({}, layer, false);
        if (!isSaid) face->followInputs();
        return face;
    });
}

} // namespace tenon::trt
