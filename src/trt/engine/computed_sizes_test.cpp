// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Networks that compute extents from data, through the API.

#include "support/api.h"

#include <algorithm>
#include <map>

namespace tenon::trt {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::dims;
using test::extents;
using test::Running;

using Extents = std::vector<int64_t>;
using Floats = std::vector<float>;

/// x [6] → part, its first n elements, where n is the number of those above 0; odd, the first n odd numbers; and zeros,
/// whose number is the largest element.
struct Network : Defining {
    ITensor& x = input("x", {6});
    ITensor* count = nullptr;

    Network() {
        ITensor* const above =
            network->addElementWise(x, floats({1}, {0}), ElementWiseOperation::kGREATER)->getOutput(0);
        count = sum(network->addCast(*above, DataType::kINT32)->getOutput(0), ReduceOperation::kSUM);
        ISliceLayer* const slice = network->addSlice(x, dims({0}), dims({0}), dims({1}));
        slice->setInput(2, *count);
        output(slice->getOutput(0), "part");
        output(filled(*count, 1, 2), "odd");
        ITensor* const most = sum(&x, ReduceOperation::kMAX);
        output(filled(*network->addCast(*most, DataType::kINT32)->getOutput(0), 0, 0), "zeros");
    }

    ITensor* sum(ITensor* of, ReduceOperation how) { return network->addReduce(*of, how, 1, true)->getOutput(0); }
    ITensor* filled(ITensor& extent, double alpha, double beta) const {
        IFillLayer* const fill = network->addFill(dims({0}), FillOperation::kLINSPACE, DataType::kFLOAT);
        fill->setInput(0, extent);
        fill->setAlpha(alpha);
        fill->setBeta(beta);
        return fill->getOutput(0);
    }
};

class Growing final : public IOutputAllocator {
public:
    void* reallocateOutputAsync(char const*, void*, uint64_t size, uint64_t, cudaStream_t) override {
        memory.resize(std::max<size_t>(memory.size(), size));
        return memory.data();
    }
    void notifyShape(char const*, Dims const& found) noexcept override { shape = extents(found); }
    Floats values() const {
        auto const* const first = reinterpret_cast<float const*>(memory.data());
        return {first, first + shape.at(0)};
    }

    std::vector<char> memory = std::vector<char>(1);
    Extents shape;
};

TEST(ComputedSizes, areNotShapeTensors) {
    Network network;
    EXPECT_FALSE(network.x.isShapeTensor());
    EXPECT_FALSE(network.count->isShapeTensor());
    Running r(*network.build());
    EXPECT_FALSE(r.engine->isShapeInferenceIO("x"));
    EXPECT_EQ(r.engine->getTensorLocation("x"), TensorLocation::kDEVICE);
    for (char const* name : {"part", "odd", "zeros"}) {
        EXPECT_EQ(extents(r.engine->getTensorShape(name)), Extents{-1});
        EXPECT_EQ(extents(r.context->getTensorShape(name)), Extents{-1});
    }
}

TEST(ComputedSizes, areToldToOutputAllocators) {
    Running r(*Network().build());
    Floats x(6);
    std::map<std::string, Growing> outputs;
    r.context->setTensorAddress("x", x.data());
    for (char const* name : {"part", "odd", "zeros"}) r.context->setOutputAllocator(name, &outputs[name]);
    for (Floats const& now : {Floats{1, -2, 3, 0, 5, -6}, Floats{9, 2, 3, 4, 5, 6}, Floats{0, 0, 0, 0, 0, 0},
                              Floats{1, -2, 3, 0, 500, -6}}) {
        x = now;
        r.run();
        auto const n = std::ranges::count_if(now, [](float one) { return one > 0; });
        EXPECT_EQ(outputs["part"].values(), Floats(now.begin(), now.begin() + n));
        EXPECT_EQ(outputs["odd"].shape, Extents{n});
        for (int64_t i = 0; i < n; ++i)
            EXPECT_EQ(outputs["odd"].values()[static_cast<size_t>(i)], static_cast<float>(2 * i + 1));
        EXPECT_EQ(outputs["zeros"].values(), Floats(static_cast<size_t>(*std::ranges::max_element(now)), 0));
    }
}

TEST(ComputedSizes, areBoundedByWhatComputesThem) {
    Running r(*Network().build());
    EXPECT_EQ(r.context->getMaxOutputSize("part"), 24);
    EXPECT_EQ(r.context->getMaxOutputSize("odd"), 24); // the sum of six flags
    EXPECT_TRUE(r.messages.errors.empty());
    EXPECT_EQ(r.context->getMaxOutputSize("zeros"), -1);
    EXPECT_EQ(r.messages.lastError(), "getMaxOutputSize: output zeros: its size depends on data and has no upper "
                                      "bound; set an output allocator (setOutputAllocator)");
}

TEST(ComputedSizes, fillMemoryOfTheLargestSizeToo) {
    Running r(*Network().build());
    Floats x{1, -2, 3, 0, 5, -6};
    Floats part(6, -1);
    Floats odd(6, -1);
    Growing zeros;
    r.context->setTensorAddress("x", x.data());
    r.context->setTensorAddress("part", part.data());
    r.context->setTensorAddress("odd", odd.data());
    r.context->setOutputAllocator("zeros", &zeros);
    r.run();
    EXPECT_EQ(part, (Floats{1, -2, 3, -1, -1, -1}));
    EXPECT_EQ(odd, (Floats{1, 3, 5, -1, -1, -1}));
    EXPECT_EQ(zeros.values(), Floats(5, 0));
}

TEST(ComputedSizes, areErrorsOfTheRunWhereTheyAreNone) {
    Running r(*Network().build());
    Floats x{-1, -2, -3, -4, -5, -6};
    std::map<std::string, Growing> outputs;
    r.context->setTensorAddress("x", x.data());
    for (char const* name : {"part", "odd", "zeros"}) r.context->setOutputAllocator(name, &outputs[name]);
    EXPECT_FALSE(r.context->enqueueV3(nullptr));
    EXPECT_NE(r.messages.lastError().find("-1"), std::string::npos) << r.messages.lastError();
    x[0] = 2;
    r.run();
    EXPECT_EQ(outputs["zeros"].values(), Floats(2, 0));
    EXPECT_EQ(outputs["part"].values(), Floats{2});
}

} // namespace
} // namespace tenon::trt
