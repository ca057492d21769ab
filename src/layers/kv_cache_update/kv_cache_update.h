// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// A cache of sequences with an update written to it at consecutive positions; any element type. Inputs: cache X
/// [N,…,S,…] with S along `axis`; update U, as X but with s positions; begin [N], the first position (int32 or int64;
/// absent: 0); from [N+1], where sequences start in a packed update (int32 or int64). → Y [as X]:
///   Y[n,…,(begin[n] + i),…] = U[n,…,i,…], everything else as X.
/// A packed update has the sequences concatenated: U [T,H,D] for X [N,H,S,D], where sequence n is U[from[n]…from[n+1] -
/// 1]. A position outside the cache is an Error at run time, unless the cache is circular. Y may share the memory of X.
struct KVCacheUpdate final : LayerOf<KVCacheUpdate> {
    static constexpr std::string_view kKind = "KVCacheUpdate";

    enum Input { kCache, kUpdate, kBegin, kFrom, kInputs };

    int64_t axis = -2;     // negative: counted from the end
    bool circular = false; // positions are modulo S
    bool packed = false;

    void fields(Fields& f) override {
        f("axis", axis);
        f("circular", circular);
        f("packed", packed);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    std::string inputName(int input) const override;
};

/// The cache as [sequences, heads, positions, inner] and the update beside it.
struct CacheSpace {
    int64_t sequences = 1;
    int64_t heads = 1;
    int64_t positions = 1;
    int64_t inner = 1;
    int64_t tokens = 0; // of one sequence of the update, or of all if they are packed
    bool packed = false;
    bool circular = false;

    CacheSpace(KVCacheUpdate const& layer, Dims const& cache, Dims const& update);
};

/// `begin` is the position at which sequence `sequence` of `tokens` tokens starts.
[[noreturn]] void failOnPosition(int64_t begin, int64_t tokens, int64_t sequence, int64_t positions);
[[noreturn]] void failOnPacking(int64_t first, int64_t last, int64_t sequence, int64_t tokens);

} // namespace tenon
