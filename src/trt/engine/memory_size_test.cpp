// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The memory that an engine says it takes is enough for all shapes of a profile.

#include "support/api.h"

#include <cstdint>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::Running;

/// A loaded engine whose context has exactly the memory size that the engine reports.
struct UserManaged : Running {
    explicit UserManaged(IHostMemory const& file) : Running(file) {
        auto const bytes = static_cast<size_t>(engine->getDeviceMemorySizeV2());
        context.reset(engine->createExecutionContext(ExecutionContextAllocationStrategy::kUSER_MANAGED));
        memory.resize(bytes + 64);
        auto const begin = (reinterpret_cast<uintptr_t>(memory.data()) + 63) / 64 * 64;
        context->setDeviceMemoryV2(reinterpret_cast<void*>(begin), static_cast<int64_t>(bytes));
    }
    std::vector<char> memory;
};

/// The first rows of `of` [64,32], their number is in `size` [2], and then y [1,1] = the sum of softmax(s · sᵀ) with s
/// their softmax: their number.
void addUpRows(Defining& d, ITensor& of, ITensor& size) {
    ISliceLayer* slice = d.network->addSlice(of, test::dims({0, 0}), test::dims({1, 1}), test::dims({1, 1}));
    slice->setInput(2, size);
    ISoftMaxLayer* rows = d.network->addSoftMax(*slice->getOutput(0));
    rows->setAxes(2);
    ITensor& s = *rows->getOutput(0);
    ITensor& square =
        *d.network->addMatrixMultiply(s, MatrixOperation::kNONE, s, MatrixOperation::kTRANSPOSE)->getOutput(0);
    ISoftMaxLayer* all = d.network->addSoftMax(square);
    all->setAxes(2);
    d.output(d.network->addReduce(*all->getOutput(0), ReduceOperation::kSUM, 3, true)->getOutput(0));
}

ITensor& wide(Defining& d, std::vector<int32_t> const& values) {
    ITensor& list = d.integers({static_cast<int64_t>(values.size())}, values);
    return *d.network->addCast(list, DataType::kINT64)->getOutput(0);
}

TEST(MemorySize, isEnoughWhereTensorsGrowWhileTheInputShrinks) {
    Defining d;
    ITensor& shape = *d.network->addShape(d.input("x", {-1, 32}))->getOutput(0);
    ITensor& rows = *d.network->addElementWise(shape, wide(d, {1, 0}), ElementWiseOperation::kPROD)->getOutput(0);
    ITensor& rest = *d.network->addElementWise(wide(d, {64, 32}), rows, ElementWiseOperation::kSUB)->getOutput(0);
    addUpRows(d, d.floats({64, 32}, std::vector<float>(64 * 32, 1)), rest);
    d.range("x", {1, 32}, {32, 32}, {63, 32});
    UserManaged r(*d.build());
    for (int64_t n : {63, 32, 1}) {
        EXPECT_TRUE(r.context->setInputShape("x", test::dims({n, 32})));
        EXPECT_NEAR(r.run(std::vector<float>(static_cast<size_t>(n * 32)), 1)[0], static_cast<double>(64 - n), 1e-3);
    }
}

TEST(MemorySize, isEnoughForAllElementsThatDecideShapes) {
    Defining d;
    ITensor& x = d.input("x", {64, 32});
    ITensor& drop = d.input("drop", {2}, DataType::kINT64);
    addUpRows(d, x, *d.network->addElementWise(wide(d, {64, 32}), drop, ElementWiseOperation::kSUB)->getOutput(0));
    auto* profile = d.builder->createOptimizationProfile();
    int64_t const values[3][2]{{0, 0}, {8, 0}, {60, 30}};
    for (auto select : {OptProfileSelector::kMIN, OptProfileSelector::kOPT, OptProfileSelector::kMAX})
        profile->setShapeValuesV2("drop", select, values[static_cast<int>(select)], 2);
    d.config->addOptimizationProfile(profile);
    UserManaged r(*d.build());
    for (int64_t dropped : {0, 8, 60}) {
        int64_t elements[2]{dropped, 0};
        r.context->setTensorAddress("drop", elements);
        EXPECT_NEAR(r.run(std::vector<float>(64 * 32), 1)[0], static_cast<double>(64 - dropped), 1e-3);
    }
}

TEST(MemorySize, isEnoughForGraphsInsideOfLayers) { // y [1] = the sum of x, 64 - n ones, doubled where `doubles`
    Defining d;
    ITensor& n = *d.network->addShape(d.input("n", {-1}))->getOutput(0);
    ITensor& rest = *d.network->addElementWise(wide(d, {64}), n, ElementWiseOperation::kSUB)->getOutput(0);
    ISliceLayer* slice = d.network->addSlice(d.floats({64}, std::vector<float>(64, 1)), test::dims({0}),
                                             test::dims({1}), test::dims({1}));
    slice->setInput(2, rest);
    IIfConditional* conditional = d.network->addIfConditional();
    conditional->setCondition(d.input("doubles", {}, nvinfer1::DataType::kBOOL));
    ITensor& x = *conditional->addInput(*slice->getOutput(0))->getOutput(0);
    ITensor& twice = *d.network->addElementWise(x, x, ElementWiseOperation::kSUM)->getOutput(0);
    ISoftMaxLayer* shares = d.network->addSoftMax(x); // inner computations need memory
    ITensor& ones = *d.network->addElementWise(x, *shares->getOutput(0), ElementWiseOperation::kPOW)->getOutput(0);
    ITensor& y = *conditional->addOutput(twice, ones)->getOutput(0);
    d.output(d.network->addReduce(y, ReduceOperation::kSUM, 1, true)->getOutput(0));
    d.range("n", {1}, {32}, {63});
    UserManaged r(*d.build());
    for (int64_t count : {63, 32, 1}) {
        for (bool doubles : {true, false}) {
            r.context->setTensorAddress("doubles", &doubles);
            std::vector<float> in(static_cast<size_t>(count));
            float sum = 0;
            EXPECT_TRUE(r.context->setInputShape("n", test::dims({count})));
            r.context->setTensorAddress("n", in.data());
            r.context->setTensorAddress("y", &sum);
            EXPECT_TRUE(r.context->enqueueV3(nullptr)) << r.messages.lastError();
            EXPECT_EQ(sum, static_cast<float>((doubles ? 2 : 1) * (64 - count)));
        }
    }
}

} // namespace
} // namespace tenon
