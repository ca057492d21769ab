// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// An engine with other weights computes what an engine computes that is built with these.

#include "layers/activation/activation.h"
#include "layers/constant/constant.h"
#include "layers/convolution/convolution.h"
#include "layers/elementwise/elementwise.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "layers/scale/scale.h"
#include "support/run_engine.h"
#include "support/tested_device.h"

#include <random>

namespace tenon {
namespace {

/// A network whose weights are random numbers, different for each seed.
class Weighted {
public:
    explicit Weighted(unsigned seed) : random_(seed) {}

    Graph graph;

    Literal numbers(Dims const& dims) {
        std::normal_distribution<float> normal(0, 0.3F);
        std::vector<float> values(static_cast<size_t>(dims.volume()));
        for (float& value : values) value = normal(random_);
        return Literal::of(dims, values);
    }
    /// A refittable constant, by its index among these.
    Tensor* weights(Dims const& dims) {
        Constant constant(numbers(dims));
        constant.weights = text("w", count_++);
        constant.isOpen = true;
        return graph.emit(std::move(constant), {});
    }
    Tensor* convolution(Tensor* x, int64_t outputs, int64_t inputs, int64_t size, int64_t groups = 1) {
        Convolution layer;
        layer.groups = groups;
        return graph.emit(layer, {x, weights({outputs, inputs / groups, size, size}), weights({outputs})});
    }
    Tensor* scale(Tensor* x, int64_t channels) {
        Scale layer;
        layer.mode = Scale::Mode::Channel;
        layer.channelAxis = 1;
        return graph.emit(layer, {x, weights({channels}), weights({channels})});
    }
    Tensor* relu(Tensor* x) {
        Activation layer;
        layer.operation = PointwiseOp::Relu;
        return graph.emit(layer, {x});
    }
    Tensor* sum(Tensor* x, Tensor* y) { return graph.emit(elementwise(PointwiseOp::Sum), {x, y}); }
    Tensor* product(Tensor* x, Dims const& dims) { return graph.emit(MatrixMultiply{}, {x, weights(dims)}); }

private:
    std::mt19937 random_;
    int count_ = 0;
};

using Write = void (*)(Weighted& network);

void images(Weighted& n) {
    Tensor* const x = n.graph.addInput("x", DataType::Float32, {2, 16, 12, 12});
    Tensor* const a = n.relu(n.scale(n.convolution(x, 32, 16, 3), 32));
    Tensor* const b = n.scale(n.convolution(a, 32, 32, 3, 32), 32);
    n.graph.markOutput(n.sum(n.relu(b), n.weights({1, 32, 1, 1})));
}

void rows(Weighted& n) {
    Tensor* const x = n.graph.addInput("x", DataType::Float32, {3, 40, 64});
    Tensor* const h = n.sum(n.product(x, {1, 64, 96}), n.weights({1, 1, 96}));
    Tensor* const y = n.product(n.relu(h), {1, 96, 24});
    n.graph.markOutput(n.graph.emit(elementwise(PointwiseOp::Prod), {y, n.weights({3, 40, 24})}));
}

struct RefitCase {
    char const* name;
    Write write;
    Precision precision;
};

class Refitted : public ::testing::TestWithParam<RefitCase> {};

TEST_P(Refitted, computesAsAnEngineThatIsBuiltWithTheseWeights) {
    Weighted first(1);
    Weighted second(2);
    GetParam().write(first);
    GetParam().write(second);
    BuildConfig config;
    config.device = test::testedDevice();
    config.settings.precision = GetParam().precision;
    config.settings.refits = true;
    std::vector<Literal> const x{first.numbers(toDims(first.graph.inputs()[0]->shape))};
    test::EngineRun run(first.graph, config);
    test::EngineRun other(second.graph, config);
    auto const before = run.run(x);
    Refit refit;
    for (RefitWeights const& weights : refitWeights(second.graph)) refit.weights[weights.name] = weights.value;
    run.engine().refit(refit);
    auto const expected = other.run(x);
    EXPECT_NE(before[0], expected[0]);
    EXPECT_EQ(run.run(x)[0], expected[0]);
    EXPECT_EQ(run.run(x)[0], expected[0]); // possibly from a recording
}

std::vector<RefitCase> const kCases{{"images", images, {}},
                                    {"imagesInFloat16", images, {.float16 = true}},
                                    {"rows", rows, {}},
                                    {"rowsInFloat16", rows, {.float16 = true}}};

INSTANTIATE_TEST_SUITE_P(Networks, Refitted, ::testing::ValuesIn(kCases),
                         [](auto const& info) { return std::string(info.param.name); });

} // namespace
} // namespace tenon
