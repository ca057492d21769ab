// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/kv_cache_update/kv_cache_update.h"

#include "base/error.h"
#include "graph/elements.h"

#include <array>
#include <cstring>

namespace tenon {

namespace layers {
LayerEntry kvCacheUpdateLayer() { return entryOf<KVCacheUpdate>(); }
} // namespace layers

void failOnPosition(int64_t begin, int64_t tokens, int64_t sequence, int64_t positions) {
    fail(ErrorCode::InvalidArgument, "sequence ", sequence, " writes ", tokens, " positions from ", begin,
         " on; the cache has ", positions);
}

void failOnPacking(int64_t first, int64_t last, int64_t sequence, int64_t tokens) {
    fail(ErrorCode::InvalidArgument, "sequence ", sequence, " is tokens ", first, " to ", last, " of ", tokens,
         "; expected ascending numbers from 0");
}

CacheSpace::CacheSpace(KVCacheUpdate const& layer, Dims const& cache, Dims const& update)
    : packed(layer.packed), circular(layer.circular) {
    int const at = resolveAxis(layer.axis, cache.rank());
    sequences = cache[0];
    heads = cache.volume(1, at);
    positions = cache[at];
    inner = cache.volume(at + 1, cache.rank());
    tokens = packed ? update[0] : update[at];
}

std::string KVCacheUpdate::inputName(int input) const {
    constexpr std::array<std::string_view, kInputs> kNames{"cache", "update", "write indices", "lengths"};
    return std::string(kNames.at(static_cast<size_t>(input)));
}

namespace {

bool mayEqual(DimExpr const& a, DimExpr const& b) {
    return a.constantOr(b.constantOr(0)) == b.constantOr(a.constantOr(0));
}

[[noreturn]] void failOnUpdate(Operands const& in, std::string_view expected) {
    fail(ErrorCode::InvalidArgument, "update has shape ", in[KVCacheUpdate::kUpdate].shape, " and the cache ",
         in[KVCacheUpdate::kCache].shape, "; expected ", expected);
}

void checkPadded(KVCacheUpdate const& layer, Operands const& in) {
    Shape const& cache = in[KVCacheUpdate::kCache].shape;
    Shape const& update = in[KVCacheUpdate::kUpdate].shape;
    auto const at = static_cast<size_t>(resolveAxis(layer.axis, in.rank(KVCacheUpdate::kCache)));
    bool fits = update.size() == cache.size();
    for (size_t axis = 0; fits && axis < cache.size(); ++axis) {
        fits = axis == at ? layer.circular || update[at].constantOr(0) <= cache[at].constantOr(INT64_MAX)
                          : mayEqual(update[axis], cache[axis]);
    }
    if (!fits) failOnUpdate(in, "the same with at most as many positions");
}

void checkPacked(KVCacheUpdate const& layer, Operands const& in) {
    Shape const& cache = in[KVCacheUpdate::kCache].shape;
    Shape const& update = in[KVCacheUpdate::kUpdate].shape;
    in.expectRank(KVCacheUpdate::kCache, 4, 4);
    bool const fits = update.size() == 3 && resolveAxis(layer.axis, 4) == 2 && mayEqual(update[1], cache[1]) &&
                      mayEqual(update[2], cache[3]);
    if (!fits) failOnUpdate(in, "[tokens,H,D] and [N,H,S,D] for a packed update");
    if (!in.has(KVCacheUpdate::kFrom))
        fail(ErrorCode::InvalidArgument, "a packed update has no lengths; set the starts of its sequences, [N+1]");
    in.expectInteger(KVCacheUpdate::kFrom).expectRank(KVCacheUpdate::kFrom, 1, 1);
    if (!mayEqual(in[KVCacheUpdate::kFrom].shape[0], cache[0] + 1))
        fail(ErrorCode::InvalidArgument, "lengths has shape ", in[KVCacheUpdate::kFrom].shape, "; expected ",
             cache[0] + 1, " numbers, one more than there are sequences");
}

int64_t numberAt(HostTensor const& tensor, int64_t i) { return integersIn(tensor).at(static_cast<size_t>(i)); }

} // namespace

// cache [N,…,S,…], update [N,…,s,…] or [T,H,D], begin [N], from [N+1] → Y [N,…,S,…]
std::vector<Result> KVCacheUpdate::infer(Operands const& in) const {
    in.expectCount(2, kInputs).expectRank(kCache, 2, Dims::kMaxRank).expectSameType(kCache, kUpdate);
    elementBytes(in[kCache].type);
    if (resolveAxis(axis, in.rank(kCache)) == 0)
        fail(ErrorCode::InvalidArgument,
             "positions are along axis 0, which is that of the sequences; use another axis");
    packed ? checkPacked(*this, in) : checkPadded(*this, in);
    if (in.has(kBegin)) {
        in.expectInteger(kBegin).expectRank(kBegin, 1, 1);
        if (!mayEqual(in[kBegin].shape[0], in[kCache].shape[0]))
            fail(ErrorCode::InvalidArgument, "write indices has shape ", in[kBegin].shape,
                 "; expected one for each of the ", in[kCache].shape[0], " sequences");
    }
    return {{in[kCache].type, in[kCache].shape}};
}

void KVCacheUpdate::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    CacheSpace const space(*this, in[kCache].dims, in[kUpdate].dims);
    if (out[0].dims.volume() == 0) return;
    std::memmove(out[0].data, in[kCache].data, in[kCache].bytes());
    bool const begins = in.size() > kBegin && in[kBegin].data != nullptr;
    for (int64_t n = 0; n < space.sequences; ++n) {
        int64_t const begin = begins ? numberAt(in[kBegin], n) : 0;
        int64_t const first = packed ? numberAt(in[kFrom], n) : 0;
        int64_t const last = packed ? numberAt(in[kFrom], n + 1) : space.tokens;
        if (first < 0 || last < first || last > space.tokens) failOnPacking(first, last, n, space.tokens);
        bool const fits = begin >= 0 && begin <= space.positions && last - first <= space.positions - begin;
        if (!circular && first != last && !fits) failOnPosition(begin, last - first, n, space.positions);
        for (int64_t i = 0; i < (last - first) * space.heads * space.inner; ++i) {
            int64_t const head = i / space.inner % space.heads;
            int64_t const token = i / space.inner / space.heads;
            int64_t const wrapped =
                ((begin % space.positions + token) % space.positions + space.positions) % space.positions;
            int64_t const position = circular ? wrapped : begin + token;
            int64_t const from =
                packed ? (first + token) * space.heads + head : (n * space.heads + head) * space.tokens + token;
            int64_t const to = (n * space.heads + head) * space.positions + position;
            copyElement(in[kUpdate], from * space.inner + i % space.inner, out[0], to * space.inner + i % space.inner);
        }
    }
}

} // namespace tenon
