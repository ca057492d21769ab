// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/network/tensor_face.h"

#include "plan/shapes/host_tensors.h"
#include "trt/edge/convert.h"
#include "trt/edge/shape_tensors.h"
#include "trt/network/network.h"

#include <cmath>

namespace tenon::trt {

using nvinfer1::TensorFormats;

Shape inputShape(std::string const& name, nvinfer1::Dims64 const& dimensions, DimensionNames const& dimensionNames) {
    Shape shape = toShape(fromApi(dimensions));
    for (size_t i = 0; i < shape.size(); ++i) {
        int64_t const extent = dimensions.d[i];
        if (extent < -1)
            fail(ErrorCode::InvalidArgument, name, ": dimension ", i, " is ", extent, "; expected at least -1");
        auto const named = dimensionNames.find(static_cast<int32_t>(i));
        if (extent == -1)
            shape[i] = DimExpr::symbol(named == dimensionNames.end() ? text(name, '.', i) : named->second);
    }
    return shape;
}

/// The names of open dimensions of a model's inputs are their symbols.
TensorFace::TensorFace(Network& network, Tensor& tensor)
    : network_(network), tensor_(&tensor), addedAs_(tensor.type), saidType_(tensor.type) {
    for (size_t i = 0; i < tensor.shape.size() && tensor.producer() == nullptr; ++i) {
        DimExpr const& dim = tensor.shape[i];
        bool const named = dim.op() == DimExpr::Op::Symbol && dim.name() != text(tensor.name, '.', i);
        if (named) dimensionNames_[static_cast<int32_t>(i)] = dim.name();
    }
}

void TensorFace::setName(char const* name) noexcept {
    guarded(network_.reporter(), "ITensor::setName", [&] {
        constexpr size_t kLongest = 4096;
        std::string const wanted = expectText(name, "name");
        if (wanted.size() > kLongest)
            fail(ErrorCode::InvalidArgument, "the name has ", wanted.size(), " bytes; expected at most ", kLongest);
        tensor_->name = wanted;
        if (isNetworkInput()) giveShape(network_.shown(toApi(tensor_->shape))); // its symbols contain its name
    });
}

void TensorFace::setType(nvinfer1::DataType type) noexcept {
    guarded(network_.reporter(), "ITensor::setType", [&] {
        DataType const to = fromApi(type);
        if (tensor_->producer()) {
            if (!network_.graph().isOutput(tensor_))
                return network_.reporter().noEffect(withoutEffect("ITensor::setType"), tensor_->name);
            Tensor& made = network_.beforeConversion(*tensor_);
            network_.refresh(&made);
            if (isTyped() && made.type == to) return; // nothing to convert, which would be refused
            network_.faceOf(*made.producer()).bindOutput(made.producerIndex(), to);
            return;
        }
        saidType_ = to;
        settleInputType();
    });
}

bool TensorFace::isTyped() const { return network_.getFlag(nvinfer1::NetworkDefinitionCreationFlag::kSTRONGLY_TYPED); }

/// Depends on all settings of the application, in any order. If the builder chooses the types of a network, an input is
/// computed with in the floating point type that it was added as: if the application sets another such type, or int8,
/// it is converted at the input. So is an int8 input with a range.
void TensorFace::settleInputType() {
    bool const isFraction = isFloat(saidType_) || saidType_ == DataType::Int8;
    bool const isQuantized = saidType_ == DataType::Int8 && range_;
    DataType computed = saidType_;
    if (!isTyped() && isFloat(addedAs_) && isFraction)
        computed = addedAs_;
    else if (!isTyped() && isQuantized)
        computed = DataType::Float32;
    outerType_.reset();
    if (computed != saidType_) outerType_ = saidType_;
    if (tensor_->type == computed) return;
    tensor_->type = computed;
    tensor_->label.type = computed;
    for (Node* reader : tensor_->readers()) network_.touch(*reader);
}

nvinfer1::DataType TensorFace::getType() const noexcept {
    return guarded(network_.reporter(), "ITensor::getType", [&] {
        network_.refresh(tensor_);
        return toApi(outerType_.value_or(tensor_->type));
    });
}

bool TensorFace::setDynamicRange(float min, float max) noexcept {
    return guarded(network_.reporter(), "ITensor::setDynamicRange", [&] {
        float const scale = scaleOfRange(tensor_->name, min, max);
        range_ = {min, max};
        setScale(scale);
        return true;
    });
}

void TensorFace::resetDynamicRange() noexcept {
    range_.reset();
    setScale(0);
}

/// A layer's output and its conversion, which the application sees, have one range.
void TensorFace::setScale(float scale) {
    tensor_->quantum.scale = scale;
    network_.beforeConversion(*tensor_).quantum.scale = scale;
    if (isNetworkInput()) settleInputType();
}

float TensorFace::getDynamicRangeMin() const noexcept { return range_ ? range_->first : std::nanf(""); }
float TensorFace::getDynamicRangeMax() const noexcept { return range_ ? range_->second : std::nanf(""); }

bool TensorFace::isNetworkInput() const noexcept { return tensor_->producer() == nullptr; }
bool TensorFace::isNetworkOutput() const noexcept { return network_.graph().isOutput(tensor_); }

nvinfer1::TensorLocation TensorFace::getLocation() const noexcept {
    bool const boundary = isNetworkInput() || isNetworkOutput();
    return boundary && isShapeTensor() ? nvinfer1::TensorLocation::kHOST : nvinfer1::TensorLocation::kDEVICE;
}

void TensorFace::setLocation(nvinfer1::TensorLocation location) noexcept {
    if (location != getLocation()) network_.reporter().noEffect(withoutEffect("ITensor::setLocation"));
}

void TensorFace::setAllowedFormats(TensorFormats formats) noexcept {
    guarded(network_.reporter(), "ITensor::setAllowedFormats", [&] {
        TensorFormats const all = (1U << nvinfer1::EnumMax<nvinfer1::TensorFormat>()) - 1;
        if ((formats & all) == 0)
            fail(ErrorCode::InvalidArgument, tensor_->name, ": format mask ", formats, " names no format");
        formats_ = formats & all;
    });
}

TensorFormats TensorFace::getAllowedFormats() const noexcept {
    return formats_.value_or((1U << nvinfer1::EnumMax<nvinfer1::TensorFormat>()) - 1);
}

bool TensorFace::isShapeTensor() const noexcept {
    return guarded(network_.reporter(), "ITensor::isShapeTensor", [&] {
        Graph const& graph = network_.graph();
        return decidesShapes(graph).contains(tensor_) && !knownToRunsOnly(graph).contains(tensor_);
    });
}

bool TensorFace::isExecutionTensor() const noexcept {
    return guarded(network_.reporter(), "ITensor::isExecutionTensor",
                   [&] { return decidesOutputs(network_.graph()).contains(tensor_); });
}

void TensorFace::expectInput(char const* what) const {
    if (tensor_->producer())
        fail(ErrorCode::InvalidArgument, tensor_->name, " is the output of ", *tensor_->producer(),
             "; only inputs of the network can have ", what);
}

void TensorFace::setDimensionName(int32_t index, char const* name) noexcept {
    guarded(network_.reporter(), "ITensor::setDimensionName", [&] {
        network_.expectExplicitBatch("names of dimensions");
        expectInput("names of dimensions");
        if (index < 0 || index >= static_cast<int32_t>(tensor_->shape.size()))
            fail(ErrorCode::InvalidArgument, tensor_->name, ": dimension ", index, " of a tensor of rank ",
                 tensor_->shape.size());
        dimensionNames_.erase(index);
        if (name && *name) dimensionNames_[index] = name;
        giveShape(toApi(tensor_->shape));
    });
}

char const* TensorFace::getDimensionName(int32_t index) const noexcept {
    auto const found = dimensionNames_.find(index);
    return found == dimensionNames_.end() ? nullptr : found->second.c_str();
}

void TensorFace::setDimensions_(nvinfer1::Dims64 const& dimensions) noexcept {
    guarded(network_.reporter(), "ITensor::setDimensions", [&] {
        expectInput("dimensions");
        giveShape(dimensions);
    });
}

void TensorFace::giveShape(nvinfer1::Dims64 const& dimensions) {
    Shape shape = network_.wholeShape(tensor_->name, dimensions, dimensionNames_);
    if (getBroadcastAcrossBatch()) shape[0] = DimExpr(1); // unchanged
    tensor_->shape = std::move(shape);
    for (Node* reader : tensor_->readers()) network_.touch(*reader);
}

nvinfer1::Dims64 TensorFace::getDimensions_() const noexcept {
    return guardedOr(noDims(), network_.reporter(), "ITensor::getDimensions", [&] {
        network_.refresh(tensor_);
        return network_.shown(toApi(tensor_->shape));
    });
}

} // namespace tenon::trt
