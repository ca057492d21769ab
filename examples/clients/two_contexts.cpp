// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Two threads run one engine at the same time, each with a context and a stream of its own.

#include "client.h"

#include <thread>

using namespace nvinfer1;

namespace {

void serve(client::Loaded const& loaded, float base) {
    auto const context = loaded.context();
    client::Stream stream;
    client::DeviceFloats in(4), out(4);
    context->setTensorAddress("x", in.data());
    context->setTensorAddress("y", out.data());
    for (int i = 0; i < 200; ++i) {
        std::vector<float> const row{base, base / 2, static_cast<float>(i) / 100, 1};
        in.set(row, stream);
        client::require(context->enqueueV3(stream), "a run");
        client::requireNear(out.get(4, stream), client::softmax(row));
    }
}

} // namespace

int main() {
    client::Logger logger;
    client::Definition d(logger);
    ISoftMaxLayer* layer = d.network->addSoftMax(*d.network->addInput("x", DataType::kFLOAT, Dims2(1, 4)));
    layer->setAxes(1U << 1);
    d.output(layer->getOutput(0), "y");
    client::Loaded const loaded(logger, *d.build());
    std::thread first(serve, std::cref(loaded), 1.F), second(serve, std::cref(loaded), -2.F);
    first.join();
    second.join();
    std::puts("ok");
}
