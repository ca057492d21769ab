// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "transformers.h"

#include <limits>
#include <stdexcept>

namespace tenon::plugins {

using nvinfer1::DataType;

void checkTypeId(int32_t typeId, int32_t most) {
    if (typeId >= 0 && typeId <= most) return;
    throw std::invalid_argument("type_id has to be given, 0 (FLOAT)" + std::string(most < 2 ? " or " : ", ") +
                                "1 (HALF)" + (most < 2 ? "" : " or 2 (INT8)"));
}

Value asTypeId(Value const& x, int32_t typeId) {
    if (typeId > 1) return x;
    return cast(x, typeId == 1 ? DataType::kHALF : DataType::kFLOAT);
}

void expectLength(char const* name, std::vector<float> const& values, char const* other, size_t length) {
    if (values.size() == length) return;
    throw std::invalid_argument(std::string(name) + " has " + std::to_string(values.size()) + " numbers, " + other +
                                " has " + std::to_string(length) + "; their lengths must be equal");
}

int32_t lastWideAxis(nvinfer1::Dims const& dims) {
    int32_t axis = dims.nbDims - 1;
    while (axis > 0 && dims.d[axis] == 1) --axis;
    return axis;
}

Value layerNorm(Value const& x, std::vector<float> const& gamma, std::vector<float> const& beta, int32_t axis) {
    std::vector<int64_t> extents(size_t(x.rank()), 1);
    extents[size_t(axis)] = int64_t(gamma.size());
    float const epsilon = std::numeric_limits<float>::epsilon(); // the constant part becomes beta
    return normalize(x, x.layers().reals(gamma, extents, x), x.layers().reals(beta, extents, x),
                     Value::axes(axis, axis + 1), epsilon);
}

} // namespace tenon::plugins
