// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/lay_out_memory.h"
#include "runtime/engine.h"

#include <algorithm>
#include <span>

namespace tenon {

/// Positions of each step's outputs and workspaces in one block of memory.
struct SegmentMemory {
    /// A tensor that has the address of another one, which the caller or an earlier segment may set: a view of it, or
    /// the source of a view.
    struct Follower {
        int tensor;
        int leader;
    };
    std::vector<Follower> followers; // sorted by leader
    std::vector<int> pieceOf;        // by tensor number; -1: not in this block
    std::vector<int> workspace;      // by step of the segment; -1: needs none
    std::vector<char> isView;        // by step: the output is at the address of the input, so nothing is run
    std::vector<char> onHost;        // by piece: in the second block, which steps on the CPU read or write
    MemoryLayout layout;             // of the device's block
    MemoryLayout hostLayout;         // of the host block in a GPU's engine; a piece is in one of the two

    std::span<Follower const> followersOf(int leader) const {
        auto const [begin, end] = std::ranges::equal_range(followers, leader, {}, &Follower::leader);
        return {begin, end};
    }
};

/// Lays out the memory of a segment at these shapes. `workspaces`: bytes, by step of the segment. Time without
/// layOutMemory() is proportional to the steps and tensors of the engine.
SegmentMemory layOutSegment(Engine const& engine, ShapeProgram::Shapes const& shapes, SegmentPlan const& plan,
                            std::vector<size_t> const& workspaces);

/// Bytes of a tensor of the engine at these shapes.
size_t tensorBytes(Engine const& engine, ShapeProgram::Shapes const& shapes, Tensor const* tensor);

} // namespace tenon
