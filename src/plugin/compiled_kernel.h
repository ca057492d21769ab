// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/programs.h"
#include "plugin/plugin.h"

namespace tenon {

/// A compiled kernel that a plugin gave to the plan; the plugin is not needed to run it. Its arguments are the
/// addresses of the inputs, then integers, then the addresses of the outputs. Expressions use the extents of the
/// inputs, "in<input>.<axis>".
struct CompiledKernel {
    std::string name;
    Literal code;                     // bytes of machine code, or text of assembly
    Shape size;                       // of the grid (3), of a block (3), and the bytes of a block's shared memory
    Shape integers;                   // arguments
    std::vector<int64_t> integerBits; // 8, 16 or 32 of each

    void fields(Fields& f);
};
/// The elements of CompiledKernel::size, in order.
inline constexpr std::string_view kSizeNames[]{"gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ", "sharedMem"};

/// Runs such a kernel for one context.
class KernelRun {
public:
    /// Loads it for the current device.
    KernelRun(CompiledKernel const& kernel, Programs const& programs);

    void setShapes(PortDescs const& io);
    void launch(Pointers const& pointers);

private:
    int64_t valueOf(DimExpr const& dim, PortDescs const& io, std::string_view what, int64_t most) const;

    CompiledKernel const& kernel_;
    Programs const& programs_;
    void* loaded_;
    LaunchSize size_;
    size_t inputs_ = 0;
    size_t outputs_ = 0;
    std::vector<int64_t> integers_;
    std::vector<void const*> addresses_; // of the arguments, while it is launched
};

/// A plugin that only runs the kernel: the user's plugin was needed only when the engine was built.
std::unique_ptr<Plugin> makeCompiledPlugin(PluginName name, std::string_view generation,
                                           std::shared_ptr<CompiledKernel const> kernel);

} // namespace tenon
