// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/text.h"
#include "layers/activation/activation.h"
#include "layers/concatenation/concatenation.h"
#include "layers/convolution/convolution.h"
#include "layers/deconvolution/deconvolution.h"
#include "layers/elementwise/elementwise.h"
#include "layers/expand/expand.h"
#include "layers/gather/gather.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "layers/pooling/pooling.h"
#include "layers/reduce/reduce.h"
#include "layers/resize/resize.h"
#include "layers/scale/scale.h"
#include "layers/select/select.h"
#include "layers/shuffle/shuffle.h"
#include "layers/slice/slice.h"
#include "layers/softmax/softmax.h"
#include "layers/unary/unary.h"
#include "support/layer_case.h"

// Floats of 8 and 4 bits and 4-bit integers are stored (weights, inputs of plugins); a layer that would compute with
// them is rejected when it is added, not when kernels are chosen.

namespace tenon {
namespace {

using test::inferError;
using test::Input;

constexpr auto kSmall = {DataType::Float8, DataType::Int4, DataType::Float4, DataType::E8M0};

TEST(SmallTypes, areRefusedByLayersThatComputeWithFloats) {
    Unary root;
    root.operation = PointwiseOp::Sqrt;
    Pooling pooling;
    pooling.windowSize = {1, 1};
    for (DataType type : kSmall) {
        Input const x{type, {1, 1, 2, 2}};
        std::string const expected = text(": input 0 is ", type, "; expected float32, float16 or bfloat16");
        EXPECT_EQ(inferError(Activation{}, {x}), "node (Activation)" + expected);
        EXPECT_EQ(inferError(Convolution{}, {x, x}), "node (Convolution)" + expected);
        EXPECT_EQ(inferError(Deconvolution{}, {x, x}), "node (Deconvolution)" + expected);
        EXPECT_EQ(inferError(pooling, {x}), "node (Pooling)" + expected);
        EXPECT_EQ(inferError(Scale{}, {x, x}), "node (Scale)" + expected);
        EXPECT_EQ(inferError(Softmax{}, {x}), "node (Softmax)" + expected);
        EXPECT_EQ(inferError(root, {x}), "node (Unary)" + expected);
    }
}

TEST(SmallTypes, areRefusedByLayersThatComputeWithNumbers) {
    Reduce sum;
    sum.operation = ReduceOperation::Sum;
    Resize linear;
    linear.mode = Resize::Mode::Linear;
    linear.sizes = {1, 1, 4, 4};
    for (DataType type : kSmall) {
        Input const x{type, {1, 1, 2, 2}};
        std::string const expected =
            text(": input 0 is ", type, "; expected float32, float16, bfloat16, int8, uint8, int32 or int64");
        EXPECT_EQ(inferError(Elementwise{}, {x, x}), "node (Elementwise)" + expected);
        EXPECT_EQ(inferError(MatrixMultiply{}, {x, x}), "node (MatrixMultiply)" + expected);
        EXPECT_EQ(inferError(sum, {x}), text("node (Reduce): input 0 is ", type, ", which Sum does not support"));
    }
    EXPECT_EQ(inferError(linear, {{DataType::Float8, {1, 1, 2, 2}}}),
              "node (Resize): no interpolation between elements of float8; use the mode Nearest (not TfCropAndResize), "
              "or cast");
}

TEST(SmallTypes, ofFourBitsAreNotMoved) {
    Input const x{DataType::Int4, {2, 2}};
    Input const list{DataType::Int64, {2}};
    Resize nearest;
    nearest.sizes = {4, 4};
    Slice slice;
    slice.start = {0, 0};
    slice.size = {1, 1};
    std::string const expected = ": elements of int4 cannot be moved one by one; cast the tensor first";
    EXPECT_EQ(inferError(Concatenation{}, {x, x}), "node (Concatenation)" + expected);
    EXPECT_EQ(inferError(Expand{}, {x, list}), "node (Expand)" + expected);
    EXPECT_EQ(inferError(Gather{}, {x, list}), "node (Gather)" + expected);
    EXPECT_EQ(inferError(nearest, {x}), "node (Resize)" + expected);
    EXPECT_EQ(inferError(Select{}, {{DataType::Bool, {2, 2}}, x, x}), "node (Select)" + expected);
    EXPECT_EQ(inferError(Shuffle::transposing({1, 0}), {x}), "node (Shuffle)" + expected);
    EXPECT_EQ(inferError(slice, {x}), "node (Slice)" + expected);
}

TEST(SmallTypes, areNoIndices) {
    for (DataType type : kSmall)
        EXPECT_EQ(inferError(Gather{}, {{DataType::Float32, {2, 2}}, {type, {2}}}),
                  text("node (Gather): input 1 is ", type, "; expected int32 or int64"));
}

TEST(SmallTypes, ofEightBitsAreMovedAsTheyAre) {
    std::vector<uint8_t> const bits{0x38, 0x40, 0x44, 0x48, 0x4a, 0x4c};
    std::vector<uint8_t> const turned{0x38, 0x48, 0x40, 0x4a, 0x44, 0x4c};
    Graph graph;
    Tensor* const x = graph.addInput("x", DataType::Float8, {2, 3});
    Tensor* const y = graph.emit(Shuffle::transposing({1, 0}), {x});
    EXPECT_EQ(nameOf(y->type), "float8");
    EXPECT_EQ(text(y->shape), "[3,2]");
    std::vector<uint8_t> found(6);
    HostTensor const in{DataType::Float8, {2, 3}, const_cast<uint8_t*>(bits.data())};
    HostTensor const out{DataType::Float8, {3, 2}, found.data()};
    y->producer()->layer->reference({&in, 1}, {&out, 1});
    EXPECT_EQ(found, turned);
}

} // namespace
} // namespace tenon
