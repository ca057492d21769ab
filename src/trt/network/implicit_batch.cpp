// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Networks with implicit batch, which programs of levels 7 and 8 can define: the graph has the batch as the first axis
// of every tensor, and the faces of tensors and layers leave it out. A tensor that is the same for all samples (a
// constant, an input that is broadcast across the batch) has extent 1 there. Engines show the batch to programs that
// ask by name, and leave it out for those that ask by number (bindings.cpp).

#include "layers/concatenation/concatenation.h"
#include "layers/constant/constant.h"
#include "layers/expand/expand.h"
#include "layers/shape/shape.h"
#include "layers/slice/slice.h"
#include "trt/network/network.h"

#include <algorithm>

namespace tenon::trt {
namespace {

bool isOneSample(Shape const& shape) { return !shape.empty() && shape[0] == DimExpr(1); }

Literal vectorOf(size_t count, int64_t value) {
    auto const extent = static_cast<int64_t>(count);
    auto memory = allocateHost(count * sizeof(int64_t));
    std::fill_n(static_cast<int64_t*>(memory.get()), count, value);
    return Literal::borrowed(DataType::Int64, {extent}, memory.get(), memory);
}

} // namespace

bool Network::hasImplicitBatch() const noexcept { return (flags_ & kExplicitBatch) == 0; }

DimExpr const& Network::batch() {
    static DimExpr const batch = DimExpr::symbol("batch");
    return batch;
}

void Network::expectExplicitBatch(std::string_view what) const {
    if (hasImplicitBatch())
        fail(ErrorCode::InvalidState, what,
             " in a network with implicit batch; create the network with kEXPLICIT_BATCH");
}

Shape Network::wholeShape(std::string const& name, Dims64 const& dimensions, DimensionNames const& names) const {
    Shape shape = inputShape(name, dimensions, names);
    if (!hasImplicitBatch()) return shape;
    if (!isConstant(shape))
        fail(ErrorCode::InvalidArgument, name, ": dimensions ", shape,
             " are not all known; in a network with implicit batch only the batch may change; create the network with "
             "kEXPLICIT_BATCH");
    shape.insert(shape.begin(), batch());
    return shape;
}

bool TensorFace::getBroadcastAcrossBatch() const noexcept {
    return guarded(network_.reporter(), "ITensor::getBroadcastAcrossBatch",
                   [&] { return network_.hasImplicitBatch() && isOneSample(network_.shapeOf(*tensor_)); });
}

void TensorFace::setBroadcastAcrossBatch(bool broadcastAcrossBatch) noexcept {
    guarded(network_.reporter(), "ITensor::setBroadcastAcrossBatch", [&] {
        if (broadcastAcrossBatch == getBroadcastAcrossBatch()) return;
        if (!network_.hasImplicitBatch() || !isNetworkInput())
            return network_.reporter().noEffect(withoutEffect("ITensor::setBroadcastAcrossBatch"));
        tensor_->shape[0] = broadcastAcrossBatch ? DimExpr(1) : Network::batch();
        for (Node* reader : tensor_->readers()) network_.touch(*reader);
    });
}

std::vector<int64_t> Network::repeatSamples(std::vector<Tensor*>& tensors,
                                            std::function<bool(int32_t)> const& repeatsItself) {
    std::vector<int64_t> repeatedOnes;
    if (!hasImplicitBatch()) return repeatedOnes;
    for (Tensor const* tensor : tensors) refresh(tensor);
    auto const batch = std::ranges::find_if(tensors, [](Tensor const* tensor) { return !isOneSample(tensor->shape); });
    if (batch == tensors.end()) return repeatedOnes;
    Tensor* const whole = *batch;
    for (int32_t i = 0; i < static_cast<int32_t>(tensors.size()); ++i) {
        Tensor*& tensor = tensors[static_cast<size_t>(i)];
        bool const isWhole = !isOneSample(tensor->shape) || (repeatsItself && repeatsItself(i));
        if (isWhole) continue;
        tensor = repeated(tensor, whole);
        repeatedOnes.push_back(i);
    }
    return repeatedOnes;
}

/// sample [1,…], batch [N,…] → [N,…], by expanding to [N,1,…].
Tensor* Network::repeated(Tensor* sample, Tensor* batch) {
    Node* shape = hide(graph_.add(std::make_unique<ShapeOf>(), {batch}));
    Slice first;
    first.start = {0};
    first.size = {1};
    Tensor* extents = hide(graph_.add(std::make_unique<Slice>(first), {shape->output()}))->output();
    if (size_t const behind = sample->shape.size() - 1; behind > 0) {
        Tensor* ones = hide(graph_.add(std::make_unique<Constant>(vectorOf(behind, 1)), {}))->output();
        extents = hide(graph_.add(std::make_unique<Concatenation>(Concatenation::along(0)), {extents, ones}))->output();
    }
    return hide(graph_.add(std::make_unique<Expand>(), {sample, extents}))->output();
}

Tensor& Network::beforeRepetition(Tensor& tensor) const {
    Node* const producer = tensor.producer();
    bool const isRepeated = producer && isHidden(producer) && producer->kind() == Expand::kKind;
    return isRepeated || widenings_.contains(producer) ? beforeRepetition(*producer->input(0)) : tensor;
}

} // namespace tenon::trt
