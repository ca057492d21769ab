// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Registers importers of ONNX nodes when it is loaded, and no plugin.

#include "NvInfer.h"
#include "tenon/onnx.h"

namespace {

// y = 3 x
tenon::OnnxImporter const triple("Triple", "com.example", {1, 3},
                                 [](tenon::OnnxModelNode const& node, nvinfer1::INetworkDefinition& network) {
                                     nvinfer1::ITensor& x = node.input(0);
                                     auto const sum = nvinfer1::ElementWiseOperation::kSUM;
                                     nvinfer1::ITensor* const twice = network.addElementWise(x, x, sum)->getOutput(0);
                                     return std::vector<nvinfer1::ITensor*>{
                                         network.addElementWise(*twice, x, sum)->getOutput(0)};
                                 });

#ifdef REGISTERS_TWICE
tenon::OnnxImporter const again("Triple", "com.example", {3, 4},
                                [](tenon::OnnxModelNode const&, nvinfer1::INetworkDefinition&) {
                                    return std::vector<nvinfer1::ITensor*>{};
                                });
#endif

} // namespace
