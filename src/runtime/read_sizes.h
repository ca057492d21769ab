// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "runtime/bindings.h"

namespace tenon {

/// Data-dependent extents and elements of measured tensors that the segments of a run have determined so far.
class SizesRead {
public:
    /// Waits for the stream and reads the sizes that a segment has determined for later ones.
    void read(Engine const& engine, Segment const& segment, void* stream);

    ShapeProgram::Known const& known() const { return known_; }
    /// The same as numbers, to compare runs.
    std::vector<int64_t> const& key() const { return key_; }

private:
    void readSizes(Engine const& engine, Segment const& segment, Node const& node, void* stream);
    void readElements(Engine const& engine, Segment const& segment, int number, void* stream);

    ShapeProgram::Known known_;
    std::vector<int64_t> key_;
};

/// For a stream that is being recorded, which cannot be waited for: an Error if something must be read after this
/// segment. Outputs stay where the segment writes them, and only the device knows their size.
void expectNoneReadsSizes(Segment const& segment, Bindings const& bindings);

} // namespace tenon
