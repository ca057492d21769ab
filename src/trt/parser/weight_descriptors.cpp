// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/parser/weight_descriptors.h"

#include "base/error.h"
#include "onnx/tensor_reader.h"
#include "trt/edge/edge.h"

#include <algorithm>
#include <limits>

namespace tenon::trt {
namespace {

namespace pb = onnx::pb;

constexpr int32_t kTag = 0x43DFBF69; // of version 1

pb::TensorProto tensorOf(WeightDescriptor const& given) {
    if (given.memoryType != 0)
        fail(ErrorCode::Unsupported, "are in memory of type ", given.memoryType, "; expected 0, the CPU's");
    if (given.dataType > static_cast<uint64_t>(onnx::ElementType::Unknown))
        fail(ErrorCode::Unsupported, "are of element type ", given.dataType, ", which is not known");
    if (given.dimensions > 0 && given.shape == nullptr)
        fail(ErrorCode::InvalidArgument, "have a shape at address null");
    pb::TensorProto tensor;
    tensor.name = given.name;
    tensor.dataType = static_cast<int32_t>(given.dataType);
    for (uint64_t const extent : std::span(given.shape, given.dimensions)) {
        if (extent > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
            fail(ErrorCode::InvalidArgument, "have the extent ", extent);
        tensor.dims.push_back(static_cast<int64_t>(extent));
    }
    size_t const bytes = onnx::bytesOf(onnx::elementType(tensor.dataType), Dims(tensor.dims));
    if (given.buffer == 0 && bytes > 0) fail(ErrorCode::InvalidArgument, "have their values at address null");
    auto const own = std::make_shared<std::string const>(reinterpret_cast<char const*>(given.buffer), bytes);
    tensor.rawData = pb::LongBytes{*own, own};
    return tensor;
}

void put(pb::GraphProto& graph, pb::TensorProto tensor) {
    auto const isNamed = [&](auto const& one) { return one.name == tensor.name; };
    auto const same = std::ranges::find_if(graph.initializer, isNamed);
    if (same != graph.initializer.end())
        *same = std::move(tensor);
    else if (std::ranges::any_of(graph.input, isNamed))
        graph.initializer.push_back(std::move(tensor));
    else
        fail(ErrorCode::InvalidArgument, "are not an input or initializer of the model");
}

} // namespace

onnx::Model withWeights(onnx::Model const& model, std::span<WeightDescriptor const> weights) {
    struct Changed {
        onnx::Model original; // which contains weights
        pb::ModelProto proto;
    };
    auto const changed = std::make_shared<Changed>(model, *model);
    for (size_t i = 0; i < weights.size(); ++i) {
        WeightDescriptor const& one = weights[i];
        if (one.tag != kTag)
            fail(ErrorCode::InvalidArgument, "weights ", i, " have the tag ", one.tag, "; expected ", kTag,
                 ", of onnxTensorDescriptorV1");
        std::string const name = expectText(one.name, "the name of weights");
        locate([&] { return text("weights '", name, '\''); }, [&] { put(*changed->proto.graph, tensorOf(one)); });
    }
    return {changed, &changed->proto};
}

} // namespace tenon::trt
