// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/model.h"

#include "onnx/attributes.h"
#include "support/layer_case.h"
#include "support/onnx_model.h"

#include <google/protobuf/text_format.h>
#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace tenon::onnx {
namespace {

using test::asBytes;
using test::errorOf;
using test::OnnxModel;

OnnxModel small() {
    OnnxModel model;
    model.input("x", {2});
    model.node("Softmax", {"x"}, {"y"});
    model.output("y");
    return model;
}

std::string errorFor(std::string const& bytes) {
    return errorOf([&] { readModel(asBytes(bytes), nullptr); });
}

TEST(OnnxModelFile, isReadWhole) {
    EXPECT_EQ(readModel(asBytes(small().bytes()), nullptr)->graph->node[0].opType, "Softmax");
}

TEST(OnnxModelFile, mayBeText) {
    std::string written;
    google::protobuf::TextFormat::PrintToString(small().proto, &written);
    EXPECT_EQ(readModel(asBytes(written), nullptr)->graph->node[0].opType, "Softmax");
}

TEST(OnnxModelFile, mustBeThere) {
    EXPECT_EQ(errorOf([] { readModelFile("no/such/model.onnx"); }), "there is no such file");
    EXPECT_EQ(errorOf([] { readModelFile("README.md/model.onnx"); }), "there is no such file");
    EXPECT_EQ(errorOf([] { readModelFile(""); }), "the path of the file is empty");
    EXPECT_EQ(errorOf([] { readModelFile("tests"); }), "is a folder; give the path of the ONNX file in it");
    EXPECT_EQ(errorOf([] { readModelFile("/dev/zero"); }), "is a pipe or a device; save the model in a file");
    EXPECT_EQ(errorOf([] { readModelFile(std::string(5000, 'x')); }), "cannot be read: File name too long");
}

TEST(OnnxModelFile, mustBeAllowedToBeRead) {
    constexpr uid_t kNobody = 65534;
    uid_t const me = geteuid();
    uid_t const reader = me == 0 ? kNobody : me; // root may read every file
    auto const file = std::filesystem::path(testing::TempDir()) / "onnx_model_test_secret.onnx";
    std::ofstream(file) << "secret";
    std::filesystem::permissions(file, std::filesystem::perms::none);
    ASSERT_EQ(seteuid(reader), 0);
    EXPECT_EQ(errorOf([&] { readModelFile(file); }), "cannot be read: Permission denied");
    ASSERT_EQ(seteuid(me), 0);
    std::filesystem::remove(file);
}

TEST(OnnxModelFile, mustNotBeEmpty) { EXPECT_EQ(errorFor(""), "is empty"); }

TEST(OnnxModelFile, sayWhereTheyAreCutOff) {
    std::string const whole = small().bytes();
    EXPECT_EQ(
        errorFor(whole.substr(0, whole.size() - 30)),
        "cannot be read: its field 'graph', from byte 2 on, extends beyond the end at 22: the file is truncated or "
        "damaged; get it again");
}

TEST(OnnxModelFile, neverCrashCutOffAnywhere) {
    std::string const whole = small().bytes();
    for (size_t length = 0; length < whole.size(); ++length) {
        try {
            readModel(asBytes(whole.substr(0, length)), nullptr); // some prefixes of a model are models too
        } catch (Error const& error) {
            EXPECT_NE(error.what(), std::string());
        }
    }
}

TEST(OnnxModelFile, neverCrashOnFlippedBits) {
    std::string const whole = small().bytes();
    for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
        std::string flipped = whole;
        flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
        Graph graph;
        auto const result = parse(asBytes(flipped), graph);
        for (ParseError const& error : result.errors) EXPECT_NE(error.text, "");
    }
}

TEST(OnnxModelFile, mustBeAModel) {
    EXPECT_EQ(errorFor(std::string(100, '\xff')),
              "cannot be read: after the start, byte 0 does not start a known field: another kind of file, or damaged");
    EXPECT_EQ(errorFor("hello, world"),
              "is text, but not a model in protobuf's text format: line 1, column 1: ModelProto has no field 'hello'");
    EXPECT_EQ(errorFor("version https://git-lfs.github.com/spec/v1\noid sha256:12"),
              "is not an ONNX model but a Git LFS pointer (run git lfs pull)");
    EXPECT_EQ(errorFor("PK\x03\x04xxxx"), "is not an ONNX model but a zip archive (unpack it, or export it to ONNX)");
}

TEST(OnnxModelFile, mustHoldAGraph) {
    OnnxModel model;
    model.proto.clear_graph();
    EXPECT_EQ(errorFor(model.bytes()), "has no graph: not an ONNX model, or damaged");
}

TEST(OnnxModelFile, mustHaveOutputs) { EXPECT_EQ(errorFor(OnnxModel().bytes()), "its graph has no outputs"); }

// ---- data of a newer ONNX

void addUnknown(google::protobuf::Message& message, int number, std::string const& value) {
    message.GetReflection()->MutableUnknownFields(&message)->AddLengthDelimited(number, value);
}

TEST(NewerFields, thatChangeNothingArePassedOver) {
    OnnxModel model = small();
    addUnknown(*model.proto.mutable_graph()->mutable_node(0), 9, "metadata");
    std::vector<std::string> log;
    Graph graph;
    parse(asBytes(model.bytes()), graph,
          {.log = [&](Severity, std::string const& m) { log.push_back(m); }, .path = {}});
    EXPECT_TRUE(log.empty());
}

TEST(NewerFields, thatNobodyKnowsAreTold) {
    OnnxModel model = small();
    addUnknown(*model.proto.mutable_graph(), 77, "?");
    std::vector<std::string> log;
    Graph graph;
    parse(asBytes(model.bytes()), graph,
          {.log = [&](Severity, std::string const& m) { log.push_back(m); }, .path = {}});
    EXPECT_EQ(log, std::vector<std::string>{"field 77 of GraphProto is unknown and ignored"});
}

TEST(NewerFields, refuseAnAttributeTypeThatIsNotKnown) {
    proto::AttributeProto attribute;
    attribute.set_name("a");
    attribute.GetReflection()->MutableUnknownFields(&attribute)->AddVarint(20, 15);
    EXPECT_EQ(errorOf([&] { typeOf(*test::asRead<pb::AttributeProto>(attribute)); }),
              "attribute 'a': its field 'type' is 15, which is not supported; save the model with an older "
              "version of ONNX");
}

TEST(NewerFields, areReadWhereTheyMatter) {
    proto::NodeProto node;
    addUnknown(node, 8, "f32");
    EXPECT_EQ(test::asRead<pb::NodeProto>(node)->overload, "f32");
}

} // namespace
} // namespace tenon::onnx
