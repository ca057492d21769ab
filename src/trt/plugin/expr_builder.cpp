// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/plugin/expr_builder.h"

#include "base/error.h"

#include <algorithm>
#include <utility>

namespace tenon::trt {
namespace {

using nvinfer1::DimensionOperation;
using nvinfer1::IDimensionExpr;

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

bool dependsOnSize(DimExpr const& dim) {
    bool depends = false;
    dim.substitute([&](std::string const& symbol) -> std::optional<DimExpr> {
        depends = depends || symbol.starts_with("size.");
        return std::nullopt;
    });
    return depends;
}

} // namespace

void ExprBuilder::beginAnswer() {
    sizes_.clear();
    misuse_.clear();
}

DimensionExpr const* ExprBuilder::add(DimExpr dim, bool isSize) {
    DimensionExpr const* const added = &all_.emplace_back(std::move(dim), isSize);
    made_.insert(added);
    return added;
}

DimExpr const& ExprBuilder::dimOf(IDimensionExpr const* expr, std::string_view what) const {
    if (expr == nullptr) fail(ErrorCode::Plugin, what, " is null");
    if (!made_.contains(expr))
        fail(ErrorCode::Plugin, what,
             " is not an expression of this call; use those of the inputs and of this IExprBuilder");
    return static_cast<DimensionExpr const*>(expr)->dim();
}

nvinfer1::DimsExprs ExprBuilder::toApi(Shape const& shape) {
    if (shape.size() > Dims::kMaxRank)
        fail(ErrorCode::Unsupported, "a shape input of ", shape.size(), " elements; plugins receive ", Dims::kMaxRank,
             " at most");
    nvinfer1::DimsExprs dims{static_cast<int32_t>(shape.size()), {}};
    for (size_t i = 0; i < shape.size(); ++i) dims.d[i] = add(shape[i]);
    return dims;
}

Shape ExprBuilder::fromApi(nvinfer1::DimsExprs const& dims, int output) const {
    if (dims.nbDims < 0 || dims.nbDims > Dims::kMaxRank)
        fail(ErrorCode::Plugin, "output ", output, " has ", dims.nbDims, " dimensions; expected 0 to ", Dims::kMaxRank);
    Shape shape;
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        DimExpr const& dim = dimOf(dims.d[i], text("output ", output, ": dimension ", i));
        if (dim.constantOr(0) < 0)
            fail(ErrorCode::Plugin, "output ", output, ": dimension ", i, " is ", dim,
                 "; expected at least 0 (declare data-dependent sizes with declareSizeTensor)");
        shape.push_back(dim);
    }
    return shape;
}

void ExprBuilder::expectNoMisuse() const {
    if (!misuse_.empty()) fail(ErrorCode::Plugin, misuse_);
}

template <class Make> IDimensionExpr const* ExprBuilder::orMisuse(std::string_view method, Make&& make) noexcept {
    try {
        try {
            return make();
        } catch (Error const& error) {
            if (misuse_.empty()) misuse_ = text("IExprBuilder::", method, ": ", std::string_view(error.what()));
        }
    } catch (...) {
        misuse_ = "out of memory"; // short enough to need none
    }
    return nullptr;
}

IDimensionExpr const* ExprBuilder::constant_(int64_t value) noexcept {
    return orMisuse("constant", [&] { return add(value); });
}

IDimensionExpr const* ExprBuilder::operation(DimensionOperation op, IDimensionExpr const& first,
                                             IDimensionExpr const& second) noexcept {
    return orMisuse("operation", [&] {
        return add(
            DimExpr::apply(opOf(op), dimOf(&first, "the first argument"), dimOf(&second, "the second argument")));
    });
}

SizeTensor ExprBuilder::sizeOf(int32_t output, IDimensionExpr const& opt, IDimensionExpr const& upper) const {
    SizeTensor size{text("size.", output), output, dimOf(&opt, "opt"), dimOf(&upper, "upper")};
    for (auto const& [bound, name] : {std::pair{&size.opt, "opt"}, std::pair{&size.upper, "upper"}}) {
        if (bound->constantOr(0) < 0) fail(ErrorCode::Plugin, name, " is ", *bound, "; expected at least 0");
        if (dependsOnSize(*bound))
            fail(ErrorCode::Plugin, name, " is ", *bound, "; expected a value that does not depend on data");
    }
    return size;
}

DimensionExpr const* ExprBuilder::declare(int32_t output, IDimensionExpr const& opt, IDimensionExpr const& upper) {
    SizeTensor size = sizeOf(output, opt, upper);
    DimExpr const dim = size.dim();
    auto const other = std::ranges::find(sizes_, size.output, &SizeTensor::output);
    if (other == sizes_.end())
        sizes_.push_back(std::move(size));
    else if (!(other->opt == size.opt && other->upper == size.upper))
        fail(ErrorCode::Plugin, "opt ", size.opt, " and upper ", size.upper, ", where it was declared with ",
             other->opt, " and ", other->upper, " before; expected the same for one output");
    return add(dim, true);
}

IDimensionExpr const* ExprBuilder::declareSizeTensor(int32_t outputIndex, IDimensionExpr const& opt,
                                                     IDimensionExpr const& upper) noexcept {
    return orMisuse("declareSizeTensor", [&] {
        return locate([&] { return text("output ", outputIndex); }, [&] { return declare(outputIndex, opt, upper); });
    });
}

} // namespace tenon::trt
