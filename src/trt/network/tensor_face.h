// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInfer.h"
#include "graph/graph.h"

#include <map>
#include <optional>
#include <string>

namespace tenon::trt {

class Network;

/// The shape of the network input `name`: a dimension of -1 becomes a symbol, of its own or of its assigned name.
using DimensionNames = std::map<int32_t, std::string>;
Shape inputShape(std::string const& name, nvinfer1::Dims64 const& dimensions, DimensionNames const& dimensionNames);

/// ITensor over a tensor of the graph.
class TensorFace final : public nvinfer1::ITensor {
public:
    TensorFace(Network& network, Tensor& tensor);

    Network& network() const { return network_; }
    Tensor& tensor() const { return *tensor_; }
    /// Represents another tensor from now on: a conversion was added after the output, or removed.
    void moveTo(Tensor& tensor) { tensor_ = &tensor; }
    /// The formats that the application allows for an input or output; empty: any.
    std::optional<nvinfer1::TensorFormats> const& allowedFormats() const { return formats_; }
    /// The type of an input or output for the application, if the network computes in another.
    std::optional<DataType> const& outerType() const { return outerType_; }
    void setOuterType(std::optional<DataType> type) { outerType_ = type; }

    void setName(char const* name) noexcept override;
    char const* getName() const noexcept override { return tensor_->name.c_str(); }
    void setType(nvinfer1::DataType type) noexcept override;
    nvinfer1::DataType getType() const noexcept override;
    bool setDynamicRange(float min, float max) noexcept override;
    bool isNetworkInput() const noexcept override;
    bool isNetworkOutput() const noexcept override;
    void setBroadcastAcrossBatch(bool broadcastAcrossBatch) noexcept override;
    bool getBroadcastAcrossBatch() const noexcept override;
    nvinfer1::TensorLocation getLocation() const noexcept override;
    void setLocation(nvinfer1::TensorLocation location) noexcept override;
    bool dynamicRangeIsSet() const noexcept override { return range_.has_value(); }
    void resetDynamicRange() noexcept override;
    float getDynamicRangeMin() const noexcept override;
    float getDynamicRangeMax() const noexcept override;
    void setAllowedFormats(nvinfer1::TensorFormats formats) noexcept override;
    nvinfer1::TensorFormats getAllowedFormats() const noexcept override;
    bool isShapeTensor() const noexcept override;
    bool isExecutionTensor() const noexcept override;
    void setDimensionName(int32_t index, char const* name) noexcept override;
    char const* getDimensionName(int32_t index) const noexcept override;

protected:
    void setDimensions_(nvinfer1::Dims64 const& dimensions) noexcept override;
    nvinfer1::Dims64 getDimensions_() const noexcept override;

private:
    bool isTyped() const;
    void settleInputType();
    void setScale(float scale);
    void expectInput(char const* what) const;
    void giveShape(nvinfer1::Dims64 const& dimensions);

    Network& network_;
    Tensor* tensor_;
    std::optional<std::pair<float, float>> range_;
    std::optional<nvinfer1::TensorFormats> formats_;
    std::optional<DataType> outerType_;
    DataType const addedAs_; // of an input: its first type
    DataType saidType_;      // and the one that the application set last
    DimensionNames dimensionNames_;
};

} // namespace tenon::trt
