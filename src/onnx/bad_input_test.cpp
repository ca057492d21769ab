// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Errors that only a run can find: they name the node, and the engine runs with the next inputs.

#include "onnx/importer.h"
#include "support/layer_case.h"
#include "support/onnx_model.h"
#include "support/run_engine.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tenon::onnx {
namespace {

using test::floats;

/// A node whose inputs are all fed, and an invalid value of one of them.
struct BadInput {
    char const* op;
    std::vector<Literal> inputs; // valid values; a Literal without data: left out
    size_t at;
    Literal bad; // instead of inputs[at]
    char const* error;
    std::optional<int64_t> axis = {};
};

Literal longs(std::vector<int64_t> const& values) { return Literal::of({static_cast<int64_t>(values.size())}, values); }
Literal number(int64_t value) { return Literal::scalar(value); }

std::vector<Literal> fed(std::vector<Literal> inputs) {
    std::erase_if(inputs, [](Literal const& input) { return input.data() == nullptr; });
    return inputs;
}

Graph graphOf(BadInput const& one) {
    test::OnnxModel model(24);
    std::vector<std::string> names;
    for (Literal const& input : one.inputs) {
        names.push_back(input.data() ? text('x', names.size()) : "");
        if (input.data() == nullptr) continue;
        std::vector<test::OnnxModel::Dim> dims;
        for (int64_t const extent : input.dims()) dims.emplace_back(static_cast<int>(extent));
        model.input(names.back(), dims, isFloat(input.type()) ? 1 : 7);
    }
    auto& node = model.node(one.op, names, {"y"}, "node");
    if (std::string_view(one.op) == "Split") node.add_output("z");
    if (one.axis) test::setInt(node, "axis", *one.axis);
    model.output("y");
    Graph graph;
    for (auto const& error : parse(test::asBytes(model.bytes()), graph).errors) ADD_FAILURE() << error.text;
    return graph;
}

BuildConfig configFor(Graph const& graph, std::vector<Literal> const& inputs) {
    BuildConfig config;
    Profile& profile = config.profiles.emplace_back();
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i].dims().rank() > 1) continue;
        InputRange& range = profile[graph.inputs()[i]->name];
        range = {inputs[i].dims(), inputs[i].dims(), inputs[i].dims(), {}, {}, {}};
        std::vector<int64_t> values = isFloat(inputs[i].type()) ? std::vector<int64_t>{} : inputs[i].toInt64();
        for (float const value : isFloat(inputs[i].type()) ? inputs[i].toFloat() : std::vector<float>{})
            values.push_back(static_cast<int64_t>(value));
        range.minValues = range.optValues = range.maxValues = values;
    }
    return config;
}

std::vector<ShapeProgram::Input> shapeInputs(Graph const& graph, std::vector<Literal> const& inputs) {
    std::vector<ShapeProgram::Input> all;
    for (size_t i = 0; i < inputs.size(); ++i)
        all.push_back({inputs[i].dims(), graph.inputs()[i]->onHost ? inputs[i] : Literal()});
    return all;
}

void expectNamed(std::vector<BadInput> const& all) {
    for (BadInput const& one : all) {
        SCOPED_TRACE(one.op);
        Graph const graph = graphOf(one);
        auto const good = fed(one.inputs);
        std::vector<Literal> bad = one.inputs;
        bad[one.at] = one.bad;
        test::EngineRun engine(graph, configFor(graph, good));
        auto const before = engine.run(good);
        Graph const& built = engine.engine().plan().graph;
        bool const hasRange = built.tensorNamed(text('x', one.at))->onHost && !isFloat(one.bad.type());
        std::string const error = test::errorOf([&] { engine.run(fed(bad)); });
        if (hasRange) { // outside the profile's range; a value that a layer computes has no range
            EXPECT_NE(error.find(" of shape tensor "), std::string::npos) << error;
            EXPECT_EQ(test::errorOf([&] { engine.engine().shapeProgram().evaluate(shapeInputs(built, fed(bad))); }),
                      one.error);
        } else {
            EXPECT_EQ(error, one.error);
        }
        test::expectClose(engine.run(good)[0], before[0], 0, "afterwards");
    }
}

Literal const kX = floats({2, 3}, {1, 2, 3, 4, 5, 6});

