// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads a model, builds and runs it, on the CPU, with oneDNN. It instantiates no template of the C++ library itself,
// because that may be a trap here.
#include "NvInfer.h"
#include "NvOnnxParser.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#if defined(OWN_ONNX)
#include "own_onnx.pb.h"
#endif

namespace {

using namespace nvinfer1;

class Logger final : public ILogger {
public:
    void log(Severity severity, char const* message) noexcept override {
        if (severity <= Severity::kWARNING) std::printf("the library said: %s\n", message);
    }
};

int fail(char const* what) { return std::printf("failed: %s\n", what), 1; }

// y = softmax(W x), of 16 values
constexpr char kModel[] =
    "ir_version: 8 opset_import { version: 13 } graph { name: 'g' "
    "node { op_type: 'Conv' input: 'x' input: 'w' output: 'c' } "
    "node { op_type: 'Softmax' input: 'c' output: 'y' attribute { name: 'axis' type: INT i: 1 } } "
    "initializer { name: 'w' dims: [2, 1, 3, 3] data_type: 1 float_data: "
    "[0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0] } "
    "input { name: 'x' type { tensor_type { elem_type: 1 shape { dim { dim_value: 1 } "
    "dim { dim_value: 1 } dim { dim_value: 3 } dim { dim_value: 3 } } } } } "
    "output { name: 'y' } }";

int runEngine(IHostMemory const& plan, Logger& logger) {
    IRuntime* const runtime = createInferRuntime(logger);
    ICudaEngine* const engine = runtime->deserializeCudaEngine(plan.data(), plan.size());
    if (!engine) return fail("deserialize");
    IExecutionContext* const context = engine->createExecutionContext();
    float x[9] = {};
    float y[2] = {};
    x[4] = .5F;
    context->setTensorAddress("x", x);
    context->setTensorAddress("y", y);
    if (!context->enqueueV3(nullptr)) return fail("enqueue");
    float const expected = 1 / (1 + std::exp(-1.F)); // of .5 and -.5
    if (std::abs(y[0] - expected) > 1e-5F || std::abs(y[1] - (1 - expected)) > 1e-5F) return fail("the values");
    delete context;
    delete engine;
    delete runtime;
    return 0;
}

} // namespace

int main() {
#if defined(OWN_ONNX)
    onnx::ModelProto own;
    own.mutable_graph()->mutable_first()->set_number(3);
    own.mutable_graph()->set_weight(.5);
    if (own.SerializeAsString().size() != 15) return fail("the program's own classes");
#endif
    setenv("TENON_DEVICE", "cpu", 1);
    Logger logger;
    IBuilder* const builder = createInferBuilder(logger);
    INetworkDefinition* const network = builder->createNetworkV2(0);
    auto* const parser = nvonnxparser::createParser(*network, logger);
    if (!parser->parse(kModel, sizeof kModel - 1)) return fail("parse");
    IBuilderConfig* const config = builder->createBuilderConfig();
    IHostMemory* const plan = builder->buildSerializedNetwork(*network, *config);
    if (!plan) return fail("build");
    int const status = runEngine(*plan, logger);
    delete plan;
    delete config;
    delete parser;
    delete network;
    delete builder;
    return status;
}
