// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The API for Caffe models ended with level 8, so this file is compiled at that level.
#include "caffe_model.h"

#include "NvCaffeParser.h"
#include "failure.h"

namespace trtexec {
namespace {

using namespace nvinfer1;

/// The parser uses a batch of 1, whatever the file specifies.
void openBatch(INetworkDefinition& network) {
    for (int32_t i = 0; i < network.getNbInputs(); ++i) {
        Dims dims = network.getInput(i)->getDimensions();
        dims.d[0] = -1;
        network.getInput(i)->setDimensions(dims);
    }
}

} // namespace

std::shared_ptr<void> parseCaffe(CaffeModel const& model, bool opensBatch, void* network) {
    auto& definition = *static_cast<INetworkDefinition*>(network);
    std::shared_ptr<nvcaffeparser1::ICaffeParser> const parser(nvcaffeparser1::createCaffeParser());
    char const* const weights = model.weights.empty() ? nullptr : model.weights.c_str();
    auto const* const blobs =
        parser ? parser->parse(model.deploy.c_str(), weights, definition, DataType::kFLOAT) : nullptr;
    if (blobs == nullptr) fail("Failed to parse caffe model ", model.deploy); // the parser has logged the reason
    for (std::string const& name : model.outputs) {
        ITensor* const tensor = blobs->find(name.c_str());
        if (tensor == nullptr) fail("--output: there is no blob ", name, " in ", model.deploy);
        definition.markOutput(*tensor);
    }
    if (opensBatch) openBatch(definition);
    return parser;
}

} // namespace trtexec
