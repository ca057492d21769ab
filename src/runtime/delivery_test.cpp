// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/delivery.h"

#include "layers/constant/constant.h"
#include "layers/softmax/softmax.h"
#include "plan/build.h"
#include "support/layer_case.h"

namespace tenon {
namespace {

/// x [3] → softmax y, and a constant c
Graph network() {
    Graph graph;
    Tensor* const y = graph.emit(Softmax{}, {graph.addInput("x", DataType::Float32, {3})});
    Tensor* const c = graph.emit(Constant(test::floats({2}, {7, 8})), {});
    y->name = "y";
    c->name = "c";
    graph.markOutput(y);
    graph.markOutput(c);
    return graph;
}

struct Sink final : OutputSink {
    std::vector<float> memory = std::vector<float>(4);
    int allocations = 0;
    std::vector<Dims> shapes;
    void* allocate(std::string const&, size_t) override {
        ++allocations;
        return memory.data();
    }
    void shapeIs(std::string const&, Dims const& dims) override { shapes.push_back(dims); }
};

struct Delivered {
    Engine engine{build(network(), {})};
    Bindings bindings{engine};
    Segment segment{engine, engine.shapeProgram().evaluate(bindings.shapeInputs()), 0,
                    std::vector<StepState>(engine.steps().size())};
    Tensor const* x = engine.plan().graph.inputs()[0];
    Tensor const* y = engine.plan().graph.outputs()[0];
    Tensor const* c = engine.plan().graph.outputs()[1];
    std::vector<float> in = std::vector<float>(3);
    std::vector<float> out = std::vector<float>(3);

    Delivered() {
        bindings.setAddress(x, in.data());
        bindings.setAddress(y, out.data());
        bindings.bind(segment);
    }
    void deliver() { tenon::deliver(bindings, segment, segment.shapes(), nullptr); }
};

TEST(Delivery, copiesAConstantThatIsAnOutput) {
    Delivered d;
    EXPECT_EQ(test::errorOf([&] { d.deliver(); }),
              "output c has no address; set it with setTensorAddress or in the array of bindings before running");
    std::vector<float> c(2);
    d.bindings.setAddress(d.c, c.data());
    d.deliver();
    EXPECT_EQ(c, (std::vector<float>{7, 8}));
}

TEST(Delivery, givesASinkTheConstantAndItsShape) {
    Delivered d;
    Sink sink;
    d.bindings.setSink(d.c, &sink);
    d.deliver();
    EXPECT_EQ(sink.allocations, 1);
    EXPECT_EQ(sink.shapes, std::vector{Dims{2}});
    EXPECT_EQ(sink.memory[1], 8);
}

TEST(Delivery, tellsASinkTheShapeOfWhatAStepWroteAndCopiesNothing) {
    Delivered d;
    Sink sink;
    Sink ofConstant;
    d.bindings.setSink(d.y, &sink);
    d.bindings.setSink(d.c, &ofConstant);
    d.bindings.bind(d.segment);
    EXPECT_EQ(sink.allocations, 1) << "the step writes there";
    sink.memory[0] = 5;
    d.deliver();
    EXPECT_EQ(sink.allocations, 1);
    EXPECT_EQ(sink.shapes, std::vector{Dims{3}});
    EXPECT_EQ(sink.memory[0], 5);
}

} // namespace
} // namespace tenon
