// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows that a run finds, of several pictures: padded to the same number for each, as the originals have them, or as
// many as there are.
#pragma once

#include "plugin.h"

#include <initializer_list>
#include <string>

namespace tenon::plugins {

/// How outputs have the rows of all pictures.
enum class Rows {
    kPadded, ///< [B,most,...]: so many for each picture; what is left is filled.
    kReal,   ///< [D,...]: those of all pictures, one behind the other. The last output, `rows`, is D.
};

/// The version that a plugin of kReal rows is published under, beside those of the original.
inline constexpr char const* kRealSize = "real_size";

/// The shape of such an output. \param most the field that says how many rows of a picture are kept
inline std::string shapeOfRows(Rows rows, std::string const& most, std::string const& row) {
    return (rows == Rows::kPadded ? "[B," + most : "[?") + row + "]";
}

/// The kind of such an output that is kReal where it is padded: what the run finds the size of is FLOAT on every
/// device.
constexpr PluginBase::Kind kindOfRows(Rows rows) {
    return rows == Rows::kPadded ? PluginBase::Kind::kReal : PluginBase::Kind::kFloat;
}

/// Of kReal rows: declares the last output, and that the first extent of each of `of` is what it says.
inline void declareRows(nvinfer1::IExprBuilder& builder, nvinfer1::IDimensionExpr const* most,
                        nvinfer1::DimsExprs* outputs, std::initializer_list<int32_t> of, int32_t rows) {
    auto const* const size = builder.declareSizeTensor(rows, *most, *most);
    for (int32_t output : of) outputs[output].d[0] = size;
}

} // namespace tenon::plugins