Literal const kRows = Literal::of<int64_t>({1, 3}, {0, 1, 1});
Literal const kWrongRows = Literal::of<int64_t>({1, 3}, {0, 1, 7});
Literal const kPlace = Literal::of<int64_t>({1, 2}, {1, 2});
Literal const kWrongPlace = Literal::of<int64_t>({1, 2}, {1, 3});
Literal const kPicture = floats({1, 1, 2, 2}, {1, 2, 3, 4});
std::vector<BadInput> const kIndices{
    {"Gather", {kX, longs({0, 1})}, 1, longs({0, 2}), "node (Gather): index 2 is outside axis 0, which has extent 2"},
    {"Gather",
     {kX, longs({0, 1})},
     1,
     longs({0, INT64_MIN}),
     "node (Gather): index -9223372036854775808 is outside axis 0, which has extent 2"},
    {"GatherElements", {kX, kRows}, 1, kWrongRows, "node (Gather): index 7 is outside axis 0, which has extent 2"},
    {"GatherND", {kX, kPlace}, 1, kWrongPlace, "node (Gather): index 3 is outside axis 1, which has extent 3"},
    {"ScatterElements",
     {kX, kRows, floats({1, 3}, {7, 8, 9})},
     1,
     kWrongRows,
     "node (Scatter): index 7 is outside axis 0, which has extent 2"},
    {"ScatterND",
     {kX, kPlace, floats({1}, {7})},
     1,
     kWrongPlace,
     "node (Scatter): index 3 is outside axis 1, which has extent 3"},
    {"TensorScatter",
     {floats({1, 3, 1}, {1, 2, 3}), floats({1, 1, 1}, {9}), longs({1})},
     2,
     longs({5}),
     "node (KVCacheUpdate): sequence 0 writes 1 positions from 5 on; the cache has 3",
     1},
    {"ReverseSequence",
     {kX, longs({1, 2, 2})},
     1,
     longs({1, 2, 4}),
     "node (ReverseSequence): sequence 2 has length 4; expected 0 to 2, the extent of the reversed axis"},
    {"NegativeLogLikelihoodLoss",
     {kX, longs({0, 2})},
     1,
     longs({0, 3}),
     "node_3 (Gather): index 3 is outside axis 1, which has extent 3"},
    {"RoiAlign",
     {kPicture, floats({1, 4}, {0, 0, 1, 1}), longs({0})},
     2,
     longs({1}),
     "node (RoiAlign): region 0 is of batch item 1; X has 1"},
};

TEST(BadInput, isAnIndexThatIsNotThere) { expectNamed(kIndices); }

std::vector<BadInput> const kAxes{
    {"CumSum", {kX, number(0)}, 1, number(2), "node (Cumulative): axis 2 of a tensor of rank 2; expected -2 to 1"},
    {"ReduceSum", {kX, longs({0})}, 1, longs({-3}), "node (Reduce): axis -3 of a tensor of rank 2; expected -2 to 1"},
    {"Unsqueeze", {kX, longs({0})}, 1, longs({5}), "node (Unsqueeze): axis 5 of a tensor of rank 3; expected -3 to 2"},
    {"Squeeze",
     {floats({1, 3}, {1, 2, 3}), longs({0})},
     1,
     longs({1}),
     "node (Squeeze): axis 1 of [1,3] has extent 3; only axes of extent 1 can be dropped"},
    {"Slice",
     {kX, longs({0}), longs({2}), longs({1})},
     3,
     longs({2}),
     "node (Slice): axis 2 of a tensor of rank 2; expected -2 to 1"},
    {"DFT",
     {floats({1, 4, 1}, {1, 2, 3, 4}), Literal{}, number(1)},
     2,
     number(2),
     "node_8 (Assertion): does not hold: the axis is one of those before the last one, which has real and "
     "imaginary parts; give one from 0 to 1"},
};

TEST(BadInput, isAnAxisThatIsNotThere) { expectNamed(kAxes); }

