// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of several images whose number a run determines: padded to the same number for each, as in the originals, or
// concatenated.
#pragma once

#include "plugin.h"

#include <initializer_list>
#include <string>

namespace tenon::plugins {

/// The layouts of the rows of all images.
enum class Rows {
    kPadded, ///< [B,most,...]: `most` for each image, padded.
    kReal,   ///< [D,...]: those of all images, concatenated. The last output, `rows`, is D.
};

/// The version under which a plugin with kReal rows is published, besides those of the original.
inline constexpr char const* kRealSize = "real_size";

/// The shape of such an output. \param most the field with the maximum number of rows per image
inline std::string shapeOfRows(Rows rows, std::string const& most, std::string const& row) {
    return (rows == Rows::kPadded ? "[B," + most : "[?") + row + "]";
}

/// The kind of such an output that is kReal if padded: outputs of data-dependent size are FLOAT on every device.
constexpr PluginBase::Kind kindOfRows(Rows rows) {
    return rows == Rows::kPadded ? PluginBase::Kind::kReal : PluginBase::Kind::kFloat;
}

/// For kReal rows: declares the last output as the first extent of each of `of`.
inline void declareRows(nvinfer1::IExprBuilder& builder, nvinfer1::IDimensionExpr const* most,
                        nvinfer1::DimsExprs* outputs, std::initializer_list<int32_t> of, int32_t rows) {
    auto const* const size = builder.declareSizeTensor(rows, *most, *most);
    for (int32_t output : of) outputs[output].d[0] = size;
}

} // namespace tenon::plugins
