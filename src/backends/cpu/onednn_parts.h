// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/onednn_epilogue.h"

#include <functional>

namespace tenon::cpu {

// oneDNN divides a product among threads that must all arrive at the same time; if another process keeps one of them
// from running, the others wait for it. So parts of the product are computed instead, each on one thread.

/// A range of an axis of a product's result.
struct Range {
    int axis;
    int64_t begin;
    int64_t end;
    int64_t extent() const { return end - begin; }
};

/// A contiguous part of a tensor.
struct Slice {
    Dims dims;
    int64_t offset = 0; // in bytes
};

/// These elements of a tensor; nullopt if they are not contiguous.
std::optional<Slice> sliceOf(Slice const& whole, Label const& label, Range const& range);
/// The same for an operand of the epilogue of a result of `rank`; its extent along an axis may be 1.
std::optional<Slice> operandSliceOf(Slice const& operand, Label const& label, Range const& range, int rank);

/// A product whose result is a part of that of another product.
struct ProductPart {
    DnnlProduct made;             // for one thread
    std::vector<int64_t> inputs;  // byte offsets at which it reads the inputs of the node
    int64_t output = 0;           // and writes the output
    std::vector<int64_t> weights; // and at which its weights start in the order of the whole; one for each of them
    std::vector<dnnl::memory::desc> weightDescs;
};

/// The ranges of one part, one per axis; empty for the whole.
using Cuts = std::vector<Range>;
/// Alternative partitions of a product: each is a list of parts.
using Ways = std::vector<std::vector<Cuts>>;

/// The number of parts for work of this duration, if a part should take at least `part`. Starting and ending a oneDNN
/// primitive costs some microseconds.
int64_t partsWorth(double nanoseconds, double part = 25'000);
/// The same for a product: on several threads, short products are cut into more parts, up to two per thread. A gemm is
/// not, since its sums would differ.
int64_t partsWorth(double nanoseconds, DnnlProduct const& whole);
/// Ranges of [0, extent) in multiples of `unit`, at most `parts`.
std::vector<Range> rangesOf(int axis, int64_t extent, int64_t unit, int64_t parts);
/// The number of blocks of channels, of `blocks`, in one of at most `most` parts: the threads should finish early and
/// together, but parts with few blocks cost more per block, since each reads the other operand.
int64_t blocksOfPart(int64_t blocks, int64_t most, int threads);

/// The parts of a product by the first partition for which `partOf`, called where primitives are created for one
/// thread, gives enough parts that compute the same as the whole; one part, the whole, if there is none. Empty if
/// oneDNN should compute the whole: for one thread, or if it takes long enough that OpenMP's threads are worth their
/// cost. A gemm's parts are the same for any number of threads.
std::vector<ProductPart> partsBy(Ways const& ways, double nanoseconds, DnnlProduct const& whole,
                                 std::function<std::optional<ProductPart>(Cuts const& cuts)> const& partOf);

/// Like prepareProduct(), by parts that together give the result of `whole`; without parts, oneDNN computes it whole.
std::unique_ptr<Executable> prepareParts(PrepareArgs const& args, std::span<EpilogueStep const> steps,
                                         DnnlProduct const& whole, std::span<DnnlWanted const> weights,
                                         std::span<ProductPart const> parts);

} // namespace tenon::cpu
