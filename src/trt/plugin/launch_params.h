// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "impl/NvInferPythonPlugin.h"
#include "plugin/compiled_kernel.h"

#include <array>

namespace tenon::trt {

/// IKernelLaunchParams: stores the values that a plugin sets during one call.
class LaunchParams final : public nvinfer1::IKernelLaunchParams {
public:
    using ISymExpr = nvinfer1::ISymExpr;

    /// The extents of the grid and of a block (1 where not set), and the bytes of shared memory (else 0).
    Shape size() const;

    ISymExpr* getGridX() noexcept override { return all_[0]; }
    bool setGridX(ISymExpr* gridX) noexcept override { return set(0, gridX); }
    ISymExpr* getGridY() noexcept override { return all_[1]; }
    bool setGridY(ISymExpr* gridY) noexcept override { return set(1, gridY); }
    ISymExpr* getGridZ() noexcept override { return all_[2]; }
    bool setGridZ(ISymExpr* gridZ) noexcept override { return set(2, gridZ); }
    ISymExpr* getBlockX() noexcept override { return all_[3]; }
    bool setBlockX(ISymExpr* blockX) noexcept override { return set(3, blockX); }
    ISymExpr* getBlockY() noexcept override { return all_[4]; }
    bool setBlockY(ISymExpr* blockY) noexcept override { return set(4, blockY); }
    ISymExpr* getBlockZ() noexcept override { return all_[5]; }
    bool setBlockZ(ISymExpr* blockZ) noexcept override { return set(5, blockZ); }
    ISymExpr* getSharedMem() noexcept override { return all_[kShared]; }
    bool setSharedMem(ISymExpr* sharedMem) noexcept override { return set(kShared, sharedMem); }

private:
    static constexpr size_t kShared = 6;
    bool set(size_t index, ISymExpr* value) noexcept { return (all_[index] = value) != nullptr; }

    std::array<ISymExpr*, kShared + 1> all_{};
};

/// ISymExprs: likewise.
class ExtraArguments final : public nvinfer1::ISymExprs {
public:
    using ISymExpr = nvinfer1::ISymExpr;

    /// Adds the arguments to the kernel; an Error for one that is not set, or of an unknown type.
    void giveTo(CompiledKernel& kernel) const;

    ISymExpr* getSymExpr(int32_t index) const noexcept override { return has(index) ? all_[at(index)] : nullptr; }
    bool setSymExpr(int32_t index, ISymExpr* symExpr) noexcept override;
    int32_t getNbSymExprs() const noexcept override { return static_cast<int32_t>(all_.size()); }
    bool setNbSymExprs(int32_t count) noexcept override;

private:
    static size_t at(int32_t index) { return static_cast<size_t>(index); }
    bool has(int32_t index) const { return index >= 0 && index < getNbSymExprs(); }

    std::vector<ISymExpr*> all_;
};

} // namespace tenon::trt
