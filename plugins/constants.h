// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInferRuntime.h>

#include <deque>

namespace tenon::plugins {

/// An extent that is known.
class Constant final : public nvinfer1::IDimensionExpr {
public:
    explicit Constant(int64_t value) : value_(value) {}
    bool isConstant() const noexcept override { return true; }
    bool isSizeTensor() const noexcept override { return false; }

protected:
    int64_t getConstantValue_() const noexcept override { return value_; }

private:
    int64_t value_;
};

/// Makes extents from known ones. Null for results that do not fit, and for operations that no shape here needs.
class Constants final : public nvinfer1::IExprBuilder {
public:
    nvinfer1::IDimensionExpr const* operation(nvinfer1::DimensionOperation op, nvinfer1::IDimensionExpr const& first,
                                              nvinfer1::IDimensionExpr const& second) noexcept override {
        int64_t const a = first.getConstantValue(), b = second.getConstantValue();
        int64_t product = 0;
        switch (op) { // those used by shape patterns and plugins
        case nvinfer1::DimensionOperation::kPROD:
            return __builtin_mul_overflow(a, b, &product) ? nullptr : constant(product);
        case nvinfer1::DimensionOperation::kFLOOR_DIV: return b == 0 ? nullptr : constant(a / b); // neither is negative
        default: return nullptr;
        }
    }
    nvinfer1::IDimensionExpr const* declareSizeTensor(int32_t, nvinfer1::IDimensionExpr const&,
                                                      nvinfer1::IDimensionExpr const&) noexcept override {
        return nullptr;
    }

protected:
    nvinfer1::IDimensionExpr const* constant_(int64_t value) noexcept override { return &all_.emplace_back(value); }

private:
    std::deque<Constant> all_;
};

} // namespace tenon::plugins
