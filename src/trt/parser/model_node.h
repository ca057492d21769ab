// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "onnx/onnx_node.h"
#include "tenon/onnx.h"
#include "trt/network/network.h"

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// A node and the network in which a user's importer adds its layers (tenon/onnx.h).
struct TenonOnnxModelNode {
public:
    TenonOnnxModelNode(tenon::onnx::OnnxNode& reader, tenon::trt::Network& network)
        : reader(reader), network(network), name(reader.name()), op(reader.op()), domain(reader.domain()) {}

    /// In the network; null if it is omitted.
    nvinfer1::ITensor* input(int32_t index);
    TenonOnnxTensor constant(int32_t index, bool isNeeded);
    TenonOnnxAttribute attribute(char const* name, int32_t type);
    TenonOnnxAttribute attributeAt(int32_t index);

    tenon::onnx::OnnxNode& reader;
    tenon::trt::Network& network;
    std::string const name;
    std::string const op;
    std::string const domain;
    /// Tensors of the model's graph by the network's tensors that represent them.
    tenon::StandIns standIns;
    std::map<nvinfer1::ITensor const*, int64_t> elementTypes; // set by the importer
    std::optional<std::vector<nvinfer1::ITensor*>> outputs;
    std::optional<std::string> refusal;

private:
    tenon::Tensor* standInFor(tenon::Tensor& outside);
    TenonOnnxTensor kept(tenon::Literal const& literal, int64_t elementType);

    std::map<tenon::Tensor const*, tenon::Tensor*> inputs_; // by the graph's
    std::deque<std::vector<int64_t>> extents_;
    std::deque<tenon::Literal> literals_;
    std::deque<TenonOnnxTensor> tensors_;
    std::deque<std::vector<char const*>> texts_;
};
