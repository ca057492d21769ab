// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// fMHA_V2 and fMHCA: softmax(Q K^T / sqrt(H)) V for each of N heads, from tensors in which Q, K and V of a head are
// adjacent.
#include "attention.h"

namespace tenon::plugins {
namespace {

/// Element `index` of the axis before the last one, of [B,S,N,P,H]; [B,N,S,H].
Value headsOf(Value const& packed, int64_t index) {
    return transpose(gather(packed, packed.layers().integer(index), 3), {0, 2, 1, 3});
}

class SelfAttention final : public LayeredPlugin {
public:
    void fields(FieldVisitor&) override {}
    Signature signature() const override {
        return Signature().input("qkv", "[B,S,N,3,H]").output("output", "[B,S,N,H]");
    }

    std::vector<Value> layers(Layers&, std::vector<Value> const& inputs) override {
        Value const& qkv = inputs[0];
        return {transpose(attention(headsOf(qkv, 0), headsOf(qkv, 1), headsOf(qkv, 2)), {0, 2, 1, 3})};
    }
};

class CrossAttention final : public LayeredPlugin {
public:
    void fields(FieldVisitor&) override {}
    Signature signature() const override {
        return Signature().input("q", "[B,S,N,H]").input("kv", "[B,T,N,2,H]").output("output", "[B,S,N,H]");
    }

    std::vector<Value> layers(Layers&, std::vector<Value> const& inputs) override {
        Value const query = transpose(inputs[0], {0, 2, 1, 3});
        Value const& kv = inputs[1];
        return {transpose(attention(query, headsOf(kv, 0), headsOf(kv, 1)), {0, 2, 1, 3})};
    }
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<SelfAttention>("fMHA_V2", "1", PluginGeneration::kV2DynamicExt, "8.5"),
    standardPlugin<CrossAttention>("fMHCA", "1", PluginGeneration::kV2DynamicExt, "8.5"),
};

} // namespace

std::span<StandardPlugin const> fusedAttentionPlugins() { return kDefinitions; }

} // namespace tenon::plugins
