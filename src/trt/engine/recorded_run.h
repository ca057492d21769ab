// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "runtime/context.h"
#include "trt/edge/default_allocator.h"
#include "trt/edge/edge.h"
#include "trt/edge/program_cuda.h"

namespace tenon::trt {

/// An enqueue on the CPU that a graph of the application repeats: with the shapes, the values of shape tensors and the
/// addresses at the time of the capture, independent of the context.
class RecordedRun final : public GraphWork {
public:
    RecordedRun(std::shared_ptr<Engine const> engine, Context const& as, nvinfer1::IGpuAllocator* allocator,
                Reporter const& reporter, ProgramCuda const& cuda);

    /// Its context, for which the caller sets the addresses of outputs.
    Context& context() { return context_; }
    bool run() noexcept override;

private:
    std::shared_ptr<Engine const> engine_;
    Reporter reporter_;
    std::shared_ptr<void> stream_; // for plugins
    ContextAllocator pluginAllocator_;
    ContextAllocator pluginHostAllocator_;
    Context context_;
};

} // namespace tenon::trt
