// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/engine/recorded_run.h"

namespace tenon::trt {

RecordedRun::RecordedRun(std::shared_ptr<Engine const> engine, Context const& as, nvinfer1::IGpuAllocator* allocator,
                         Reporter const& reporter, ProgramCuda const& cuda)
    : engine_(std::move(engine)), reporter_(reporter), stream_(cuda.makeStream()),
      pluginAllocator_(*allocatorOf({.device = engine_->plan().device, .allocator = allocator})),
      pluginHostAllocator_(*allocatorOf({})), context_(as, {.allocator = &pluginAllocator_,
                                                            .hostAllocator = &pluginHostAllocator_,
                                                            .errorRecorder = reporter_.recorder()}) {
    for (Engine::Step const& step : engine_->steps()) {
        if (!step.sizes.empty())
            fail(ErrorCode::InvalidState, *step.assignment->node,
                 ": the size of its outputs is known at run time only, so it cannot be part of a CUDA graph; run the "
                 "engine without one");
    }
    for (SegmentPlan const& segment : engine_->segments()) {
        if (segment.elements.empty()) continue;
        auto const& tensors = engine_->plan().graph.tensors();
        fail(ErrorCode::InvalidState, "the elements of ", tensors[static_cast<size_t>(segment.elements.front())]->name,
             " decide shapes and are known at run time only, so the engine cannot be part of a CUDA graph; run it "
             "without one");
    }
    context_.prepare();
}

bool RecordedRun::run() noexcept {
    return guarded(reporter_, "a launch of a graph that captured enqueueV3",
                   [&] { return context_.enqueue(stream_.get()), true; });
}

} // namespace tenon::trt
