// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// FFTPlugin: discrete Fourier transforms over the last `ndims` axes of a signal, without a factor in either direction.
// Complex numbers are pairs in a last axis of 2. With `onesided` a forward transform takes a real signal and gives the
// first N / 2 + 1 frequencies of the last axis; an inverse one takes these and gives a real signal of length N: what
// the shape input says, else 2 (K - 1) of K frequencies.
#include "layers.h"

#include <stdexcept>
#include <string>

namespace tenon::plugins {
namespace {

using nvinfer1::DataType;
using nvinfer1::DimensionOperation;

class Fft final : public LayeredPlugin {
public:
    void fields(FieldVisitor& visit) override {
        visit("inverse", inverse_);
        visit("onesided", onesided_);
        visit("ndims", axes_);
    }

    void check() const override {
        expectFlag("inverse", inverse_);
        expectFlag("onesided", onesided_);
        if (axes_ < 1 || axes_ > 3)
            throw std::invalid_argument("ndims has to be 1, 2 or 3; found " + std::to_string(axes_));
    }

    Signature signature() const override {
        if (fromReal()) return Signature().input("signal", "[...]").output("spectrum", "[?,?...]");
        if (!toReal()) return Signature().input("input", "[...]").output("output", "[...]");
        return Signature().input("spectrum", "[?,...]").output("signal", "[?...]").optionalShapeInput("length");
    }

    void checkInputs(KnownShapes inputs) const override {
        nvinfer1::Dims const& dims = inputs[0];
        int32_t const parts = fromReal() ? 0 : 1;
        if (dims.nbDims < axes_ + parts)
            throw std::invalid_argument("the input has " + std::to_string(dims.nbDims) + " axes; expected " +
                                        std::to_string(axes_ + parts) + " or more with ndims " + std::to_string(axes_));
        int64_t const last = dims.d[dims.nbDims - 1];
        if (parts == 1 && last >= 0 && last != 2)
            throw std::invalid_argument("the last axis of the input has " + std::to_string(last) +
                                        " elements; expected 2, real and imaginary part");
    }

    void outputShapes(Shapes inputs, nvinfer1::DimsExprs* outputs, nvinfer1::IExprBuilder& builder) const override {
        nvinfer1::DimsExprs const& in = inputs[0];
        auto const number = [&](int64_t value) { return builder.constant(value); };
        if (fromReal()) {
            std::copy_n(in.d, in.nbDims - 1, outputs[0].d);
            auto const* const half = combined(builder, DimensionOperation::kFLOOR_DIV, in.d[in.nbDims - 1], number(2));
            outputs[0].d[in.nbDims - 1] = combined(builder, DimensionOperation::kSUM, half, number(1));
            outputs[0].d[in.nbDims] = number(2);
        } else if (toReal()) {
            std::copy_n(in.d, in.nbDims - 2, outputs[0].d);
            auto const* const steps = combined(builder, DimensionOperation::kSUB, in.d[in.nbDims - 2], number(1));
            outputs[0].d[in.nbDims - 2] =
                inputs.size() > 1 ? inputs[1].d[0] : combined(builder, DimensionOperation::kPROD, steps, number(2));
        }
    }

    std::vector<Value> layers(Layers& in, std::vector<Value> const& inputs) override {
        DataType const type = inputs[0].type();
        Value x = cast(inputs[0], DataType::kFLOAT); // sums of several axes may not fit HALF
        std::optional<Value> length;
        if (inputs.size() > 1) length = reshape(cast(inputs[1], DataType::kINT64), std::vector<int64_t>());
        if (fromReal()) x = reshape(x, concatenate({shapeOf(x), in.integers({1})}, 0));
        int32_t const last = x.rank() - 2;
        if (fromReal()) x = transformed(x, last, true, {});
        for (int32_t axis = last - (onesided_ != 0 ? 1 : 0); axis > last - axes_; --axis)
            x = transformed(x, axis, false, {});
        if (toReal()) x = transformed(x, last, true, length);
        if (toReal()) x = reshape(x, extents(x, 0, x.rank() - 1));
        return {cast(x, type)};
    }

private:
    bool fromReal() const { return inverse_ == 0 && onesided_ != 0; }
    bool toReal() const { return inverse_ != 0 && onesided_ != 0; }

    static void expectFlag(char const* name, int32_t value) {
        if (value != 0 && value != 1)
            throw std::invalid_argument(std::string(name) + " has to be 0 or 1; found " + std::to_string(value));
    }

    /// Along one axis.
    Value transformed(Value const& x, int32_t axis, bool onesided, std::optional<Value> const& length) const {
        OnnxAttributes attributes;
        attributes.integer("inverse", inverse_).integer("onesided", onesided ? 1 : 0).integer("scaled", 0);
        return onnxNode(OnnxOperator("DFT").opset(20), {x, length, x.layers().integer(axis)}, attributes);
    }

    int32_t inverse_ = 0;
    int32_t onesided_ = 0;
    int32_t axes_ = 1;
};

constexpr StandardPlugin kDefinitions[] = {standardPlugin<Fft>("FFTPlugin", "1", PluginGeneration::kV3, "from 11.2")};

} // namespace

std::span<StandardPlugin const> fftPlugins() { return kDefinitions; }

} // namespace tenon::plugins
