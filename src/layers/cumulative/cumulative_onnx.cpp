// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/cumulative/cumulative.h"

#include "onnx/importer.h"

namespace tenon::onnx {
namespace {

template <Cumulative::Operation operation> std::vector<Tensor*> importCumulative(NodeReader& node) {
    Cumulative layer;
    layer.operation = operation;
    layer.exclusive = node.integer("exclusive", 0) != 0;
    layer.reverse = node.integer("reverse", 0) != 0;
    return {node.add(layer, {node.input(0), node.input(1)})};
}

} // namespace

ImporterList cumulativeImporters() {
    static constexpr Importer all[]{{"CumSum", importCumulative<Cumulative::Operation::Sum>},
                                    {"CumProd", importCumulative<Cumulative::Operation::Prod>}};
    return all;
}

} // namespace tenon::onnx