Literal const kScales = floats({4}, {1, 1, 2, 2});
std::vector<BadInput> const kExtents{
    {"TopK",
     {kX, longs({2})},
     1,
     longs({-1}),
     "node (TopK): k is -1 for axis 1 of extent 3; expected 0 to that extent"},
    {"Reshape",
     {kX, longs({3, 2})},
     1,
     longs({4, 2}),
     "node (Shuffle): shape [2,3] has 6 elements and cannot be reshaped to [4,2]"},
    {"Reshape", {kX, longs({3, 2})}, 1, longs({-2, 2}), "node (Shuffle): a shape cannot have the extent -2 (axis 0)"},
    {"Reshape", {kX, longs({3, 2})}, 1, longs({-1, -1}), "node (Shuffle): shape [-1,-1] has more than one -1"},
    {"Reshape",
     {kX, longs({3, 2})},
     1,
     longs({INT64_MAX, 2}),
     "node (Shuffle): a tensor of shape [9223372036854775807,2] has more elements than 64 bits can count"},
    {"Expand",
     {kX, longs({2, 3})},
     1,
     longs({5, 3}),
     "node (Expand): shapes [2,3] and [5,3] do not broadcast: 2 against 5"},
    {"Expand", {kX, longs({2, 3})}, 1, longs({-5, 3}), "node (Expand): shape [-5,3] has a negative extent"},
    {"Expand",
     {floats({1}, {1}), longs({2})},
     1,
     longs({INT64_MAX}),
     "node (Expand): a tensor of float32 and shape [9223372036854775807] takes more than 128 TiB, more than any "
     "memory"},
    {"Tile",
     {kX, longs({1, 2})},
     1,
     longs({1, -2}),
     "node (Slice): bounds=Repeats gives an extent of -2; it cannot be negative"},
    {"Tile", {kX, longs({1, 2})}, 1, longs({1, INT64_MAX}), "node (Slice): a dimension does not fit in 64 bits"},
    {"ConstantOfShape", {longs({2})}, 0, longs({-2}), "node (Expand): shape [-2] has a negative extent"},
    {"ConstantOfShape",
     {longs({2})},
     0,
     longs({INT64_MAX}),
     "node (Expand): a tensor of float32 and shape [9223372036854775807] takes more than 128 TiB, more than any "
     "memory"},
    {"Range", {number(0), number(4), number(1)}, 2, number(0), "node (Fill): delta is 0; expected another number"},
    {"Range",
     {number(0), number(4), number(1)},
     1,
     number(INT64_MAX),
     "node (Fill): a tensor of int64 and shape [9223372036854775807] takes more than 128 TiB, more than any memory"},
    {"Pad",
     {kX, longs({0, 1, 0, 1})},
     1,
     longs({0, -9, 0, 0}),
     "node_3 (Slice): bounds=Pads gives an extent of -6; it cannot be negative"},
    {"Pad",
     {kX, longs({0, 1, 0, 1})},
     1,
     longs({0, INT64_MAX, 0, INT64_MAX}),
     "node_3 (Slice): a dimension does not fit in 64 bits"},
    {"Slice",
     {kX, longs({0}), longs({2}), longs({1}), longs({1})},
     4,
     longs({0}),
     "node (Slice): the stride is 0; expected another number"},
    {"Split",
     {kX, longs({1, 2})},
     1,
     longs({1, 1}),
     "node_4 (Assertion): does not hold: the lengths of its parts add up to the extent of axis 1; give lengths "
     "that do",
     1},
    {"Split",
     {kX, longs({1, 2})},
     1,
     longs({4, -1}),
     "node_6 (Slice): takes elements 0 to 3 of axis 1, which has extent 3; use bounds within it, or a mode other than "
     "StrictBounds",
     1},
    {"OneHot",
     {longs({0, 1}), number(3), floats({2}, {0, 1})},
     1,
     number(-1),
     "node (OneHot): depth is -1; expected 0 or more"},
    {"CenterCropPad",
     {kX, longs({2, 2})},
     1,
     longs({2, -2}),
     "node_5 (Slice): bounds=Size gives an extent of -2; it cannot be negative"},
    {"Resize",
     {kPicture, Literal{}, kScales},
     2,
     floats({4}, {1, 1, 0, 2}),
     "node (Resize): a scale is 0; expected more than 0"},
    {"Resize",
     {kPicture, Literal{}, kScales},
     2,
     floats({4}, {1, 1, NAN, 2}),
     "node (Resize): a scale is nan; expected more than 0"},
    {"Resize",
     {kPicture, Literal{}, kScales},
     2,
     floats({4}, {1, 1, 1e30F, 2}),
     "node (Resize): an extent becomes 2.0000000300949324e+30; expected a number from 0 to 2^63"},
    {"Resize",
     {kPicture, Literal{}, Literal{}, longs({1, 1, 4, 4})},
     3,
     longs({1, 1, -4, 4}),
     "node (Resize): sizes [1,1,-4,4] has a negative extent"},
    {"DFT",
     {floats({1, 4, 1}, {1, 2, 3, 4}), number(4)},
     1,
     number(-4),
     "node_7 (Assertion): does not hold: it transforms 1 to 16777216 numbers; give another length"},
    {"HannWindow",
     {number(4)},
     0,
     number(-4),
     "node_3 (Fill): output 0 would get shape [-4] from inputs of these shapes"},
};

TEST(BadInput, isAnExtentThatCannotBe) { expectNamed(kExtents); }

TEST(BadInput, takesMoreMemoryThanThereIs) {
    std::string const error = test::errorOf([] {
        BadInput const one{"ConstantOfShape", {longs({2})}, 0, longs({int64_t{1} << 45}), ""};
        Graph const graph = graphOf(one);
        BuildConfig config = configFor(graph, one.inputs);
        config.profiles.front().at("x0").maxValues = {int64_t{1} << 45};
        test::EngineRun(graph, config).run({one.bad});
    });
    EXPECT_EQ(error.substr(0, error.find("; the ")),
              "node (Expand): its output y float32[35184372088832] takes 140737488355328 bytes");
}

/// Each operator, with inputs left out or missing: no crash, and a text that names the node.
TEST(BadInput, isNamedWhereAllAreLeftOut) {
    for (ImporterList const& list : allImporters()) {
        for (Importer const& importer : list) {
            for (size_t const count : {0, 1, 6}) {
                test::OnnxModel model(24);
                auto& node = model.node(std::string(importer.op), std::vector<std::string>(count, ""), {"y"}, "node");
                node.set_domain(std::string(importer.domain));
                model.output("y");
                Graph graph;
                for (auto const& error : parse(test::asBytes(model.bytes()), graph).errors)
                    EXPECT_NE(error.text.find("node ("), std::string::npos) << importer.op << ": " << error.text;
            }
        }
    }
}

} // namespace
} // namespace tenon::onnx
