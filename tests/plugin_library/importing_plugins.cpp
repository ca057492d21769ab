// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Registers importers of ONNX nodes when it is loaded, and no plugin.

#include "NvInfer.h"
#include "tenon/onnx.h"

#include <cstdlib>

namespace {

using nvinfer1::ElementWiseOperation;
using nvinfer1::ITensor;

// y = 3 x; a test may run code before that
std::vector<ITensor*> addTriple(tenon::OnnxModelNode const& node, nvinfer1::INetworkDefinition& network) {
    if (node.has("first")) {
        using First = void (*)();
        reinterpret_cast<First>(std::strtoull(node.text("first").c_str(), nullptr, 10))();
    }
    ITensor& x = node.input(0);
    ITensor* const twice = network.addElementWise(x, x, ElementWiseOperation::kSUM)->getOutput(0);
    return {network.addElementWise(*twice, x, ElementWiseOperation::kSUM)->getOutput(0)};
}

tenon::OnnxImporter const triple("Triple", "com.example", {1, 3}, addTriple);
#ifdef REGISTERS_TWICE
tenon::OnnxImporter const again("Triple", "com.example", {3, 4}, addTriple);
#endif

} // namespace
