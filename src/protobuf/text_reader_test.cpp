// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/layer_case.h"
#include "support/onnx_model.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tenon::onnx {
namespace {

using test::errorOf;

template <class Message> Message textAs(std::string const& text) {
    Message message;
    pb::readText(text, pb::target(message));
    return message;
}

pb::AttributeProto attribute(std::string const& text) { return textAs<pb::AttributeProto>(text); }

std::string errorFor(std::string const& text) {
    return errorOf([&] { textAs<pb::ModelProto>(text); });
}

TEST(TextFormat, hasMessagesListsAndComments) {
    auto const model =
        textAs<pb::ModelProto>("# a model\n"
                               "ir_version: 8; producer_name: 'me',\n"
                               "graph: <\n"
                               "  node { input: ['a', \"b\"] input: 'c' op_type: 'Sum' output: \"y\" }\n"
                               "  initializer { dims: [] dims: 0x10 dims: 017 data_location: EXTERNAL }\n"
                               ">\n"
                               "opset_import { version: 13 } opset_import [{ version: 1 }, <>]");
    EXPECT_EQ(model.irVersion, 8);
    ASSERT_TRUE(model.graph && model.graph->node.size() == 1);
    EXPECT_EQ(model.graph->node[0].input, (std::vector<std::string>{"a", "b", "c"}));
    EXPECT_EQ(model.graph->initializer[0].dims, (std::vector<int64_t>{16, 15}));
    EXPECT_EQ(model.graph->initializer[0].dataLocation, pb::kExternal);
    EXPECT_EQ(model.opsetImport.size(), 3U);
}

TEST(TextFormat, hasNumbersOfAllKinds) {
    EXPECT_EQ(attribute("i: -9223372036854775808").i, INT64_MIN);
    EXPECT_EQ(attribute("i: 9223372036854775807").i, INT64_MAX);
    EXPECT_EQ(attribute("floats: [1, -2.5, 1e3, 1.5f, .5, 1E-2]").floats,
              (std::vector<float>{1, -2.5F, 1000, 1.5F, .5F, .01F}));
    EXPECT_EQ(attribute("f: -inf").f, -INFINITY);
    EXPECT_EQ(attribute("f: 1e999").f, INFINITY);
    EXPECT_EQ(attribute("f: 1e-999").f, 0);
    EXPECT_TRUE(std::isnan(*attribute("f: nan").f));
    EXPECT_EQ(textAs<pb::TensorProto>("double_data: 1e300").doubleData[0], 1e300);
    EXPECT_EQ(textAs<pb::TensorProto>("uint64_data: 18446744073709551615").uint64Data[0], UINT64_MAX);
    EXPECT_EQ(attribute("type: INTS").type, static_cast<int32_t>(pb::AttributeType::Ints));
}

TEST(TextFormat, hasEscapesInStrings) {
    EXPECT_EQ(attribute(R"(s: "a\n\t\"\'\\\101\x42\u00e9\U0001F600" 'b')").s, "a\n\t\"'\\AB\xc3\xa9\xf0\x9f\x98\x80"
                                                                              "b");
    EXPECT_EQ(attribute(R"(s: "\0\1")").s, std::string("\0\1", 2));
}

TEST(TextFormat, mayBeginWithAByteOrderMark) {
    EXPECT_EQ(textAs<pb::ModelProto>("\xef\xbb\xbfir_version: 8").irVersion, 8);
    EXPECT_EQ(errorFor("\xef\xbb\xbf{"), "line 1, column 1: expected the name of a field, found '{'");
}

struct Flags {
    static pb::MessageType const kType;

