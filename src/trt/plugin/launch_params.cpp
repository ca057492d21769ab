// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/plugin/launch_params.h"

#include "base/error.h"
#include "trt/plugin/expr_builder.h"

namespace tenon::trt {
namespace {

using nvinfer1::ISymExpr;
using nvinfer1::PluginArgDataType;

DimExpr dimOf(ISymExpr& symbolic, std::string_view what) {
    if (symbolic.getType() != nvinfer1::PluginArgType::kINT)
        fail(ErrorCode::Plugin, what, " is of type ", static_cast<int32_t>(symbolic.getType()), "; expected kINT");
    auto const* const expr = static_cast<nvinfer1::IDimensionExpr const*>(symbolic.getExpr());
    if (expr == nullptr) fail(ErrorCode::Plugin, what, ": getExpr returned null");
    DimExpr const dim = static_cast<DimensionExpr const&>(*expr).dim();
    dim.substitute([&](std::string const& symbol) -> std::optional<DimExpr> {
        bool const isExtent = symbol.starts_with("in") && symbol.find('.') != std::string::npos;
        if (!isExtent) fail(ErrorCode::Plugin, what, " is ", dim, "; expected an expression of the input shapes");
        return std::nullopt;
    });
    return dim;
}

int64_t bitsOf(PluginArgDataType type, std::string_view what) {
    switch (type) {
    case PluginArgDataType::kINT8: return 8;
    case PluginArgDataType::kINT16: return 16;
    case PluginArgDataType::kINT32: return 32;
    }
    fail(ErrorCode::Plugin, what, ": no PluginArgDataType has the number ", static_cast<int32_t>(type));
}

} // namespace

Shape LaunchParams::size() const {
    Shape size;
    for (size_t i = 0; i < all_.size(); ++i)
        size.push_back(all_[i] ? dimOf(*all_[i], kSizeNames[i]) : DimExpr(i == kShared ? 0 : 1));
    return size;
}

bool ExtraArguments::setSymExpr(int32_t index, ISymExpr* symExpr) noexcept {
    if (!has(index) || symExpr == nullptr) return false;
    all_[at(index)] = symExpr;
    return true;
}

bool ExtraArguments::setNbSymExprs(int32_t count) noexcept try {
    if (count < 0) return false;
    all_.resize(at(count), nullptr);
    return true;
} catch (std::exception const&) { // no memory for that many
    return false;
}

void ExtraArguments::giveTo(CompiledKernel& kernel) const {
    for (size_t i = 0; i < all_.size(); ++i) {
        std::string const what = text("extra argument ", i);
        if (all_[i] == nullptr) fail(ErrorCode::Plugin, what, " of ", all_.size(), " is not set");
        kernel.integers.push_back(dimOf(*all_[i], what));
        kernel.integerBits.push_back(bitsOf(all_[i]->getDataType(), what));
    }
}

} // namespace tenon::trt
