// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/bit_cast/bit_cast.h"

#include "base/error.h"

#include <cstring>

namespace tenon {

namespace layers {
LayerEntry bitCastLayer() { return entryOf<BitCast>(); }
} // namespace layers

// X [any] → Y [the same]
std::vector<Result> BitCast::infer(Operands const& in) const {
    in.expectCount(1, 1);
    if (bitsOf(in[0].type) != bitsOf(to))
        fail(ErrorCode::InvalidArgument, "input 0 is ", in[0].type, ", of ", bitsOf(in[0].type), " bits, and ", to,
             " has ", bitsOf(to), "; expected the same width");
    if (to == DataType::Bool)
        fail(ErrorCode::InvalidArgument, "bits other than 0 and 1 are not a bool; use a cast, which compares with 0");
    return {{to, in[0].shape}};
}

void BitCast::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    if (in[0].bytes() != 0) std::memcpy(out[0].data, in[0].data, in[0].bytes());
}

} // namespace tenon
