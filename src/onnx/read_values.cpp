// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/read_values.h"

#include "graph/evaluate.h"
#include "layers/constant/constant.h"

#include <unordered_set>

namespace tenon::onnx {

void decideBy(Tensor const& tensor) {
    std::vector<Tensor const*> open{&tensor};
    std::unordered_set<Tensor const*> seen;
    while (!open.empty()) {
        Tensor const* const one = open.back();
        open.pop_back();
        if (one == nullptr || !seen.insert(one).second || one->producer() == nullptr) continue;
        Node const& producer = *one->producer();
        if (auto* const constant = as<Constant>(*producer.layer)) constant->decides = true;
        for (size_t i = 0; i < producer.inputs().size(); ++i) {
            if (!producer.layer->readsShapeOnly(static_cast<int>(i))) open.push_back(producer.inputs()[i]);
        }
    }
}

std::optional<Literal> readValue(Tensor const& tensor) {
    auto value = constantValue(tensor);
    if (value) decideBy(tensor);
    return value;
}

std::optional<int64_t> readNumber(Tensor const& tensor) {
    auto const number = knownNumber(tensor);
    if (number) decideBy(tensor);
    return number;
}

} // namespace tenon::onnx
