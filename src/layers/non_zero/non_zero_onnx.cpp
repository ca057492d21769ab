// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/non_zero/non_zero.h"

#include "layers/expand/expand.h"
#include "layers/fill/fill.h"
#include "layers/shape/shape.h"
#include "layers/shuffle/shuffle.h"
#include "onnx/importer.h"
#include "onnx/read_values.h"

namespace tenon::onnx {
namespace {

/// Whether all elements of a vector are one constant other than 0, as ConstantOfShape makes it.
bool isFilled(Tensor const& x) {
    Node const* const producer = x.producer();
    if (x.shape.size() != 1 || !producer || producer->kind() != Expand::kKind) return false;
    auto const value = readValue(*producer->input(0));
    return value && value->dims().volume() == 1 && value->toFloat()[0] != 0;
}

/// Exporters write 0, 1, 2, … as the indices of the ones in a vector of ones: the extents are known then.
std::vector<Tensor*> importNonZero(NodeReader& node) {
    Tensor* const x = node.input(0);
    if (!isFilled(*x)) return {node.add(NonZero(), {x})};
    Fill places;
    places.type = DataType::Int64;
    Tensor* const row = node.add(std::move(places), {node.add(ShapeOf{}, {x})});
    return {node.add(Shuffle::reshaping({1, -1}), {row})};
}

} // namespace

ImporterList nonZeroImporters() {
    static constexpr Importer all[]{{"NonZero", importNonZero}};
    return all;
}

} // namespace tenon::onnx
