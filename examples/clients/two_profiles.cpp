// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// One engine with a profile for single images and one for large batches.

#include "client.h"

using namespace nvinfer1;

int main() {
    client::Logger logger;
    client::Definition d(logger);
    ITensor* x = d.network->addInput("x", DataType::kFLOAT, Dims3(-1, -1, 2));
    d.output(d.network->addActivation(*x, ActivationType::kRELU)->getOutput(0), "y");
    d.range("x", Dims3(1, 1, 2), Dims3(1, 2, 2), Dims3(1, 4, 2));
    d.range("x", Dims3(8, 1, 2), Dims3(16, 1, 2), Dims3(16, 1, 2));
    client::Loaded const loaded(logger, *d.build());
    client::require(loaded.engine->getNbOptimizationProfiles() == 2, "two profiles");

    client::Stream stream;
    client::DeviceFloats in(32), out(32);
    auto const context = loaded.context();
    context->setTensorAddress("x", in.data());
    context->setTensorAddress("y", out.data());
    struct {
        int32_t profile;
        Dims3 dims;
    } const runs[] = {{0, Dims3(1, 4, 2)}, {1, Dims3(8, 1, 2)}, {0, Dims3(1, 1, 2)}};
    for (auto const& run : runs) {
        client::require(context->setOptimizationProfileAsync(run.profile, stream), "the profile");
        client::require(context->setInputShape("x", run.dims), "a shape of this profile");
        size_t const count = static_cast<size_t>(run.dims.d[0] * run.dims.d[1] * run.dims.d[2]);
        std::vector<float> values(count), expected(count);
        for (size_t i = 0; i < count; ++i) {
            values[i] = static_cast<float>(i) - 3;
            expected[i] = values[i] > 0 ? values[i] : 0;
        }
        in.set(values, stream);
        client::require(context->enqueueV3(stream), "a run");
        client::requireNear(out.get(count, stream), expected);
    }
    client::require(!context->setInputShape("x", Dims3(16, 1, 2)), "a refusal of the other profile's shape");
    std::puts("ok");
}
