// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Graphs inside of layers, as a plan holds them.

#include "layers/constant/constant.h"
#include "layers/elementwise/elementwise.h"
#include "layers/loop/loop.h"
#include "plan/json/json_fields.h"
#include "support/layer_case.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tenon {
namespace {

/// s + 2, repeatedly.
Loop adding() {
    Loop loop;
    loop.carried = 1;
    loop.body.name = "adding";
    loop.body.addInput("trip", DataType::Int64, {});
    Tensor* const goesOn = loop.body.addInput("goes_on", DataType::Bool, {});
    Tensor* const s = loop.body.addInput("s", DataType::Float32, {2});
    Tensor* const two = loop.body.emit(Constant(test::floats({}, {2})), {}, "two");
    loop.body.markOutput(goesOn);
    loop.body.markOutput(loop.body.emit(elementwise(PointwiseOp::Sum), {s, two}, "add"));
    return loop;
}

struct Written {
    std::vector<Literal> literals;
    Json json;

    explicit Written(Loop loop) {
        JsonWriter writer([this](Literal const& literal) {
            literals.push_back(literal);
            return Json(literals.size() - 1);
        });
        loop.fields(writer);
        json = std::move(writer.json);
    }

    Loop read() const {
        JsonReader reader(json, [this](int64_t number) { return literals.at(static_cast<size_t>(number)); });
        Loop loop;
        loop.fields(reader);
        reader.expectAllRead();
        return loop;
    }
    std::string error() const {
        return test::errorOf([&] { read(); });
    }
};

TEST(BodyFields, areReadAsTheyWereWritten) {
    Loop const loop = adding();
    Loop const read = Written(loop).read();
    EXPECT_TRUE(sameFields(loop, read));
    std::vector<Literal> const inputs{Literal::scalar(int64_t{0}), Literal::scalar(true), test::floats({2}, {1, 5})};
    test::expectClose(runByReference(read.body, inputs)[1], test::floats({2}, {3, 7}), 0, "s");
}

TEST(BodyFields, keepWhatIsAskedAndTheRangesOfTensors) {
    Loop loop = adding();
    Node& add = *loop.body.outputs()[1]->producer();
    add.askedType = DataType::Float16;
    add.output()->askedType = DataType::BFloat16;
    add.output()->quantum = {0.25F, 3, DataType::UInt8, true};
    loop.body.inputs()[2]->quantum.scale = 0.5F;
    Loop const read = Written(loop).read();
    Node const& found = *read.body.outputs()[1]->producer();
    EXPECT_EQ(found.askedType, DataType::Float16);
    EXPECT_EQ(found.output()->askedType, DataType::BFloat16);
    EXPECT_TRUE(found.output()->quantum.isLike(add.output()->quantum));
    EXPECT_TRUE(found.output()->quantum.isExact);
    EXPECT_EQ(read.body.inputs()[2]->quantum.scale, 0.5F);
    EXPECT_FALSE(sameFields(loop, adding())) << "loops that compute otherwise are not the same";
}

TEST(BodyFields, keepDebugTensorsWithTheirNames) {
    Loop loop = adding();
    EXPECT_FALSE(Written(loop).json["body"][0].contains("debug"));
    Tensor& sum = *loop.body.outputs()[1];
    sum.isDebug = true;
    sum.name = "sum";
    Written written(loop);
    Loop const read = written.read();
    EXPECT_TRUE(read.body.outputs()[1]->isDebug);
    EXPECT_EQ(read.body.outputs()[1]->name, "sum");
    EXPECT_FALSE(read.body.inputs()[2]->isDebug);
    written.json["body"][0]["debug"][0]["tensor"] = 9;
    EXPECT_EQ(written.error(), "a graph inside a layer reads tensor 9 of 5 before it is produced");
}

TEST(BodyFields, areRefusedWhenDamaged) {
    Written const sound(adding());
    auto const damaged = [&](auto const& damage) {
        Written copy = sound;
        damage(copy.json["body"][0]);
        return copy.error();
    };
    EXPECT_EQ(damaged([](Json& body) { body["nodes"][1]["inputs"][0] = 4; }),
              "a graph inside a layer reads tensor 4 of 4 before it is produced");
    EXPECT_EQ(damaged([](Json& body) { body["nodes"][1]["inputs"][0] = -2; }),
              "a graph inside a layer reads tensor -2 of 4 before it is produced");
    EXPECT_EQ(damaged([](Json& body) { body["outputs"][1] = 1; }), "a graph inside a layer has an output twice");
    EXPECT_EQ(damaged([](Json& body) { body["nodes"][1]["outputs"] = 1'000'000; }), "add: has 1000000 outputs");
    EXPECT_EQ(damaged([](Json& body) { body["nodes"][1]["kind"] = "Nonesuch"; }),
              "unknown layer kind Nonesuch; the file may come from a newer Tenon");
    EXPECT_EQ(damaged([](Json& body) { body["nodes"][0]["fields"] = Json::array(); }),
              "two: a constant without a value");
    EXPECT_EQ(damaged([](Json& body) {
                  body["asked"].push_back({{"node", 2}, {"output", -1}, {"type", "float16"}, {"firm", false}});
              }),
              "a type is requested for output -1 of node 2 of a graph inside a layer, which does not exist");
    EXPECT_EQ(damaged([](Json& body) {
                  body["asked"].push_back({{"node", 1}, {"output", 1}, {"type", "float16"}, {"firm", false}});
              }),
              "a type is requested for output 1 of node 1 of a graph inside a layer, which does not exist");
    EXPECT_EQ(damaged([](Json& body) {
                  body["quanta"].push_back({{"tensor", 2}, {"scale", 0.5}, {"zero", 300}});
              }),
              "a tensor of a graph inside a layer is stored in int8 with scale 0.5 and zero point 300");
    Written twice = sound;
    twice.json["body"].push_back(twice.json["body"][0]);
    EXPECT_EQ(twice.error(), "a layer has 2 graphs as one field");
}

TEST(BodyFields, standInOneAnotherOnlySoDeep) {
    Loop loop = adding();
    for (int depth = 1; depth < kMostBodiesDeep; ++depth) {
        Loop outer = adding();
        Tensor* const trips = outer.body.emit(Constant(Literal::scalar(int64_t{1})), {});
        Tensor* const s = outer.body.outputs()[1];
        Node* const inner = outer.body.add(loop.clone(), {trips, nullptr, s});
        outer.body.unmarkOutput(s);
        outer.body.markOutput(inner->output());
        loop = outer;
    }
    Written const deepest(loop);
    EXPECT_TRUE(sameFields(deepest.read(), loop));
    Loop deeper = adding();
    Tensor* const s = deeper.body.inputs()[2];
    deeper.body.add(loop.clone(), {deeper.body.inputs()[0], nullptr, s});
    EXPECT_EQ(test::errorOf([&] { Written{deeper}; }), "layers with graphs inside are nested more than 8 deep");
}

TEST(BodyFields, mustFitTheLayer) {
    std::vector<test::Input> const inputs{{DataType::Int64, {}}, {DataType::Bool, {}}, {DataType::Float32, {2}}};
    Loop loop = adding();
    loop.carried = 2;
    EXPECT_EQ(test::inferError(loop, inputs),
              "node (Loop): its body has 3 inputs and 2 outputs; it cannot carry 2 values");
    EXPECT_EQ(test::inferError(adding(), {inputs[0], inputs[1]}), "node (Loop): has 2 inputs; its body has 3");
    EXPECT_EQ(test::inferError(adding(), {inputs[0], inputs[0], inputs[2]}),
              "node (Loop): the condition, input 1, is int64; expected bool (add a cast)");
    EXPECT_EQ(test::inferError(adding(), {inputs[2], inputs[1], inputs[2]}),
              "node (Loop): the trip count, input 0, is float32; expected int32 or int64");
}

} // namespace
} // namespace tenon
