// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The graphs that deploy files become. tests/caffe compares values with formulas.

#include "caffe/parse.h"

#include "layers/constant/constant.h"
#include "support/layer_case.h"

#include <gtest/gtest.h>

#include <utility>

namespace tenon::caffe {
namespace {

using test::errorOf;

/// Inputs x and z [1,4,6,6], and w [1,3,4,6,6], of regions.
constexpr char kInputs[] = "input: 'x' input_shape { dim: 1 dim: 4 dim: 6 dim: 6 } "
                           "input: 'z' input_shape { dim: 1 dim: 4 dim: 6 dim: 6 } "
                           "input: 'w' input_shape { dim: 1 dim: 3 dim: 4 dim: 6 dim: 6 } ";

/// A layer from x to y.
std::string layer(std::string const& type, std::string const& rest = "") {
    return "layer { name: 'l' type: '" + type + "' bottom: 'x' top: 'y' " + rest + " } ";
}

struct Parsed {
    explicit Parsed(std::string const& text, ParseOptions options = {}) {
        options.log = [&](Severity severity, std::string const& message) { said.emplace_back(severity, message); };
        options.leftOut = &leftOut;
        blobs = parse(text, {}, graph, options);
    }

    std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (auto const& node : graph.nodes()) all.push_back(node->name);
        return all;
    }
    std::string shapeOf(std::string const& blob) const { return text(blobs.at(blob)->shape); }

