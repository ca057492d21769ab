// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/find_quanta.h"

#include "layers/dequantize/dequantize.h"
#include "layers/quanta.h"
#include "layers/quantize/quantize.h"

#include <algorithm>

namespace tenon {
namespace {

/// The integers that all readers of a tensor convert it to.
std::optional<Quantum> quantumForReaders(Tensor const& tensor) {
    std::optional<Quantum> common;
    for (Node const* reader : tensor.readers()) {
        bool const isQuantize = reader->kind() == Quantize::kKind && reader->input(0) == &tensor &&
                                std::ranges::count(reader->inputs(), &tensor) == 1;
        auto const quantum = isQuantize ? quantumOf(*reader) : std::nullopt;
        if (!quantum || (common && !common->isLike(*quantum))) return std::nullopt;
        common = quantum;
    }
    return common;
}

std::optional<Quantum> quantumFor(Graph const& graph, Tensor const& tensor) {
    if (tensor.producer() && tensor.producer()->kind() == Dequantize::kKind) return quantumOf(*tensor.producer());
    return graph.isOutput(&tensor) ? std::nullopt : quantumForReaders(tensor);
}

} // namespace

void findQuanta(Graph& graph) {
    for (auto const& tensor : graph.tensors()) {
        auto quantum = tensor->type == DataType::Float32 && tensor->literal() == nullptr ? quantumFor(graph, *tensor)
                                                                                         : std::nullopt;
        if (!quantum) continue;
        quantum->isExact = true;
        tensor->quantum = *quantum;
    }
}

} // namespace tenon
