// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/bindings.h"

#include "layers/expand/expand.h"
#include "layers/softmax/softmax.h"
#include "plan/build.h"
#include "support/layer_case.h"

namespace tenon {
namespace {

/// softmax over the last axis of x [N,3], N from 1 to 8 in the first profile, 4 in the second
Engine softmax() {
    Graph graph;
    Tensor* const y = graph.emit(Softmax{}, {graph.addInput("x", DataType::Float32, {DimExpr::symbol("N"), 3})});
    y->name = "y";
    graph.markOutput(y);
    BuildConfig config;
    config.profiles = {{{"x", {{1, 3}, {2, 3}, {8, 3}, {}, {}, {}}}}, {{"x", {{4, 3}, {4, 3}, {4, 3}, {}, {}, {}}}}};
    return Engine(build(graph, config));
}

/// x [1] repeated to the shapes in s [1] and t [1], 1 to 4 each
Engine repeating() {
    Graph graph;
    Tensor* const x = graph.addInput("x", DataType::Float32, {1});
    BuildConfig config;
    config.profiles.emplace_back();
    for (char const* name : {"s", "t"}) {
        graph.markOutput(graph.emit(Expand{}, {x, graph.addInput(name, DataType::Int64, {1})}));
        config.profiles.back()[name] = {{1}, {1}, {1}, {1}, {2}, {4}};
    }
    return Engine(build(graph, config));
}

struct Bound {
    explicit Bound(Engine (*make)()) : engine(make()) {}
    Tensor const* input(size_t i) const { return engine.plan().graph.inputs()[i]; }
    Tensor const* output(size_t i) const { return engine.plan().graph.outputs()[i]; }

    Engine engine;
    Bindings bindings{engine};
};

/// Returns the memory that it is constructed with.
struct FixedSink final : OutputSink {
    explicit FixedSink(void* memory) : memory_(memory) {}
    void* allocate(std::string const&, size_t bytes) override {
        requested.push_back(bytes);
        return memory_;
    }
    void shapeIs(std::string const&, Dims const&) override {}

