// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Defines y = W x + b with weights of its own, builds it, saves it to a file, and runs it from there.

#include "client.h"

#include <fstream>
#include <iterator>

using namespace nvinfer1;

int main() {
    client::Logger logger;
    float const weights[6] = {1, 2, 3, 4, 5, 6}; // [2,3]
    float const bias[2] = {0.5F, -0.5F};
    {
        client::Definition d(logger);
        ITensor* x = d.network->addInput("x", DataType::kFLOAT, Dims2(1, 3));
        ITensor* w = d.network->addConstant(Dims2(2, 3), Weights{DataType::kFLOAT, weights, 6})->getOutput(0);
        ITensor* b = d.network->addConstant(Dims2(1, 2), Weights{DataType::kFLOAT, bias, 2})->getOutput(0);
        ITensor* product =
            d.network->addMatrixMultiply(*x, MatrixOperation::kNONE, *w, MatrixOperation::kTRANSPOSE)->getOutput(0);
        d.output(d.network->addElementWise(*product, *b, ElementWiseOperation::kSUM)->getOutput(0), "y");
        auto const file = d.build();
        std::ofstream("linear.engine", std::ios::binary)
            .write(static_cast<char const*>(file->data()), static_cast<std::streamsize>(file->size()));
    }

    std::ifstream stream("linear.engine", std::ios::binary);
    std::vector<char> const bytes{std::istreambuf_iterator<char>(stream), {}};
    client::Owned<IRuntime> runtime(createInferRuntime(logger));
    client::Owned<ICudaEngine> engine(runtime->deserializeCudaEngine(bytes.data(), bytes.size()));
    client::require(engine != nullptr, "a loaded engine");
    client::Owned<IExecutionContext> context(engine->createExecutionContext());

    client::Stream cuda;
    client::DeviceFloats x(3), y(2);
    x.set({1, 0, -1}, cuda);
    for (int32_t i = 0; i < engine->getNbIOTensors(); ++i) {
        char const* const name = engine->getIOTensorName(i);
        bool const isInput = engine->getTensorIOMode(name) == TensorIOMode::kINPUT;
        client::require(context->setTensorAddress(name, isInput ? x.data() : y.data()), "an address");
    }
    client::require(context->enqueueV3(cuda), "a run");
    client::requireNear(y.get(2, cuda), {-1.5F, -2.5F});

    // The older API: one array of addresses, in the order of the tensors, and no stream.
    void* const bindings[2] = {x.data(), y.data()};
    client::require(context->executeV2(bindings), "a run");
    std::puts("ok");
}
