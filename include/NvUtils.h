// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Weights of other frameworks in the order that layers want them.
#ifndef NV_UTILS_H
#define NV_UTILS_H

#include "NvInfer.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#if TENON_LEVEL > 8 && !defined(TENON_ALL_LEVELS)
#error "NvUtils.h ended with level 8: compile with -DTENON_LEVEL=7 or 8, or reorder the values yourself."
#endif

namespace nvinfer1 {

namespace tenonAbi {
inline std::size_t bytesOfWeight(DataType type) noexcept {
    if (type == DataType::kFLOAT || type == DataType::kINT32) return 4;
    return type == DataType::kHALF ? 2 : 1;
}
} // namespace tenonAbi

namespace utils {

/// Transposes weights of `nbDims` dimensions: axis i of what comes out is axis shapeOrder[i] of what goes in.
/// \param input as many values as `shape` has elements; of 4, 2 or 1 bytes each, as its type says
/// \param shape the extents of the input
/// \param data room for the result, of the size of the input; not the input itself
/// \return false, with nothing written, where the arguments do not fit together
inline bool reshapeWeights(Weights const& input, int32_t const* shape, int32_t const* shapeOrder, void* data,
                           int32_t nbDims) {
    std::size_t const element = tenonAbi::bytesOfWeight(input.type);
    if (!shape || !shapeOrder || !data || !input.values || nbDims < 1 || nbDims > Dims::MAX_DIMS) return false;
    std::vector<int64_t> strides(static_cast<std::size_t>(nbDims), 1); // of the input
    for (int32_t axis = nbDims - 1; axis > 0; --axis)
        strides[static_cast<std::size_t>(axis - 1)] = strides[static_cast<std::size_t>(axis)] * shape[axis];
    std::vector<bool> named(static_cast<std::size_t>(nbDims), false);
    for (int32_t axis = 0; axis < nbDims; ++axis) {
        bool const fits = shape[axis] > 0 && shapeOrder[axis] >= 0 && shapeOrder[axis] < nbDims &&
                          !named[static_cast<std::size_t>(shapeOrder[axis])];
        if (!fits) return false;
        named[static_cast<std::size_t>(shapeOrder[axis])] = true;
    }
    if (strides[0] * shape[0] != input.count) return false;
    for (int64_t to = 0; to < input.count; ++to) {
        int64_t from = 0;
        int64_t rest = to;
        for (int32_t axis = nbDims - 1; axis >= 0; --axis) {
            int32_t const source = shapeOrder[axis];
            from += rest % shape[source] * strides[static_cast<std::size_t>(source)];
            rest /= shape[source];
        }
        std::memcpy(static_cast<char*>(data) + static_cast<std::size_t>(to) * element,
                    static_cast<char const*>(input.values) + static_cast<std::size_t>(from) * element, element);
    }
    return true;
}

/// Reorders `num` pieces of `size` bytes in place: piece i becomes what piece order[i] was.
/// \return false, with nothing changed, where the arguments do not fit together
inline bool reorderSubBuffers(void* input, int32_t const* order, int32_t num, int32_t size) {
    if (!input || !order || num < 1 || size < 1) return false;
    std::size_t const piece = static_cast<std::size_t>(size);
    std::vector<char> const before(static_cast<char*>(input),
                                   static_cast<char*>(input) + static_cast<std::size_t>(num) * piece);
    if (std::any_of(order, order + num, [num](int32_t from) { return from < 0 || from >= num; })) return false;
    for (int32_t i = 0; i < num; ++i)
        std::memcpy(static_cast<char*>(input) + static_cast<std::size_t>(i) * piece,
                    before.data() + static_cast<std::size_t>(order[i]) * piece, piece);
    return true;
}

/// Transposes each of `num` matrices of `height` rows and `width` columns in place.
/// \return false, with nothing changed, where the arguments do not fit together
inline bool transposeSubBuffers(void* input, DataType type, int32_t num, int32_t height, int32_t width) {
    if (!input || num < 1 || height < 1 || width < 1) return false;
    int64_t const count = static_cast<int64_t>(num) * height * width;
    std::size_t const bytes = static_cast<std::size_t>(count) * tenonAbi::bytesOfWeight(type);
    std::vector<char> const before(static_cast<char*>(input), static_cast<char*>(input) + bytes);
    int32_t const shape[]{num, height, width};
    int32_t const order[]{0, 2, 1};
    return reshapeWeights(Weights{type, before.data(), count}, shape, order, input, 3);
}

} // namespace utils
} // namespace nvinfer1

#endif
