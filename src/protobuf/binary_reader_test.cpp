// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/layer_case.h"
#include "support/onnx_model.h"

#include <gtest/gtest.h>

namespace tenon::onnx {
namespace {

using test::asBytes;
using test::asRead;
using test::errorOf;

template <class Message> Message read(std::string const& bytes) {
    Message message;
    pb::readBinary(asBytes(bytes), pb::target(message), {});
    return message;
}

std::string errorFor(std::string const& bytes) {
    return errorOf([&] { read<pb::ModelProto>(bytes); });
}

TEST(BinaryFormat, hasNumbersOfAllKinds) {
    proto::TensorProto written;
    for (int64_t const value : {INT64_MIN, int64_t{-1}, int64_t{300}, INT64_MAX}) written.add_int64_data(value);
    for (int32_t const value : {INT32_MIN, -1, INT32_MAX}) written.add_int32_data(value);
    written.add_uint64_data(UINT64_MAX);
    written.add_float_data(1.5F);
    written.add_float_data(-2);
    written.add_double_data(1e300);
    auto const tensor = asRead<pb::TensorProto>(written);
    EXPECT_EQ(tensor->int64Data, (std::vector<int64_t>{INT64_MIN, -1, 300, INT64_MAX}));
    EXPECT_EQ(tensor->int32Data, (std::vector<int32_t>{INT32_MIN, -1, INT32_MAX}));
    EXPECT_EQ(tensor->uint64Data, std::vector<uint64_t>{UINT64_MAX});
    EXPECT_EQ(tensor->floatData, (std::vector<float>{1.5F, -2}));
    EXPECT_EQ(tensor->doubleData, std::vector<double>{1e300});
}

TEST(BinaryFormat, takesRepeatedNumbersPackedAndOneByOne) {
    EXPECT_EQ(read<pb::AttributeProto>(std::string("\x42\x02\x01\x02\x40\x03", 6)).ints,
              (std::vector<int64_t>{1, 2, 3})); // field 8: packed, then one
    EXPECT_EQ(read<pb::AttributeProto>(std::string("\x3a\x04\0\0\x80\x3f\x3d\0\0\0\x40", 11)).floats,
              (std::vector<float>{1, 2})); // field 7
}

TEST(BinaryFormat, tellsWhatIsThereFromWhatIsNot) {
    proto::AttributeProto written;
    EXPECT_FALSE(asRead<pb::AttributeProto>(written)->i);
    written.set_i(0);
    written.mutable_g();
    written.set_s("");
    auto const attribute = asRead<pb::AttributeProto>(written);
    EXPECT_TRUE(attribute->i && attribute->g && attribute->s && !attribute->f && !attribute->graphs);
}

TEST(BinaryFormat, isReadToALimitOfDepth) {
    proto::ModelProto model;
    proto::GraphProto* graph = model.mutable_graph();
    for (int depth = 0; depth < 40; ++depth) graph = graph->add_node()->add_attribute()->mutable_g();
    EXPECT_EQ(errorFor(model.SerializeAsString()),
              "its messages are nested more than 100 deep; nested graphs are supported down to 33");
}

TEST(BinaryFormat, errorsSayWhere) {
    EXPECT_EQ(errorFor("\x3a\x0c\x0a\x64node"), "its field 'graph', from byte 0 on, extends beyond the end at 8: the "
                                                "file is truncated or damaged; get it again");
    EXPECT_EQ(errorFor("\x3a\x06\x0a\x64node"),
              "its field 'graph.node', from byte 2 on, extends beyond the end at 8: the "
              "file is truncated or damaged; get it again");
    EXPECT_EQ(errorFor("\x3a\x06\x0a\x64node\x08\x08"),
              "its field 'graph.node', from byte 2 on, extends beyond the end of "
              "its message at 8: damaged; get it again");
    EXPECT_EQ(
        errorFor("\x3a\x01\x07"),
        "in its field 'graph', after the start, byte 2 does not start a known field: another kind of file, or damaged");
    EXPECT_EQ(errorFor("\x08\x03\x38\x01"),
              "its field 'graph', at byte 2, has another wire type than its kind: damaged; get it again");
}

} // namespace
} // namespace tenon::onnx
