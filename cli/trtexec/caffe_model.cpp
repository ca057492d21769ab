// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The API for Caffe models ended with level 8, so this file is compiled at it.
#include "caffe_model.h"

#include "NvCaffeParser.h"
#include "failure.h"

namespace trtexec {

std::shared_ptr<void> parseCaffe(CaffeModel const& model, void* network) {
    auto& definition = *static_cast<nvinfer1::INetworkDefinition*>(network);
    std::shared_ptr<nvcaffeparser1::ICaffeParser> const parser(nvcaffeparser1::createCaffeParser());
    char const* const weights = model.weights.empty() ? nullptr : model.weights.c_str();
    auto const* const blobs =
        parser ? parser->parse(model.deploy.c_str(), weights, definition, nvinfer1::DataType::kFLOAT) : nullptr;
    if (blobs == nullptr) fail("Failed to parse caffe model ", model.deploy); // the parser has logged why
    for (std::string const& name : model.outputs) {
        nvinfer1::ITensor* const tensor = blobs->find(name.c_str());
        if (tensor == nullptr) fail("--output: there is no blob ", name, " in ", model.deploy);
        definition.markOutput(*tensor);
    }
    return parser;
}

} // namespace trtexec
