// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// The descriptions of tensors that plugins are handed, in both widths, and how one becomes the other.
#ifndef TENON_API_TENSOR_DESC_H
#define TENON_API_TENSOR_DESC_H

#include "tenon/api/types.h"

namespace nvinfer1 {

namespace tenonAbi {

/// A tensor as a plugin sees it. A template, so that each width has a type of its own name.
template <typename Shape> struct TensorDesc {
    Shape dims;          ///< -1 for an extent that is not known, at build only.
    DataType type;       ///< The type of one element.
    TensorFormat format; ///< How the elements lie in memory.
    float scale;         ///< Real value = scale * element, where `type` is quantized.
};

/// A tensor whose shape is a range. `desc.dims` has -1 where `min` and `max` differ.
template <typename Shape> struct DynamicTensorDesc {
    TensorDesc<Shape> desc;
    Shape min; ///< The least extents.
    Shape max; ///< The largest extents.
};

/// From level 10 on the range names the extents to be fast for, too.
template <> struct DynamicTensorDesc<Dims64> {
    TensorDesc<Dims64> desc;
    Dims64 min; ///< The least extents.
    Dims64 max; ///< The largest extents.
    Dims64 opt; ///< The extents to choose the fastest way for.
};

using PluginTensorDesc32 = TensorDesc<Dims32>;
using PluginTensorDesc64 = TensorDesc<Dims64>;
using DynamicPluginTensorDesc32 = DynamicTensorDesc<Dims32>;
using DynamicPluginTensorDesc64 = DynamicTensorDesc<Dims64>;

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

/// The narrow one does not say what to be fast for: the largest extents, then.
inline void convert(DynamicPluginTensorDesc32 const& from, DynamicPluginTensorDesc64& to) {
    convertRange(from, to);
    to.opt = to.max;
}

/// `count` shapes or descriptions in the other width, for the length of one call. Up to kInline of them lie on the
/// stack, so that running a plugin allocates nothing.
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

/// A tensor that a plugin reads or writes. \see tenonAbi::TensorDesc
using PluginTensorDesc = tenonAbi::TensorDesc<Dims>;

/// A tensor whose shape is a range. \see tenonAbi::DynamicTensorDesc
using DynamicPluginTensorDesc = tenonAbi::DynamicTensorDesc<Dims>;

} // namespace nvinfer1

#endif // TENON_API_TENSOR_DESC_H
