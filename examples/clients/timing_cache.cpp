// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Keeps the builder's measurements for the next build.

#include "client.h"

using namespace nvinfer1;

namespace {

/// Builds with a cache from `known`; returns the cache afterwards.
std::vector<char> build(client::Logger& logger, std::vector<char> const& known) {
    client::Definition d(logger);
    client::Owned<ITimingCache> cache(d.config->createTimingCache(known.data(), known.size()));
    client::require(cache != nullptr, "a timing cache");
    client::require(d.config->setTimingCache(*cache, false), "the cache is taken");
    ITensor* x = d.network->addInput("x", DataType::kFLOAT, Dims4(1, 3, 16, 16));
    IPoolingLayer* pool = d.network->addPoolingNd(*x, PoolingType::kMAX, DimsHW(2, 2));
    pool->setStrideNd(DimsHW(2, 2));
    d.output(pool->getOutput(0), "y");
    d.build();
    client::Owned<IHostMemory> bytes(d.config->getTimingCache()->serialize());
    client::require(bytes != nullptr && bytes->size() > 0, "the cache as bytes");
    auto const* begin = static_cast<char const*>(bytes->data());
    return {begin, begin + bytes->size()};
}

} // namespace

int main() {
    client::Logger logger;
    std::vector<char> const first = build(logger, {});
    std::vector<char> const second = build(logger, first);
    client::require(second.size() >= first.size(), "nothing is forgotten");
    std::puts("ok");
}
