// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "support/api.h"

namespace tenon::test {

/// Four branches of unequal lengths after one softmax, added in pairs: y = (a + b) + (c + d), x [64,1024].
inline std::unique_ptr<nvinfer1::IHostMemory> branches(int32_t auxStreams) {
    using namespace nvinfer1;
    Defining d;
    d.config->setMaxAuxStreams(auxStreams);
    auto const softMax = [&](ITensor& x, uint32_t axes) {
        ISoftMaxLayer* const layer = d.network->addSoftMax(x);
        layer->setAxes(axes);
        return layer->getOutput(0);
    };
    auto const sum = [&](ITensor* a, ITensor* b) {
        return d.network->addElementWise(*a, *b, ElementWiseOperation::kSUM)->getOutput(0);
    };
    ITensor* const trunk = softMax(d.input("x", {64, 1024}), 2);
    std::vector<ITensor*> ends;
    for (uint32_t length = 1; length <= 4; ++length) {
        ITensor* end = trunk;
        for (uint32_t i = 0; i < length; ++i) end = softMax(*end, i % 2 == 0 ? 1 : 2);
        ends.push_back(end);
    }
    d.output(sum(sum(ends[0], ends[1]), sum(ends[2], ends[3])));
    return d.build();
}

} // namespace tenon::test
