// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/kernel.h"

#include "base/error.h"

namespace tenon {

std::vector<DataType> KernelQuery::typesOf(Tensor const& tensor) const {
    return tensor.type == DataType::Float32 ? floatTypes : std::vector{tensor.type};
}

std::vector<int64_t> Kernel::tactics(Variant const&) const { return {}; }

Packed Kernel::pack(PrepareArgs const& args) const {
    fail(ErrorCode::Internal, args.node, ": ", name(), " packs nothing");
}

std::string Kernel::packKey(Variant const&) const { return {}; }

} // namespace tenon
