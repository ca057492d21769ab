// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Plugins with kernels for a GPU. NAME.cpp has the plugin and its CPU code; NAME.cu the kernels and the function that
// enqueues them; NAME.h the code that both compile: the formula and that function's parameters.
#pragma once

#include "plugin.h"

#include <initializer_list>

namespace tenon::plugins {

/// Whether this library has kernels: it was compiled with a CUDA toolkit. Functions defined in a NAME.cu exist only
/// then, so calls of them are within `if constexpr (kHasKernels)`.
#ifdef TENON_PLUGINS_HAVE_KERNELS
inline constexpr bool kHasKernels = true;
#else
inline constexpr bool kHasKernels = false;
#endif

/// A plugin that has a NAME.cu.
class GpuPlugin : public PluginBase {
public:
    PluginDevices devices() const final { return kHasKernels ? PluginDevices::kBOTH : PluginDevices::kCPU; }
};

/// Allocates pieces of a workspace. Without memory it computes the total size.
class GpuPieces {
public:
    GpuPieces(void* workspace = nullptr) : memory_(reinterpret_cast<uintptr_t>(workspace)) {}

    /// The product of `extents` elements. Throws std::invalid_argument if their bytes exceed 64 bits.
    template <typename T> T* take(std::initializer_list<int64_t> extents) {
        size_t bytes = sizeof(T), end = 0;
        bool isTooMuch = false;
        for (int64_t extent : extents) isTooMuch |= __builtin_mul_overflow(bytes, size_t(extent), &bytes);
        isTooMuch |= __builtin_add_overflow(used_, bytes, &end) || end > SIZE_MAX - kAlignment;
        if (isTooMuch) throw std::invalid_argument("its scratch memory exceeds 64 bits");
        auto* const piece = reinterpret_cast<T*>(memory_ + used_);
        used_ = (end + kAlignment - 1) / kAlignment * kAlignment;
        return piece;
    }

    size_t bytes() const { return used_; }

private:
    static constexpr size_t kAlignment = 16; // of the widest load

    uintptr_t memory_;
    size_t used_ = 0;
};

} // namespace tenon::plugins
