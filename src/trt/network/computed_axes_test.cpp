// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "NvInfer.h"

#include "support/api.h"
#include "support/onnx_model.h"

#include "NvOnnxParser.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

using test::Defining;
using test::OnnxModel;
using test::Running;

constexpr int kFloat = 1;
constexpr int kInt64 = 7;

/// A model of one op on x, with lists that are computed from constants.
struct Computed {
    OnnxModel model{18};
    Defining d;
    std::unique_ptr<nvonnxparser::IParser> parser{nvonnxparser::createParser(*d.network, d.messages)};

    void integers(std::string const& name, std::vector<int64_t> const& values) {
        auto& tensor = model.initializer(name, {static_cast<int64_t>(values.size())}, kInt64);
        for (int64_t const value : values) tensor.add_int64_data(value);
    }
    /// Cast to int64 of the float constant.
    void casted(std::string const& name, std::vector<float> const& values) {
        model.floats(name + ".float", {static_cast<int64_t>(values.size())}, values);
        test::setInt(model.node("Cast", {name + ".float"}, {name}), "to", kInt64);
    }
    void joined(std::string const& name, std::vector<std::string> const& parts) {
        test::setInt(model.node("Concat", parts, {name}), "axis", 0);
    }

    bool parse() {
        std::string const bytes = model.bytes();
        return parser->parse(bytes.data(), bytes.size());
    }
    std::vector<float> run(std::vector<float> const& x, size_t count) {
        model.output("y");
        EXPECT_TRUE(parse()) << d.messages.lastError();
        Running r(*d.build());
        return r.run(x, count);
    }
    std::string extents() const {
        std::string all;
        auto const dims = d.network->getOutput(0)->getDimensions();
        for (int i = 0; i < dims.nbDims; ++i) all += std::to_string(dims.d[i]) + " ";
        return all;
    }
};

std::vector<float> const kSix{1, 2, 3, 4, 5, 6};

TEST(ComputedAxes, ofAReduce) { // numpy: x.sum(1)
    Computed c;
    c.model.input("x", {2, 3});
    c.casted("axes", {1});
    test::setInt(c.model.node("ReduceSum", {"x", "axes"}, {"y"}), "keepdims", 0);
    EXPECT_EQ(c.run(kSix, 2), (std::vector<float>{6, 15}));
    EXPECT_EQ(c.extents(), "2 ");
}

TEST(ComputedAxes, ofASqueezeAndAnUnsqueeze) { // numpy: x.squeeze((0, 2)), np.expand_dims(x, (1, 3))
    Computed c;
    c.model.input("x", {1, 2, 1, 3});
    c.casted("first", {0});
    c.integers("second", {2});
    c.joined("axes", {"first", "second"});
    c.model.node("Squeeze", {"x", "axes"}, {"squeezed"});
    c.integers("one", {1});
    c.model.node("Add", {"axes", "one"}, {"others"});
    c.model.node("Unsqueeze", {"squeezed", "others"}, {"y"});
    EXPECT_EQ(c.run(kSix, 6), kSix);
    EXPECT_EQ(c.extents(), "2 1 3 1 ");
}

TEST(ComputedAxes, ofASlice) { // numpy: x[:, 1:3]; the axis is the rank of x less 1
    Computed c;
    c.model.input("x", {2, 3});
    c.model.node("Shape", {"x"}, {"shape"});
    c.model.node("Shape", {"shape"}, {"rank"});
    test::setInt(c.model.node("Cast", {"rank"}, {"rank.float"}), "to", kFloat);
    c.model.floats("one", {1}, {1});
    c.model.node("Sub", {"rank.float", "one"}, {"axes.float"});
    test::setInt(c.model.node("Cast", {"axes.float"}, {"axes"}), "to", kInt64);
    c.casted("starts", {1});
    c.casted("ends", {3});
    c.model.node("Slice", {"x", "starts", "ends", "axes"}, {"y"});
    EXPECT_EQ(c.run(kSix, 4), (std::vector<float>{2, 3, 5, 6}));
    EXPECT_EQ(c.extents(), "2 2 ");
}

TEST(ComputedAxes, ofAPad) { // numpy: np.pad(x, ((0, 0), (1, 0)))
    Computed c;
    c.model.input("x", {2, 3});
    c.casted("axes", {-1});
    c.casted("before", {1});
    c.integers("after", {0});
    c.joined("pads", {"before", "after"});
    c.model.node("Pad", {"x", "pads", "", "axes"}, {"y"});
    EXPECT_EQ(c.run(kSix, 8), (std::vector<float>{0, 1, 2, 3, 0, 4, 5, 6}));
    EXPECT_EQ(c.extents(), "2 4 ");
}

TEST(ComputedAxes, lengthsOfASplit) { // numpy: np.split(x, [1], 1)[1]; the second length is the rest
    Computed c;
    c.model.input("x", {2, 3});
    c.model.node("Shape", {"x"}, {"shape"});
    c.integers("at", {1});
    c.model.node("Gather", {"shape", "at"}, {"extent"});
    c.casted("first", {1});
    c.model.node("Sub", {"extent", "first"}, {"second"});
    c.joined("lengths", {"first", "second"});
    test::setInt(c.model.node("Split", {"x", "lengths"}, {"unused", "y"}), "axis", 1);
    EXPECT_EQ(c.run(kSix, 4), (std::vector<float>{2, 3, 5, 6}));
}

std::string errorOf(std::string const& op, std::vector<std::string> const& inputs) {
    Computed c;
    c.model.input("x", {1, 3});
    c.model.input("fed", {"K"}, kInt64);
    c.model.node(op, inputs, {"y"}, "n");
    c.model.output("y");
    EXPECT_FALSE(c.parse());
    return c.parser->getNbErrors() > 0 ? c.parser->getError(0)->desc() : "";
}

TEST(ComputedAxes, ofRunTimeAreRefusedWhereTheirNumberIsNotKnown) {
    for (std::string const op : {"ReduceSum", "Squeeze", "Unsqueeze"}) {
        EXPECT_NE(errorOf(op, {"x", "fed"})
                      .find("axes has shape [K]; the number of axes decides the rank; expected a length that is known "
                            "when the engine is built"),
                  std::string::npos)
            << errorOf(op, {"x", "fed"});
    }
    EXPECT_NE(errorOf("Split", {"x", "fed"})
                  .find("the lengths, input 1 'fed', have shape [K]; expected [1], one for each output"),
              std::string::npos)
        << errorOf("Split", {"x", "fed"});
}

} // namespace
} // namespace tenon
