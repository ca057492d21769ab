// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/onednn_epilogue.h"

#include <functional>

namespace tenon::cpu {

// oneDNN divides a product among threads that have to come all at the same time; where another process keeps one of
// them from running, the others wait for it. So parts of the product are computed, each on one thread.

/// A range of an axis of a product's result.
struct Range {
    int axis;
    int64_t begin;
    int64_t end;
    int64_t extent() const { return end - begin; }
};

/// Part of a tensor that lies in one piece of it.
struct Slice {
    Dims dims;
    int64_t offset = 0; // in bytes
};

/// Those elements of a tensor; nothing where they lie in several pieces.
std::optional<Slice> sliceOf(Slice const& whole, Label const& label, Range const& range);
/// The same of an operand of the epilogue beside a result of `rank`, along one axis of which it may have one element.
std::optional<Slice> operandSliceOf(Slice const& operand, Label const& label, Range const& range, int rank);

/// A product of which the result is a part of that of another one.
struct ProductPart {
    DnnlProduct made;             // for one thread
    std::vector<int64_t> inputs;  // in bytes: where it reads the inputs of the node from
    int64_t output = 0;           // and writes the output
    std::vector<int64_t> weights; // and where its weights begin in the order of the whole; one for each of them
    std::vector<dnnl::memory::desc> weightDescs;
};

/// The ranges that make one part, an axis each; none for the whole.
using Cuts = std::vector<Range>;
/// Ways to cut a product: for each, what makes the parts.
using Ways = std::vector<std::vector<Cuts>>;

/// The number of parts that work of this duration is worth, where a part should take `part` at least. What begins and
/// ends a primitive of oneDNN costs some microseconds.
int64_t partsWorth(double nanoseconds, double part = 25'000);
/// The same of a product: on several threads short ones fall into more parts, up to two for each thread. A gemm does
/// not, since its sums would differ.
int64_t partsWorth(double nanoseconds, DnnlProduct const& whole);
/// Ranges of [0, extent) in multiples of `unit`, at most `parts`.
std::vector<Range> rangesOf(int axis, int64_t extent, int64_t unit, int64_t parts);
/// How many blocks of channels, of `blocks`, one of at most `most` parts should have: as many threads as there may be
/// end early and together, and few blocks are computed from one reading of the other operand at a higher price each.
int64_t blocksOfPart(int64_t blocks, int64_t most, int threads);

/// The parts of a product by the first way in which `partOf`, called where primitives are made for one thread, gives
/// enough of them, computed as the whole is; one part, the whole, where none does. None where oneDNN is to compute the
/// whole: for one thread, or where it takes long enough that OpenMP's threads are worth their price. A gemm's parts are
/// the same for any number of threads.
std::vector<ProductPart> partsBy(Ways const& ways, double nanoseconds, DnnlProduct const& whole,
                                 std::function<std::optional<ProductPart>(Cuts const& cuts)> const& partOf);

/// As prepareProduct(), by parts that together give the result of `whole`; without any, oneDNN computes it whole.
std::unique_ptr<Executable> prepareParts(PrepareArgs const& args, std::span<EpilogueStep const> steps,
                                         DnnlProduct const& whole, std::span<DnnlWanted const> weights,
                                         std::span<ProductPart const> parts);

} // namespace tenon::cpu
