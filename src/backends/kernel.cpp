// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/kernel.h"

#include "base/error.h"
#include "graph/fields.h"

#include <algorithm>

namespace tenon {

void Variant::fields(Fields& f) {
    f("inputs", inputs);
    f("outputs", outputs);
    visitWithin(f, "packed", packed, 0, UINT32_MAX);
    f("tactic", tactic);
    f("compute", compute);
    if (f.visits("cost", true)) f("cost", cost); // a file may lack these
    if (f.visits("code", true)) f("code", code);
    if (f.visits("view", true)) f("view", view);
}

std::vector<DataType> KernelQuery::typesOf(Tensor const& tensor) const {
    return tensor.type == DataType::Float32 ? floatTypes : std::vector{tensor.type};
}

bool KernelQuery::isSingle(size_t input) const {
    Tensor const* const tensor = node.inputs()[input];
    return tensor == nullptr || (isConstant(tensor->shape) && toDims(tensor->shape).volume() == 1);
}

std::vector<Format> formatsOf(bool takesChannels, std::initializer_list<Format> withChannels) {
    std::vector<Format> formats{Format::linear()};
    if (takesChannels) formats.insert(formats.end(), withChannels);
    return formats;
}

std::vector<Kernel const*> kernelsFor(std::string_view kind, std::span<KernelList const> lists) {
    for (KernelList const& list : lists) {
        if (std::ranges::find(list.kinds, kind) != list.kinds.end()) return {list.kernels.begin(), list.kernels.end()};
    }
    return {};
}

std::vector<int64_t> Kernel::tactics(Variant const&) const { return {}; }

Packed Kernel::pack(PrepareArgs const& args) const {
    fail(ErrorCode::Internal, args.node, ": ", name(), " packs nothing");
}

std::string Kernel::packKey(Variant const&) const { return {}; }

} // namespace tenon
