// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/expr_builder.h"

#include "base/error.h"

namespace tenon::trt {
namespace {

using nvinfer1::DimensionOperation;
using nvinfer1::IDimensionExpr;

DimExpr const& dimOf(IDimensionExpr const& expr) { return static_cast<DimensionExpr const&>(expr).dim(); }

DimExpr::Op opOf(DimensionOperation op) {
    switch (op) {
    case DimensionOperation::kSUM: return DimExpr::Op::Sum;
    case DimensionOperation::kPROD: return DimExpr::Op::Product;
    case DimensionOperation::kMAX: return DimExpr::Op::Max;
    case DimensionOperation::kMIN: return DimExpr::Op::Min;
    case DimensionOperation::kSUB: return DimExpr::Op::Difference;
    case DimensionOperation::kEQUAL: return DimExpr::Op::Equal;
    case DimensionOperation::kLESS: return DimExpr::Op::Less;
    case DimensionOperation::kFLOOR_DIV: return DimExpr::Op::FloorDiv;
    case DimensionOperation::kCEIL_DIV: return DimExpr::Op::CeilDiv;
    }
    fail(ErrorCode::Plugin, "operation ", static_cast<int32_t>(op), " on dimensions does not exist");
}

} // namespace

void ExprBuilder::beginAnswer() {
    sizes_.clear();
    misuse_.clear();
}

DimensionExpr const* ExprBuilder::add(DimExpr dim, bool isSize) { return &all_.emplace_back(std::move(dim), isSize); }

nvinfer1::DimsExprs ExprBuilder::toApi(Shape const& shape) {
    nvinfer1::DimsExprs dims{static_cast<int32_t>(shape.size()), {}};
    for (size_t i = 0; i < shape.size(); ++i) dims.d[i] = add(shape[i]);
    return dims;
}

Shape ExprBuilder::fromApi(nvinfer1::DimsExprs const& dims, int output) const {
    if (dims.nbDims < 0 || dims.nbDims > Dims::kMaxRank)
        fail(ErrorCode::Plugin, "output ", output, " has ", dims.nbDims, " dimensions; expected 0 to ", Dims::kMaxRank);
    Shape shape;
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        if (dims.d[i] == nullptr) fail(ErrorCode::Plugin, "output ", output, ": dimension ", i, " is null");
        DimExpr const& dim = dimOf(*dims.d[i]);
        if (dim.constantOr(0) < 0)
            fail(ErrorCode::Plugin, "output ", output, ": dimension ", i, " is ", dim,
                 "; expected at least 0 (sizes that "
                 "only the run tells are declared with declareSizeTensor)");
        shape.push_back(dim);
    }
    return shape;
}

void ExprBuilder::expectNoMisuse() const {
    if (!misuse_.empty()) fail(ErrorCode::Plugin, misuse_);
}

IDimensionExpr const* ExprBuilder::operation(DimensionOperation op, IDimensionExpr const& first,
                                             IDimensionExpr const& second) noexcept {
    try {
        return add(DimExpr::apply(opOf(op), dimOf(first), dimOf(second)));
    } catch (std::exception const& error) {
        misuse_ = text("IExprBuilder::operation: ", std::string_view(error.what()));
        return nullptr;
    }
}

IDimensionExpr const* ExprBuilder::declareSizeTensor(int32_t outputIndex, IDimensionExpr const& opt,
                                                     IDimensionExpr const& upper) noexcept {
    SizeTensor size{text("size.", outputIndex), outputIndex, dimOf(opt), dimOf(upper)};
    DimExpr const dim = size.dim();
    for (SizeTensor const& other : sizes_) {
        if (other.output == size.output) return add(dim, true); // the same size in a second place
    }
    sizes_.push_back(std::move(size));
    return add(dim, true);
}

} // namespace tenon::trt
