// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// One engine for batches of 1 to 8.

#include "client.h"

using namespace nvinfer1;

int main() {
    client::Logger logger;
    client::Definition d(logger);
    ITensor* x = d.network->addInput("x", DataType::kFLOAT, Dims2(-1, 4));
    ISoftMaxLayer* layer = d.network->addSoftMax(*x);
    layer->setAxes(1U << 1);
    d.output(layer->getOutput(0), "y");
    d.range("x", Dims2(1, 4), Dims2(4, 4), Dims2(8, 4));
    client::Loaded const loaded(logger, *d.build());
    auto const context = loaded.context();
    client::require(loaded.engine->getTensorShape("x").d[0] == -1, "a dynamic extent");
    client::require(loaded.engine->getProfileShape("x", 0, OptProfileSelector::kMAX).d[0] == 8,
                    "the profile's maximum");

    client::Stream stream;
    client::DeviceFloats in(8 * 4), out(8 * 4);
    context->setTensorAddress("x", in.data());
    context->setTensorAddress("y", out.data());
    for (int32_t batch : {1, 3, 8, 3}) {
        std::vector<float> values, expected;
        for (int32_t row = 0; row < batch; ++row) {
            std::vector<float> const logits{0.1F * row, 1, -1, 0.5F * batch};
            values.insert(values.end(), logits.begin(), logits.end());
            auto const probabilities = client::softmax(logits);
            expected.insert(expected.end(), probabilities.begin(), probabilities.end());
        }
        in.set(values, stream);
        client::require(context->setInputShape("x", Dims2(batch, 4)), "a shape of the profile");
        client::require(context->allInputDimensionsSpecified(), "all shapes");
        client::require(context->getTensorShape("y").d[0] == batch, "the output's shape");
        client::require(context->enqueueV3(stream), "a run");
        client::requireNear(out.get(expected.size(), stream), expected);
    }
    client::require(!context->setInputShape("x", Dims2(9, 4)), "a refusal of a shape outside of the profile");
    std::puts("ok");
}
