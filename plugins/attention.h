// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Attention in the terms of layers.h.
#pragma once

#include "layers.h"

namespace tenon::plugins {

/// softmax(Q Kᵀ / sqrt(D)) V, for each batch and head: Q [B,N,S,D], K and V [B,N,T,D] → [B,N,S,D].
Value attention(Value const& query, Value const& key, Value const& value);
/// The same with only the first keys of each sequence, `lengths` INT32 [B] of them; 0: the result is 0.
Value attention(Value const& query, Value const& key, Value const& value, Value const& lengths);
/// The same for concatenated sequences: Q, K and V [sum of all lengths,N,D]. `starts` INT32 [B+1] has the start of
/// each, from 0 on, and the end of the last; the result after that is undefined.
Value packedAttention(Value const& query, Value const& key, Value const& value, Value const& starts);

} // namespace tenon::plugins