    Graph graph;
    LeftOut leftOut;
    std::vector<std::pair<Severity, std::string>> said;
    Blobs blobs;
};

std::string errorFor(std::string const& text, ParseOptions const& options = {}) {
    return errorOf([&] { Parsed(text, options); });
}
std::string errorOfLayer(std::string const& type, std::string const& rest = "", ParseOptions const& options = {}) {
    return errorFor(kInputs + layer(type, rest), options);
}

ParseOptions hidden() {
    ParseOptions options;
    options.batch = DimExpr::symbol("batch");
    return options;
}

// ---- states

bool isThere(std::string const& state, std::string const& rules) {
    Parsed const parsed(state + " " + kInputs + layer("ReLU", rules));
    return parsed.blobs.contains("y");
}

TEST(CaffeStates, decideWhichLayersThereAre) {
    EXPECT_TRUE(isThere("", "include { phase: TEST }"));
    EXPECT_FALSE(isThere("", "include { phase: TRAIN }"));
    EXPECT_FALSE(isThere("", "exclude { phase: TEST }"));
    EXPECT_TRUE(isThere("state { phase: TRAIN }", "include { phase: TRAIN }"));
    EXPECT_FALSE(isThere("state { phase: TRAIN }", "exclude { phase: TRAIN }"));
    EXPECT_TRUE(isThere("", "include { min_level: 0 max_level: 0 }"));
    EXPECT_FALSE(isThere("", "include { min_level: 1 }"));
    EXPECT_FALSE(isThere("", "include { max_level: -1 }"));
    EXPECT_TRUE(isThere("state { level: 3 }", "include { min_level: 1 max_level: 3 }"));
    EXPECT_FALSE(isThere("state { level: 3 }", "include { min_level: 4 }"));
    EXPECT_TRUE(isThere("state { stage: 'a' stage: 'b' }", "include { stage: 'b' stage: 'a' }"));
    EXPECT_FALSE(isThere("state { stage: 'a' }", "include { stage: 'b' stage: 'a' }"));
    EXPECT_FALSE(isThere("state { stage: 'a' stage: 'b' }", "include { stage: 'a' not_stage: 'b' }"));
    EXPECT_TRUE(isThere("state { stage: 'a' }", "include { phase: TRAIN } include { stage: 'a' }")); // one is enough
    EXPECT_TRUE(isThere("state { stage: 'a' }", "exclude { stage: 'a' phase: TRAIN }"));             // the whole text
    EXPECT_EQ(errorOfLayer("ReLU", "include { } exclude { }"),
              "layer l (ReLU): has include and exclude; expected one of them");
}

TEST(CaffeStates, areOfTheStageDeployUnlessTheFileNamesOne) {
    EXPECT_TRUE(isThere("", "include { stage: 'deploy' }"));
    EXPECT_FALSE(isThere("", "exclude { stage: 'deploy' }"));
    EXPECT_TRUE(isThere("state { phase: TEST }", "include { stage: 'deploy' }"));
    EXPECT_FALSE(isThere("state { stage: 'val' }", "include { stage: 'deploy' }"));
}

TEST(CaffeStates, areGivenAsTheReasonForWhatIsNotThere) {
    std::string const why =
        "layer l (ReLU) is left out: include { phase: TRAIN stage: \"a\" } include { min_level: 2 }";
    std::string const net =
        kInputs + layer("ReLU", "include { phase: TRAIN stage: 'a' } include { min_level: 2 }") +
        "layer { name: 'no' type: 'TanH' bottom: 'x' top: 't' exclude { phase: TRAIN } exclude { not_stage: 'b' } } ";
    Parsed const parsed(net);
    ASSERT_EQ(parsed.said.size(), 2U);
    EXPECT_EQ(parsed.said[0], std::pair(Severity::Info, why));
    EXPECT_EQ(parsed.said[1].second, "layer no (TanH) is left out: exclude { not_stage: \"b\" }");
    EXPECT_EQ(parsed.leftOut.at("y"), why);
    EXPECT_EQ(errorFor(net + "layer { name: 'm' type: 'TanH' bottom: 'y' top: 'u' }"),
              "layer m (TanH): bottom 'y' is a blob that no layer before it makes; " + why);
    std::string stages;
    for (int i = 0; i < 1000; ++i) stages += "stage: 's' ";
    EXPECT_EQ(Parsed(kInputs + layer("ReLU", "include { " + stages + "}")).leftOut.at("y"),
              "layer l (ReLU) is left out: include { stage: \"s\" stage: \"s\" stage: \"s\" stage: \"s\" … }");
}

// ---- names

TEST(CaffeNames, ofLayersThatBecomeSeveralAreFree) {
    Parsed const parsed("input: 'x' input_shape { dim: 1 dim: 2 } "
                        "layer { name: 's' type: 'Split' bottom: 'x' top: 'a' top: 'b' top: 'c' } "
                        "layer { name: 's_3' type: 'ReLU' bottom: 'a' top: 'd' } "
                        "layer { name: 's' type: 'ReLU' bottom: 'b' top: 'e' } "
                        "layer { name: 's_3' type: 'ReLU' bottom: 'c' top: 'f' }");
    EXPECT_EQ(parsed.names(), (std::vector<std::string>{"s", "s_2", "s_4", "s_3", "s_5", "s_3_2"}));
}

TEST(CaffeNames, ofManyLayersTakeNoTime) {
    constexpr int kCount = 20000; // 35 seconds if each name were tried from the first number on
    std::string tops;
    for (int i = 0; i < kCount; ++i) tops += " top: 'y" + std::to_string(i) + "'";
    Parsed const parsed(std::string(kInputs) + "layer { name: 's' type: 'Split' bottom: 'x'" + tops + " }");
    EXPECT_EQ(parsed.names().back(), "s_20000");
}

// ---- inputs

TEST(CaffeInputs, haveOneSampleWhereTheBatchIsShown) {
    std::string const net = "input: 'x' input_dim: 10 input_dim: 4 input_dim: 6 input_dim: 6 "
                            "layer { name: 'd' type: 'Input' top: 'u' input_param { shape { dim: 1 dim: 3 } } } " +
                            layer("ReLU");
    Parsed const parsed(net);
    EXPECT_EQ(parsed.shapeOf("x"), "[1,4,6,6]");
    ASSERT_EQ(parsed.said.size(), 1U);
    EXPECT_EQ(
        parsed.said[0],
        std::pair(Severity::Warning, std::string("input x: the batch is 10 in the deploy file and 1 in a network with "
                                                 "explicit batch; give it another with setDimensions()")));
    Parsed const hiding(net, hidden());
    EXPECT_EQ(hiding.shapeOf("x"), "[batch,4,6,6]");
    EXPECT_TRUE(hiding.said.empty());
}

// ---- regions: [N,P,C,H,W] has its channels in axis 2

std::string shapeOfRegions(std::string const& type, std::string const& rest = "", std::string const& blob = "y") {
    std::string const net =
        std::string(kInputs) + "layer { name: 'l' type: '" + type + "' bottom: 'w' top: 'y' " + rest + " }";
    std::string const shape = Parsed(net).shapeOf(blob);
    EXPECT_EQ(Parsed(net, hidden()).shapeOf(blob), "[batch" + shape.substr(2));
    return shape;
}

TEST(CaffeRegions, haveTheirChannelsBehindThem) {
    EXPECT_EQ(shapeOfRegions("Concat", "bottom: 'w'"), "[1,3,8,6,6]");
    EXPECT_EQ(shapeOfRegions("Slice", "top: 'b'"), "[1,3,2,6,6]");
    EXPECT_EQ(shapeOfRegions("Tile", "tile_param { tiles: 2 }"), "[1,3,8,6,6]");
    EXPECT_EQ(shapeOfRegions("Flatten"), "[1,3,144,1,1]");
    EXPECT_EQ(shapeOfRegions("Flatten", "flatten_param { axis: 1 }"), "[1,432,1,1]");
    EXPECT_EQ(shapeOfRegions("Flatten",
                             "} layer { name: 'p' type: 'InnerProduct' bottom: 'y' top: 'q' "
                             "inner_product_param { num_output: 5 }",
                             "q"),
              "[1,3,5,1,1]");
    EXPECT_EQ(shapeOfRegions("Pooling", "pooling_param { kernel_size: 2 stride: 2 }"), "[1,3,4,3,3]");
    EXPECT_EQ(shapeOfRegions("Pooling", "pooling_param { pool: AVE global_pooling: true }"), "[1,3,4,1,1]");
    EXPECT_EQ(shapeOfRegions("Convolution", "convolution_param { num_output: 2 kernel_size: 3 }"), "[1,3,2,4,4]");
    EXPECT_EQ(shapeOfRegions("Deconvolution", "convolution_param { num_output: 2 kernel_size: 3 }"), "[1,3,2,8,8]");
    for (char const* const type : {"LRN", "Scale", "Bias", "BatchNorm", "PReLU", "Softmax"})
        EXPECT_EQ(shapeOfRegions(type), "[1,3,4,6,6]");
    EXPECT_EQ(errorFor(std::string(kInputs) + "layer { name: 'l' type: 'Convolution' bottom: 'w' top: 'y' "
                                              "convolution_param { num_output: 2 kernel_size: 3 axis: 1 } }"),
              "layer l (Convolution): axis is 1; expected 2");
}

// ---- weights

/// The error of a Scale with this blob in the deploy file.
std::string errorOfBlob(std::string const& blob, bool half = false) {
    ParseOptions options;
    options.half = half;
    return errorOfLayer("Scale", "scale_param { bias_term: false } blobs { " + blob + " }", options);
}

TEST(CaffeWeights, areNumbersThatTheirTypeHolds) {
    std::string const head = "layer l (Scale): scales: ";
    EXPECT_EQ(errorOfBlob("data: [1, 2, nan, 4]"), head + "element 2 is NaN; expected numbers");
    EXPECT_EQ(errorOfBlob("data: [1, -65520, 3, 4]", true),
              head + "element 1 is -65520; expected numbers of float16, up to ±65504; read the model with weightType "
                     "kFLOAT");
    ParseOptions half;
    half.half = true;
    EXPECT_EQ(errorOfLayer("BatchNorm",
                           "batch_norm_param { eps: 1e-12 } blobs { data: [0, 0, 0, 1] } blobs { data: [0, 0, 0, 0] } "
                           "blobs { data: 1 }",
                           half),
              "layer l (BatchNorm): scales: element 0 is 1e+06; expected numbers of float16, up to ±65504; read the "
              "model with weightType kFLOAT");
    std::string const largest = kInputs + layer("Scale", "blobs { data: [1, -65519, 3, 4] }");
    EXPECT_TRUE(Parsed(largest, half).blobs.contains("y")); // rounds to -65504
}

TEST(CaffeWeights, areReadFromRawData) {
    std::string const head = "layer l (Scale): scales: ";
    auto const scales = [](std::string const& blob) {
        Parsed const parsed(kInputs +
                            layer("Scale", "scale_param { axis: 3 num_axes: 0 } blobs { shape { } " + blob + " }"));
        for (auto const& node : parsed.graph.nodes()) {
            if (auto const* const constant = dynamic_cast<Constant const*>(node->layer.get()))
                return *static_cast<float const*>(constant->value.data());
        }
        return 0.F;
    };
    EXPECT_EQ(scales("raw_data_type: DOUBLE raw_data: '\\0\\0\\0\\0\\0\\0\\xf8\\x3f'"), 1.5F);
    EXPECT_EQ(scales("raw_data_type: FLOAT raw_data: '\\0\\0\\xc0\\x3f'"), 1.5F);
    EXPECT_EQ(scales("raw_data_type: FLOAT16 raw_data: '\\0\\x3e'"), 1.5F);
    EXPECT_EQ(errorOfBlob("raw_data_type: DOUBLE raw_data: '123456789'"),
              head + "has 9 bytes of raw data; expected a multiple of 8, the size of a number");
    EXPECT_EQ(errorOfBlob("raw_data_type: INT raw_data: '1234'"),
              head + "has raw data of type 3; expected float64 (0), float32 (1) or float16 (2)");
}

TEST(CaffeWeights, haveShapes) {
    std::string const head = "layer l (Scale): scales: ";
    EXPECT_EQ(errorOfBlob("shape { dim: [1, 1, 1, 1, 1, 1, 1, 1, 4] } data: [1, 2, 3, 4]"),
              head + "has 9 axes; expected up to 8");
    EXPECT_EQ(errorOfBlob("shape { dim: -4 } data: [1, 2, 3, 4]"),
              head + "has the extent -4 in axis 0; expected a number from 0 to 2147483647");
}

TEST(CaffeWeights, areNeededInAMeanImage) {
    EXPECT_EQ(errorOf([] { parseBlob(std::as_bytes(std::span("\x32\x00", 2))); }), // diff, without data
              "has no numbers; expected a file of one blob, such as a mean image");
}

// ---- layers

TEST(CaffeLayers, ofNvidiasBranchSayHowTheyAreComputed) {
    Parsed const parsed(
        "default_forward_type: FLOAT16 default_backward_type: FLOAT16 default_forward_math: FLOAT "
        "default_backward_math: FLOAT global_grad_scale: 1000 default_conv_algos_override: '-1,-1,-1' "
        "reduce_buckets: 3 default_cudnn_math_override: 0 " +
        (kInputs + layer("Convolution", "forward_type: FLOAT backward_type: FLOAT forward_math: FLOAT "
                                        "backward_math: FLOAT debug: true cudnn_math_override: 0 convolution_param { "
                                        "num_output: 1 kernel_size: 1 cudnn_convolution_algo_seeker: FINDEX "
                                        "conv_algos_override: '1,1,1' }")));
    EXPECT_EQ(parsed.shapeOf("y"), "[1,1,6,6]");
}

TEST(CaffeLayers, haveFlagsAsProtobufWritesThem) {
    auto const parameter = [](std::string const& flag) {
        return "inner_product_param { num_output: 2 bias_term: " + flag + " }";
    };
    auto const countFor = [&](std::string const& flag) {
        return Parsed(kInputs + layer("InnerProduct", parameter(flag))).graph.nodes().size();
    };
    for (char const* const flag : {"true", "True", "t", "1"}) EXPECT_EQ(countFor(flag), 3U) << flag;
    for (char const* const flag : {"false", "False", "f", "0"}) EXPECT_EQ(countFor(flag), 2U) << flag;
    EXPECT_NE(errorOfLayer("InnerProduct", parameter("2")).find("2 does not fit in 'bias_term'"), std::string::npos);
    EXPECT_NE(errorOfLayer("InnerProduct", parameter("T"))
                  .find("expected an integer for 'bias_term', or one of false, true, False, True, f, t, found 'T'"),
              std::string::npos);
}

TEST(CaffeLayers, sayWhatTheyExpect) {
    EXPECT_EQ(errorOfLayer("Log", "log_param { base: 1 }"),
              "layer l (Log): base is 1; expected -1 or another positive number");
    EXPECT_EQ(errorOfLayer("Log", "log_param { base: 0 }"),
              "layer l (Log): base is 0; expected -1 or a positive finite number");
    EXPECT_EQ(errorOfLayer("Exp", "exp_param { base: inf }"),
              "layer l (Exp): base is inf; expected -1 or a positive finite number");
    EXPECT_EQ(errorOfLayer("Eltwise", "bottom: 'z' eltwise_param { operation: PROD coeff: [1, 2] }"),
              "layer l (Eltwise): has 2 coeff and 2 bottoms; expected one for each, and none with PROD");
    std::string order;
    for (int i = 0; i < 1000; ++i) order += "order: 0 ";
    EXPECT_EQ(errorOfLayer("Permute", "permute_param { " + order + "}"),
              "layer l (Permute): has an order of 1000 axes; expected each axis of [1,4,6,6] once");
    EXPECT_EQ(errorOfLayer("Slice", "top: 'b' slice_param { axis: 0 }", hidden()),
              "layer l (Slice): axis is 0, the batch; expected one from 1 on");
    EXPECT_EQ(errorOfLayer("Reduction", "", hidden()),
              "layer l (Reduction): reduces from axis 0 on, the batch too; expected an axis from 1 on");
    EXPECT_EQ(Parsed(kInputs + layer("Reduction")).shapeOf("y"), "[1,1,1,1]");
}

} // namespace
} // namespace tenon::caffe
