// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "attention.h"

#include <cmath>
#include <stdexcept>

namespace tenon::plugins {

using namespace nvinfer1;

namespace {

IAttention& addAttention(Value const& query, Value const& key, Value const& value) {
    auto const size = double(query.extent(-1));
    if (size < 0) throw std::invalid_argument("the size of a head has to be known when the engine is built");
    ITensor& scaled = (query * float(1 / std::sqrt(size))).tensor();
    INetworkDefinition& network = query.layers().network();
    IAttention* const made =
        network.addAttention(scaled, key.tensor(), value.tensor(), AttentionNormalizationOp::kSOFTMAX, false);
    if (made == nullptr) throw std::invalid_argument("addAttention was refused; the error is logged above");
    return *made;
}

Value outputOf(Layers& layers, IAttention const& attention) { return {layers, *attention.getOutput(0)}; }

} // namespace

Value attention(Value const& query, Value const& key, Value const& value) {
    return outputOf(query.layers(), addAttention(query, key, value));
}

Value attention(Value const& query, Value const& key, Value const& value, Value const& lengths) {
    IAttention& made = addAttention(query, key, value);
    made.setKeyValueLengths(&lengths.tensor());
    return outputOf(query.layers(), made);
}

Value packedAttention(Value const& query, Value const& key, Value const& value, Value const& starts) {
    IAttention& made = addAttention(query, key, value);
    made.setQueryForm(AttentionIOForm::kPACKED_NHD);
    made.setKeyValueForm(AttentionIOForm::kPACKED_NHD);
    made.setQueryLengths(&starts.tensor());
    made.setKeyValueLengths(&starts.tensor());
    return outputOf(query.layers(), made);
}

} // namespace tenon::plugins
