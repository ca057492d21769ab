// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Two engines on one stream: the second reads the outputs of the first. The host does not wait for the first.

#include "client.h"

using namespace nvinfer1;

int main() {
    client::Logger logger;
    client::Definition first(logger), second(logger);
    ITensor* x = first.network->addInput("x", DataType::kFLOAT, Dims2(1, 4));
    first.output(first.network->addUnary(*x, UnaryOperation::kEXP)->getOutput(0), "y");
    ITensor* y = second.network->addInput("y", DataType::kFLOAT, Dims2(1, 4));
    second.output(second.network->addReduce(*y, ReduceOperation::kSUM, 1U << 1, true)->getOutput(0), "z");
    client::Loaded const one(logger, *first.build()), two(logger, *second.build());
    auto const exponent = one.context(), sum = two.context();

    client::Stream stream;
    client::DeviceFloats in(4), between(4), out(1);
    exponent->setTensorAddress("x", in.data());
    exponent->setTensorAddress("y", between.data());
    sum->setTensorAddress("y", between.data());
    sum->setTensorAddress("z", out.data());

    cudaEvent_t start = nullptr, end = nullptr;
    client::check(cudaEventCreate(&start));
    client::check(cudaEventCreate(&end));
    in.set({0, 1, 2, 3}, stream);
    client::check(cudaEventRecord(start, stream));
    client::require(exponent->enqueueV3(stream), "a run of the first");
    client::require(sum->enqueueV3(stream), "a run of the second");
    client::check(cudaEventRecord(end, stream));
    client::requireNear(out.get(1, stream), {1 + std::exp(1.F) + std::exp(2.F) + std::exp(3.F)});
    float milliseconds = -1;
    client::check(cudaEventElapsedTime(&milliseconds, start, end));
    client::require(milliseconds >= 0, "a time");
    cudaEventDestroy(start);
    cudaEventDestroy(end);
    std::puts("ok");
}
