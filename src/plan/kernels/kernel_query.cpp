// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/kernels/kernel_query.h"

namespace tenon {
namespace {

std::vector<DataType> floatTypes(Precision const& allow) {
    std::vector<DataType> types{DataType::Float32};
    if (allow.float16) types.push_back(DataType::Float16);
    if (allow.bfloat16) types.push_back(DataType::BFloat16);
    return types;
}

} // namespace

KernelQuery kernelQuery(Node const& node, std::vector<Dims> inputs, std::vector<Dims> outputs,
                        PlanSettings const& settings) {
    Precision const& allow = settings.precision;
    KernelQuery query{node, std::move(inputs), std::move(outputs), floatTypes(allow), allow.tf32, allow.int8};
    query.allowSparse = settings.sparse;
    query.independent = settings.independent;
    query.allowCompiled = settings.compiles;
    return query;
}

std::vector<Label> labelsOffered(Tensor const* tensor, KernelQuery const& query, Device device) {
    std::vector<Label> labels;
    if (tensor == nullptr) return {{DataType::Float32, {}, device}};
    std::vector<Label> types;
    for (DataType const type : query.typesOf(*tensor)) types.push_back({type, {}, device});
    if (query.mayBeSymmetric(*tensor)) types.push_back(Label::of(tensor->quantum, {}, device));
    for (Label label : types) {
        labels.push_back(label);
        if (tensor->shape.size() != 4 && tensor->shape.size() != 5) continue; // only images and volumes
        for (Format const& format : {Format::nhwc(), Format::nhwc(8), Format::nhwc(16), Format::blocked(2),
                                     Format::blocked(4), Format::blocked(16), Format::blocked(32)}) {
            label.format = format;
            labels.push_back(label);
        }
    }
    return labels;
}

} // namespace tenon