    std::optional<int32_t> flag;
    bool isThere = false;
};
constexpr std::array kFlagsFields{pb::boolean<&Flags::flag>(1, "flag"), pb::field<&Flags::isThere>(2, "message")};
pb::MessageType const Flags::kType{"Flags", kFlagsFields};

TEST(TextFormat, hasBooleans) {
    for (char const* const word : {"true", "True", "t", "1"})
        EXPECT_EQ(textAs<Flags>(std::string("flag: ") + word).flag, 1) << word;
    for (char const* const word : {"false", "False", "f", "0"})
        EXPECT_EQ(textAs<Flags>(std::string("flag: ") + word).flag, 0) << word;
    EXPECT_EQ(errorOf([] { textAs<Flags>("flag: 2"); }), "line 1, column 7: 2 does not fit in 'flag'");
    EXPECT_EQ(errorOf([] { textAs<Flags>("flag: -1"); }), "line 1, column 8: -1 does not fit in 'flag'");
    EXPECT_EQ(errorOf([] { textAs<Flags>("flag: TRUE"); }),
              "line 1, column 7: expected an integer for 'flag', or one of false, true, False, True, f, t, found "
              "'TRUE'");
}

TEST(TextFormat, saysOfSomeMessagesOnlyThatTheyAreThere) {
    EXPECT_TRUE(textAs<Flags>("message { any: 1 } message { thing: 2 }").isThere);
    EXPECT_FALSE(textAs<Flags>("flag: 1").isThere);
}

TEST(TextFormat, passesOverWhatIsNotRead) {
    auto const node = textAs<pb::NodeProto>("doc_string: 'x' 'y' metadata_props { key: '}' value: '{' } "
                                            "metadata_props [{key: 'a'}, {}] device_configurations <a: -1> name: 'n'");
    EXPECT_EQ(node.name, "n");
    auto const loop = attribute("name: 'body' g { node { op_type: 'Add' } } type: GRAPH");
    EXPECT_TRUE(loop.g);
    EXPECT_EQ(loop.name, "body");
}

TEST(TextFormat, errorsGiveLineAndColumn) {
    EXPECT_EQ(errorFor("ir_version: 8\n  graph { nodes {} }"), "line 2, column 11: GraphProto has no field 'nodes'");
    EXPECT_EQ(errorFor("ir_version: x"), "line 1, column 13: expected an integer for 'ir_version', found 'x'");
    EXPECT_EQ(errorFor("ir_version: 9223372036854775808"),
              "line 1, column 13: 9223372036854775808 does not fit in 'ir_version'");
    EXPECT_EQ(errorFor("ir_version 8"), "line 1, column 12: expected ':' after 'ir_version', found '8'");
    EXPECT_EQ(errorFor("graph { name: \"a"), "line 1, column 15: the string does not end on its line");
    EXPECT_EQ(errorFor("graph { name: 'a'"), "line 1, column 18: expected '}', found the end");
    EXPECT_EQ(errorFor("graph: 3"), "line 1, column 8: expected '{' after 'graph', found '3'");
    EXPECT_EQ(errorFor("ir_version: [1, 2]"), "line 1, column 14: expected one value for 'ir_version', found '1'");
    EXPECT_EQ(errorFor("doc_string"), "line 1, column 11: expected a value, found the end");
    EXPECT_EQ(errorFor("ir_version: 8 ir_version: 8"), "line 1, column 15: 'ir_version' occurs twice; expected one");
    EXPECT_EQ(errorFor("graph {}\ngraph {}"), "line 2, column 1: 'graph' occurs twice; expected one");
    EXPECT_EQ(errorFor("graph [{}]"), "line 1, column 8: expected one value for 'graph', found '{'");
    EXPECT_EQ(errorFor("ir_version: \xe2\x82\xac"),
              "line 1, column 13: expected an integer for 'ir_version', found the byte 0xE2");
    EXPECT_EQ(errorFor(std::string("\0", 1)), "line 1, column 1: expected the name of a field, found the byte 0x00");
    EXPECT_EQ(errorFor("{"), "line 1, column 1: expected the name of a field, found '{'");
    EXPECT_EQ(errorFor("domain: 'a' graph { name: '\\q' }"),
              "line 1, column 27: the string has the escape '\\q', which does not exist");
    EXPECT_EQ(errorOf([] { attribute("type: INTEGER"); }),
              "line 1, column 7: expected an integer for 'type', or one of UNDEFINED, FLOAT, INT, STRING, TENSOR, "
              "GRAPH, FLOATS, INTS, STRINGS, TENSORS, GRAPHS, SPARSE_TENSOR, SPARSE_TENSORS, TYPE_PROTO, TYPE_PROTOS, "
              "found 'INTEGER'");
}

TEST(TextFormat, neverCrashesCutOffAnywhere) {
    std::string const whole = "graph { node { input: [\"a\\x41\", 'b'] attribute { f: 1.5e-3 i: -0x1F g <> } } } # end";
    for (size_t length = 0; length < whole.size(); ++length) {
        try {
            textAs<pb::ModelProto>(whole.substr(0, length)); // some prefixes of a model are valid models too
        } catch (Error const& error) {
            EXPECT_NE(error.what(), std::string());
        }
    }
}

} // namespace
} // namespace tenon::onnx
