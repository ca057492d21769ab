// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"
#include "plugin/plugin.h"

#include <deque>
#include <string>
#include <unordered_set>
#include <vector>

namespace tenon::trt {

/// IDimensionExpr over an extent of the core.
class DimensionExpr final : public nvinfer1::IDimensionExpr {
public:
    DimensionExpr(DimExpr dim, bool isSize) : dim_(std::move(dim)), isSize_(isSize) {}

    DimExpr const& dim() const { return dim_; }
    bool isConstant() const noexcept override { return dim_.isConstant(); }
    bool isSizeTensor() const noexcept override { return isSize_; }

protected:
    int64_t getConstantValue_() const noexcept override { return dim_.constantOr(0); }

private:
    DimExpr dim_;
    bool isSize_;
};

/// IExprBuilder: owns the expressions that a plugin creates in getOutputShapes() and getOutputDimensions().
class ExprBuilder final : public nvinfer1::IExprBuilder {
public:
    /// Begins another call: forgets size tensors and misuse. Expressions are kept.
    void beginAnswer();
    /// The shape as expressions that a plugin can use.
    nvinfer1::DimsExprs toApi(Shape const& shape);
    /// The shape that a plugin returned for output `output`; an Error if it is not valid.
    Shape fromApi(nvinfer1::DimsExprs const& dims, int output) const;

    std::vector<SizeTensor> const& sizes() const { return sizes_; }
    /// Throws an Error if the plugin requested an expression that does not exist: it may not have checked for null.
    void expectNoMisuse() const;

    nvinfer1::IDimensionExpr const* operation(nvinfer1::DimensionOperation op, nvinfer1::IDimensionExpr const& first,
                                              nvinfer1::IDimensionExpr const& second) noexcept override;
    nvinfer1::IDimensionExpr const* declareSizeTensor(int32_t outputIndex, nvinfer1::IDimensionExpr const& opt,
                                                      nvinfer1::IDimensionExpr const& upper) noexcept override;

protected:
    nvinfer1::IDimensionExpr const* constant_(int64_t value) noexcept override;

private:
    DimensionExpr const* add(DimExpr dim, bool isSize = false);
    /// Throws an Error if this builder did not create it.
    DimExpr const& dimOf(nvinfer1::IDimensionExpr const* expr, std::string_view what) const;
    SizeTensor sizeOf(int32_t output, nvinfer1::IDimensionExpr const& opt, nvinfer1::IDimensionExpr const& upper) const;
    DimensionExpr const* declare(int32_t output, nvinfer1::IDimensionExpr const& opt,
                                 nvinfer1::IDimensionExpr const& upper);
    /// Null on exceptions, which are remembered.
    template <class Make> nvinfer1::IDimensionExpr const* orMisuse(std::string_view method, Make&& make) noexcept;

    std::deque<DimensionExpr> all_; // a deque: elements do not move
    std::unordered_set<nvinfer1::IDimensionExpr const*> made_;
    std::vector<SizeTensor> sizes_;
    std::string misuse_;
};

} // namespace tenon::trt
