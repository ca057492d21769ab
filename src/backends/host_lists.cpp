// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/host_lists.h"

#include <algorithm>

namespace tenon {

bool steers(Node const& node, int input) { return node.layer->readsValuesOf(input); }

HostLists::HostLists(Node const& node, std::span<Dims const> inputs, bool (*isRead)(Node const& node, int input)) {
    for (size_t i = 0; i < node.inputs().size(); ++i) {
        Tensor const* tensor = node.inputs()[i];
        tensors_.push_back({tensor ? tensor->type : DataType::Float32, inputs[i], nullptr});
        if (!tensor || !isRead(node, static_cast<int>(i))) continue;
        if (Literal const* literal = tensor->literal())
            tensors_.back().data = const_cast<void*>(literal->data());
        else
            kept_.push_back({i, std::vector<std::byte>(tensors_.back().bytes())});
    }
}

bool HostLists::update(Pointers const& pointers) {
    bool changed = false;
    for (Kept& kept : kept_) {
        HostTensor& list = tensors_[kept.input];
        auto const* now = static_cast<std::byte const*>(pointers.inputs[kept.input]);
        bool const same = list.data != nullptr && std::equal(kept.bytes.begin(), kept.bytes.end(), now);
        if (same) continue;
        std::copy_n(now, kept.bytes.size(), kept.bytes.begin());
        list.data = kept.bytes.data();
        changed = true;
    }
    return changed;
}

void addHostInputs(Node const& node, Variant& variant) {
    for (size_t i = variant.inputs.size(); i < node.inputs().size(); ++i) {
        Tensor const* tensor = node.inputs()[i];
        variant.inputs.push_back({tensor ? tensor->type : DataType::Float32, Format::linear(), Device::Cpu});
    }
}

} // namespace tenon
