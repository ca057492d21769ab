// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// DisentangledAttention_TRT: the scores of "DeBERTa" (arXiv 2006.03654), section 3.1, from their three products. The
// score of query j and key k is
//
//     factor * (data0[j,k] + data1[j,r] + data2[k,r]),    r = span + bucket(j - k), but 0 to 2 * span - 1
//
// Buckets are those of DeBERTa-V2: a distance up to span / 2 has its own bucket, longer ones share buckets in
// logarithmic steps.
#include "disentangled_attention.h"

#include "gpu.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace tenon::plugins {
namespace {

class DisentangledAttention final : public GpuPlugin {
public:
    void fields(FieldVisitor& visit) override {
        visit("span", span_);
        visit("factor", factor_);
    }

    void check() const override {
        if (span_ < 1) throw std::invalid_argument("span has to be given, 1 or more");
        if (!(factor_ > 0)) throw std::invalid_argument("factor has to be given, above 0");
    }

    // B images times heads, S positions, R relative positions.
    Signature signature() const override {
        return Signature()
            .input("data0", "[B,S,S]")
            .input("data1", "[B,S,R]")
            .input("data2", "[B,S,R]")
            .output("result", "[B,S,S]")
            .realsMayBeInt8();
    }

    void checkInputs(KnownShapes inputs) const override {
        int64_t const relative = inputs[1].d[2];
        if (relative >= 0 && relative < 2 * int64_t(span_))
            throw std::invalid_argument("data1 has " + std::to_string(relative) +
                                        " relative positions; expected 2 * span, " +
                                        std::to_string(2 * int64_t(span_)));
    }

    void run(Tensors inputs, Tensors outputs) override {
        int64_t const places = inputs[0][1];
        setDistances(places, inputs[1][2]);
        int64_t const tiles = (places + kQueries - 1) / kQueries;
        parallelFor(inputs[0][0] * tiles, rowsPerThread(kQueries * places * 4), [&](int64_t begin, int64_t end) {
            for (int64_t tile = begin; tile < end; ++tile) {
                int64_t const query = tile % tiles * kQueries, head = tile / tiles;
                gatherToQuery(head, query, std::min(kQueries, places - query), inputs, outputs[0].floats());
                for (int64_t q = query; q < std::min(query + kQueries, places); ++q)
                    addUp(head * places + q, q, inputs, outputs[0].floats());
            }
        });
    }

    size_t gpuWorkspace(KnownShapes largestInputs) const override {
        GpuPieces pieces;
        pieces.take<uint32_t>({2, largestInputs[0].d[1]});
        return pieces.bytes();
    }

    void runOnGpu(Tensors inputs, Tensors outputs, void* workspace, cudaStream_t stream) override {
        if constexpr (kHasKernels)
            disentangleOnGpu({span_, inputs[1][2]}, factor_, inputs, outputs[0], static_cast<uint32_t*>(workspace),
                             stream);
    }

private:
    static constexpr int64_t kQueries = 8;

    // For several queries, since consecutive ones read neighbours in the row of a key.
    void gatherToQuery(int64_t head, int64_t query, int64_t queries, Tensors inputs, float* result) const {
        int64_t const places = inputs[0][1], relative = inputs[2][2];
        float const* const toQuery = inputs[2].floats() + head * places * relative;
        float* const rows = result + (head * places + query) * places;
        for (int64_t key = 0; key < places; ++key) {
            int64_t const* const relativeOf = relativeOf_.data() + query + places - 1 - key;
            for (int64_t q = 0; q < queries; ++q) rows[q * places + key] = toQuery[key * relative + relativeOf[q]];
        }
    }

    // Adds to the result of gatherToQuery() in the row of a query.
    void addUp(int64_t row, int64_t query, Tensors inputs, float* result) const {
        int64_t const places = inputs[0][1];
        float const* const own = inputs[0].floats() + row * places;
        float const* const toPlace = inputs[1].floats() + row * inputs[1][2];
        int64_t const* const relativeOf = relativeOf_.data() + query + places - 1; // of key 0
        result += row * places;
        for (int64_t key = 0; key < places; ++key)
            result[key] = disentangledScore(own[key], toPlace[relativeOf[-key]], result[key], factor_);
    }

    // relativeOf_[d + places - 1] is the relative position of the distance d.
    void setDistances(int64_t places, int64_t relative) {
        auto const count = size_t(std::max<int64_t>(2 * places - 1, 0));
        if (relativeOf_.size() == count && relative_ == relative) return;
        relative_ = relative;
        relativeOf_.resize(count);
        for (size_t i = 0; i < relativeOf_.size(); ++i)
            relativeOf_[i] = RelativePlaces{span_, relative}.of(int64_t(i) - (places - 1));
    }

    int32_t span_ = 0;
    float factor_ = 0;
    int64_t relative_ = -1; // that these are of
    std::vector<int64_t> relativeOf_;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<DisentangledAttention>("DisentangledAttention_TRT", "1", PluginGeneration::kV2DynamicExt,
                                          "from 8.4"),
    standardPlugin<DisentangledAttention>("DisentangledAttention_TRT", "2", PluginGeneration::kV3, "from 10.11"),
};

} // namespace

std::span<StandardPlugin const> disentangledAttentionPlugins() { return kDefinitions; }

} // namespace tenon::plugins
