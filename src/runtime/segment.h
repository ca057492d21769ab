// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/shapes/profile_shapes.h"
#include "runtime/prepare_step.h"
#include "runtime/segment_memory.h"

namespace tenon {

class BodyRun;

/// The steps of a SegmentPlan, for fixed shapes: kernels are prepared, memory is laid out, pointers are set, except
/// those to the caller's tensors. Belongs to one context.
class Segment {
public:
    /// Segment `number` of the engine. `states` are the context's, one for each step; plugins receive the shapes.
    Segment(Engine const& engine, ShapeProgram::Shapes shapes, size_t number, std::vector<StepState> const& states);

    /// Bytes of activations and workspaces of an engine's first segment at these shapes. The others have memory of
    /// their own, once their shapes are known in a run.
    static size_t bytesAt(Engine const& engine, ShapeProgram::Shapes const& shapes);
    /// The same for the bounds of all shapes that a profile allows; at least the size at any of its points.
    static size_t bytesWithin(Engine const& engine, ProfileShapes const& profile);

    size_t memoryBytes() const { return memory_.layout.bytes; }
    size_t number() const { return number_; }
    SegmentPlan const& plan() const { return engine_.segments()[number_]; }
    bool isLast() const { return number_ + 1 == engine_.segments().size(); }
    size_t firstStep() const { return first_; }
    size_t endStep() const { return first_ + runs_.size(); }
    ShapeProgram::Shapes const& shapes() const { return shapes_; }

    /// Sets all pointers into this block of memory, except those of bound tensors. Cheap if nothing changes.
    void placeIn(std::byte* memory);
    /// Sets the address of one tensor wherever this segment reads or writes it; null: back into the segment's memory.
    void bind(int tensor, void* data);
    /// A step of this segment writes the tensor.
    bool writes(int tensor) const { return memory_.pieceOf[static_cast<size_t>(tensor)] >= 0; }
    /// The address of a tensor after placeIn() and bind(); null if this segment does not use it.
    void* dataOf(int tensor) const { return data_[static_cast<size_t>(tensor)]; }
    /// Passes this segment's shapes to the plugins.
    void announceShapes() const;

    /// `communicator`: as in Pointers.
    void run(size_t step, void* stream, void* communicator);
    /// The step only enqueues work, always the same, so it can be recorded.
    bool isRecordable(size_t step) const;
    /// The addresses of all tensors, and the block that workspaces are in; a recording is valid while both are
    /// unchanged.
    std::vector<void*> const& addresses() const { return data_; }
    std::byte const* memory() const { return placed_; }

private:
    struct Run {
        std::unique_ptr<Executable> executable; // null for plugins
        PluginLife* plugin = nullptr;
        std::vector<void const*> inputs;
        std::vector<void*> outputs;
        void* workspace = nullptr;
        size_t workspaceBytes = 0;
        bool skip = false;    // see SegmentMemory::isView
        size_t firstCopy = 0; // in copies_
        size_t endCopy = 0;
        BodyRun const* bodies = nullptr; // the executable, if it has memory of its own for outputs
    };

    /// An aliased input that is copied to the output's memory before the step runs.
    struct Copy {
        size_t input;
        size_t output;
        size_t bytes;
        void const* from = nullptr;
    };

    std::byte* place(int piece) const;
    std::span<Copy> copiesOf(Run const& run) {
        return std::span(copies_).subspan(run.firstCopy, run.endCopy - run.firstCopy);
    }
    Run makeRun(Engine::Step const& step, StepState const& state) const;
    void findUses();
    void findCopies();
    void takeOwnMemory(BodyRun const& bodies, Engine::Step const& step);
    void bindFixed();
    void put(int tensor, void* data, bool bound);
    void point(int tensor, void* data);

    Engine const& engine_;
    ShapeProgram::Shapes shapes_;
    size_t number_;
    size_t first_;
    std::vector<Run> runs_;
    std::vector<Copy> copies_;
    /// Where a run reads or writes a tensor.
    struct Use {
        size_t run;
        size_t index; // among its inputs or outputs
        bool isOutput;
    };
    std::vector<std::vector<Use>> uses_; // by tensor number
    SegmentMemory memory_;
    std::byte* placed_ = nullptr;
    std::shared_ptr<void> hostMemory_;
    std::vector<void*> data_; // by tensor number
    std::vector<char> bound_;
};

} // namespace tenon
