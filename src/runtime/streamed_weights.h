// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tenon {

/// Weights that one step alone reads, so that a device needs them only while it runs.
struct StepWeights {
    static constexpr int kPacked = -1;
    struct Part {
        int constant; // its tensor's number, or kPacked: the step's packed weights
        size_t bytes;
        size_t offset = 0; // among the step's weights
    };

    size_t step;
    std::vector<Part> parts = {};
    size_t bytes = 0;        // from the first part to the end of the last
    bool isStreamed = false; // they stay in host memory, and are copied to the device for each run of the step
    size_t offset = 0;       // in the memory of a context for streamed weights
};

/// Which weights of an engine stay in host memory until their step runs. Constant but for setBudget().
class StreamedWeights {
public:
    static constexpr size_t kAll = SIZE_MAX; // a budget for all of them, also if their size is not known yet

    /// `steps` in their order; parts begin at multiples of `alignment`.
    StreamedWeights(std::vector<StepWeights> steps, size_t alignment);

    /// Bytes of all of them.
    size_t bytes() const { return bytes_; }
    /// At most this many bytes of them stay on the device. Streamed steps are spread over the run, so that a copy
    /// overlaps with the steps before it.
    void setBudget(size_t budget);
    /// The memory that a context needs for streamed weights: each is there during the previous streamed step and during
    /// its own.
    size_t bufferBytes() const { return bufferBytes_; }
    /// No budget makes it larger than this: the bytes of the two largest steps.
    size_t mostBufferBytes() const;

    std::span<StepWeights const> steps() const { return steps_; }
    /// The weights of a step, or of the step that reads the constant; null if they are not among these.
    StepWeights const* ofStep(size_t step) const;
    StepWeights const* ofConstant(int tensor) const;

private:
    void layOut();

    std::vector<StepWeights> steps_;
    size_t alignment_;
    size_t bytes_ = 0;
    size_t bufferBytes_ = 0;
};

} // namespace tenon
