// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Descriptions of the tensors of a plugin, in both widths, and conversions between them.
#ifndef TENON_API_TENSOR_DESC_H
#define TENON_API_TENSOR_DESC_H

#include "tenon/api/types.h"

namespace nvinfer1 {

namespace tenonAbi {

/// Describes a tensor to a plugin. Public name: PluginTensorDesc.
template <typename Shape> struct TensorDesc {
    Shape dims;          ///< The shape; -1 for an extent that is not known, in the build only.
    DataType type;       ///< The type of an element.
    TensorFormat format; ///< The memory layout.
    float scale;         ///< For quantized tensors: value = scale * element.
};

/// Describes a tensor whose shape is a range to a plugin; desc.dims has -1 where `min` and `max` differ. Public name:
/// DynamicPluginTensorDesc.
template <typename Shape> struct DynamicTensorDesc {
    TensorDesc<Shape> desc; ///< Type, format and scale.
    Shape min;              ///< The smallest extents.
    Shape max;              ///< The largest extents.
};

/// The same with the extents that the build optimizes for, from level 10 on.
template <> struct DynamicTensorDesc<Dims64> {
    TensorDesc<Dims64> desc; ///< Type, format and scale.
    Dims64 min;              ///< The smallest extents.
    Dims64 max;              ///< The largest extents.
    Dims64 opt;              ///< The extents that the build optimizes for.
};

using PluginTensorDesc32 = TensorDesc<Dims32>;
using PluginTensorDesc64 = TensorDesc<Dims64>;
using DynamicPluginTensorDesc32 = DynamicTensorDesc<Dims32>;
using DynamicPluginTensorDesc64 = DynamicTensorDesc<Dims64>;

/// Converts a shape or description to the other width.
inline void convert(Dims32 const& from, Dims64& to) { to = convertDims<Dims64>(from); }
inline void convert(Dims64 const& from, Dims32& to) { to = dims32(from); }

template <typename From, typename To> inline void convert(TensorDesc<From> const& from, TensorDesc<To>& to) {
    convert(from.dims, to.dims);
    to.type = from.type;
    to.format = from.format;
    to.scale = from.scale;
}

template <typename From, typename To> inline void convertRange(From const& from, To& to) {
    convert(from.desc, to.desc);
    convert(from.min, to.min);
    convert(from.max, to.max);
}

inline void convert(DynamicPluginTensorDesc64 const& from, DynamicPluginTensorDesc32& to) { convertRange(from, to); }

/// Converts a range to 64 bits; `opt` becomes the largest extents.
inline void convert(DynamicPluginTensorDesc32 const& from, DynamicPluginTensorDesc64& to) {
    convertRange(from, to);
    to.opt = to.max;
}

/// Holds an array of shapes or descriptions in the other width, for the duration of one call. Up to kInline of them
/// need no allocation.
template <typename To> class Converted {
public:
    template <typename From>
    Converted(From const* from, int32_t count) : items_(count > kInline ? new To[count] : inline_) {
        for (int32_t i = 0; i < count; ++i) {
            convert(from[i], items_[i]);
        }
    }
    ~Converted() {
        if (items_ != inline_) {
            delete[] items_;
        }
    }
    Converted(Converted const&) = delete;
    Converted& operator=(Converted const&) = delete;

    operator To const*() const { return items_; }

private:
    static constexpr int32_t kInline = 8;
    To inline_[kInline];
    To* items_;
};

} // namespace tenonAbi

/// Describes a tensor that a plugin reads or writes. \see tenonAbi::TensorDesc
using PluginTensorDesc = tenonAbi::TensorDesc<Dims>;

/// Describes a tensor whose shape is a range. \see tenonAbi::DynamicTensorDesc
using DynamicPluginTensorDesc = tenonAbi::DynamicTensorDesc<Dims>;

} // namespace nvinfer1

#endif // TENON_API_TENSOR_DESC_H