    std::vector<size_t> requested;

private:
    void* memory_;
};

TEST(Bindings, takeShapesUpToTheBoundsOfTheProfile) {
    Bound b(softmax);
    for (int64_t rows : {1, 8}) {
        b.bindings.setShape(b.input(0), {rows, 3});
        EXPECT_EQ(b.bindings.of(b.input(0)).dims, (Dims{rows, 3}));
    }
    for (int64_t rows : {0, 9}) {
        EXPECT_EQ(test::errorOf([&] {
                      b.bindings.setShape(b.input(0), {rows, 3});
                  }),
                  text("input x has shape [", rows,
                       ",3]; axis 0 is outside 1 to 8, the range of optimization profile 0 ([1,3] to [8,3])"));
        EXPECT_EQ(b.bindings.of(b.input(0)).dims, (Dims{8, 3})) << "an error changes nothing";
    }
}

TEST(Bindings, takeNoOtherRankOrFixedExtent) {
    Bound b(softmax);
    for (Dims const& dims : {Dims{2, 4}, Dims{2}, Dims{2, 3, 1}, Dims{-1, 3}})
        EXPECT_EQ(test::errorOf([&] { b.bindings.setShape(b.input(0), dims); }),
                  text("input x has shape ", dims, "; expected [N,3]"));
}

TEST(Bindings, insideOfALayerTakeShapesOutsideOfTheProfile) {
    Bound b(softmax);
    b.bindings.ignoreRanges();
    b.bindings.setShape(b.input(0), {9, 3});
    EXPECT_EQ(b.bindings.of(b.input(0)).dims, (Dims{9, 3}));
    EXPECT_EQ(test::errorOf([&] {
                  b.bindings.setShape(b.input(0), {9, 4});
              }),
              "input x has shape [9,4]; expected [N,3]");
}

TEST(Bindings, takeShapesOfInputsOnly) {
    Bound b(softmax);
    EXPECT_EQ(test::errorOf([&] {
                  b.bindings.setShape(b.output(0), {2, 3});
              }),
              "y is an output; shapes are set for inputs only");
    Graph other;
    Tensor const* const z = other.addInput("z", DataType::Float32, {1});
    EXPECT_EQ(test::errorOf([&] { b.bindings.setAddress(z, nullptr); }), "z is not an input or output of the engine");
}

TEST(Bindings, forgetShapesWithTheProfile) {
    Bound b(softmax);
    EXPECT_EQ(b.bindings.missingForShapes(), std::vector<std::string>{"x"});
    EXPECT_EQ(test::errorOf([&] { b.bindings.shapeInputs(); }),
              "input x has shape [N,3]; set its shape before running");
    EXPECT_EQ(b.bindings.dimsInProfile(*b.input(0)), (Dims{-1, 3}));
    b.bindings.setShape(b.input(0), {2, 3});
    EXPECT_TRUE(b.bindings.missingForShapes().empty());
    b.bindings.setProfile(1);
    EXPECT_EQ(b.bindings.shapeInputs()[0].dims, (Dims{4, 3})) << "the only shape in this profile";
    b.bindings.setProfile(0);
    EXPECT_EQ(b.bindings.missingForShapes(), std::vector<std::string>{"x"});
    for (int const profile : {-1, 2})
        EXPECT_EQ(test::errorOf([&] { b.bindings.setProfile(profile); }),
                  text("optimization profile ", profile, " is requested; the engine has 2"));
}

TEST(Bindings, haveChangedOnlyWithAnotherShape) {
    Bound b(softmax);
    EXPECT_TRUE(b.bindings.haveChanged());
    b.bindings.setShape(b.input(0), {2, 3});
    b.bindings.settle();
    b.bindings.setShape(b.input(0), {2, 3});
    b.bindings.setAddress(b.input(0), &b);
    EXPECT_FALSE(b.bindings.haveChanged());
    b.bindings.setShape(b.input(0), {3, 3});
    EXPECT_TRUE(b.bindings.haveChanged());
}

struct Repeating : Bound {
    Repeating() : Bound(repeating) {
        bindings.setAddress(input(1), &s);
        bindings.setAddress(input(2), &t);
        bindings.readShapeTensors();
        bindings.settle();
    }
    std::string error() {
        return test::errorOf([&] { bindings.readShapeTensors(); });
    }
    int64_t s = 2;
    int64_t t = 2;
};

TEST(Bindings, noticeValuesOfShapeTensorsThatChange) {
    Repeating r;
    r.bindings.readShapeTensors();
    EXPECT_FALSE(r.bindings.haveChanged());
    r.s = 4;
    r.bindings.readShapeTensors();
    EXPECT_TRUE(r.bindings.haveChanged());
    EXPECT_EQ(r.bindings.shapeInputs()[1].host, test::ints({1}, {4}));
}

TEST(Bindings, refuseValuesOfShapeTensorsOutsideOfTheProfile) {
    Repeating r;
    for (int64_t value : {0, 5}) {
        r.s = value;
        EXPECT_EQ(
            r.error(),
            text(
                "element 0 of shape tensor s is ", value,
                "; optimization profile 0 allows 1 to 4; pass such a value, or build the engine with another profile"));
    }
    for (int64_t value : {1, 4}) { // the bounds
        r.s = value;
        r.bindings.readShapeTensors();
        EXPECT_EQ(r.bindings.shapeInputs()[1].host, test::ints({1}, {value}));
    }
}

TEST(Bindings, rememberThatOneShapeTensorChangedWhenAnotherIsRefused) {
    Repeating r;
    r.s = 3;
    r.t = 9;
    EXPECT_EQ(r.error().find("element 0 of shape tensor t is 9"), 0U);
    r.t = 2;
    r.bindings.readShapeTensors();
    EXPECT_TRUE(r.bindings.haveChanged());
}

TEST(Bindings, sayWhichShapeTensorHasNoAddress) {
    Repeating r;
    r.bindings.setAddress(r.input(2), nullptr);
    EXPECT_EQ(r.bindings.missingForShapes(), std::vector<std::string>{"t"});
    EXPECT_EQ(r.error(), "input t decides shapes and has no address; set one in host memory");
}

TEST(Bindings, ofACopyKeepAddressesAndReadValuesButNoSinks) {
    Repeating r;
    FixedSink sink(nullptr);
    float x = 0;
    r.bindings.setSink(r.output(0), &sink);
    r.bindings.setAddress(r.input(0), &x);
    Bindings copy(r.engine);
    copy.copyFrom(r.bindings);
    EXPECT_EQ(copy.of(r.output(0)).sink, nullptr);
    EXPECT_EQ(copy.of(r.input(0)).data, &x);
    r.s = 4;
    copy.readShapeTensors();
    EXPECT_EQ(copy.shapeInputs()[1].host, test::ints({1}, {2})) << "as it was when it was copied";
}

TEST(Bindings, refuseASinkWithoutMemory) {
    Bound const b(softmax);
    FixedSink sink(nullptr);
    Binding y = b.bindings.of(b.output(0));
    y.sink = &sink;
    EXPECT_EQ(test::errorOf([&] { y.allocateBySink(24); }),
              "output y: the output allocator returned no memory for 24 bytes");
    EXPECT_EQ(y.allocateBySink(0), nullptr) << "none is needed";
    EXPECT_EQ(sink.requested, (std::vector<size_t>{24, 0}));
}

TEST(Bindings, giveASegmentMemoryOfTheSinkBeforeThatOfTheAddress) {
    Bound b(softmax);
    std::vector<float> x(6);
    std::vector<float> y(6);
    std::vector<float> other(6);
    FixedSink sink(other.data());
    b.bindings.setShape(b.input(0), {2, 3});
    Segment segment(b.engine, b.engine.shapeProgram().evaluate(b.bindings.shapeInputs()), 0,
                    std::vector<StepState>(b.engine.steps().size()));
    EXPECT_NE(test::errorOf([&] { b.bindings.bind(segment); }).find("input x has no address"), std::string::npos);
    b.bindings.setAddress(b.input(0), x.data());
    EXPECT_NE(test::errorOf([&] { b.bindings.bind(segment); }).find("output y has no address"), std::string::npos);
    b.bindings.setAddress(b.output(0), y.data());
    b.bindings.bind(segment);
    int const number = b.bindings.of(b.output(0)).number;
    EXPECT_EQ(segment.dataOf(number), y.data());
    b.bindings.setSink(b.output(0), &sink);
    b.bindings.bind(segment);
    EXPECT_EQ(segment.dataOf(number), other.data());
    EXPECT_EQ(sink.requested, std::vector<size_t>{24});
}

} // namespace
} // namespace tenon
