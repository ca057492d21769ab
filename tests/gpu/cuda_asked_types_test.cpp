// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The types that an application requests for single layers, on a GPU. Values about 70000, which are infinite as halves,
// distinguish them.

#include "on_gpu.h"
#include "support/api.h"

#include <limits>

namespace tenon {
namespace {

using namespace nvinfer1;

using Floats = std::vector<float>;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Of x [64,64], all 64: 70016 after the first product with constants, 1094 after the second. All factors are exact as
/// halves and in TF32, and so is 70016 in TF32.
struct CudaAskedTypes : test::GpuTest {
    static float result(DataType first, DataType second, BuilderFlag flag) {
        test::Defining d;
        d.config->setFlag(BuilderFlag::kFP16);
        d.config->setFlag(BuilderFlag::kBF16);
        d.config->setFlag(flag);
        Floats const large(64 * 64, 17.09375F);
        Floats const small(64 * 64, 1.0F / 4096);
        auto const multiplied = [&](ITensor& with, Floats const& factors, DataType type) {
            ITensor& constant = *d.network->addConstant(test::dims({64, 64}), test::weights(factors))->getOutput(0);
            ILayer* const layer =
                d.network->addMatrixMultiply(with, MatrixOperation::kNONE, constant, MatrixOperation::kNONE);
            layer->setPrecision(type);
            return layer->getOutput(0);
        };
        ITensor& between = *multiplied(d.input("x", {64, 64}), large, first);
        d.output(multiplied(between, small, second));
        Floats const y = test::Running(*d.build()).run(Floats(64 * 64, 64), 64 * 64);
        EXPECT_EQ(y, Floats(64 * 64, y.front()));
        return y.front();
    }
};

TEST_F(CudaAskedTypes, areThoseThatLayersComputeIn) {
    for (auto const flag : {BuilderFlag::kOBEY_PRECISION_CONSTRAINTS, BuilderFlag::kPREFER_PRECISION_CONSTRAINTS}) {
        EXPECT_EQ(result(DataType::kFLOAT, DataType::kFLOAT, flag), 1094.0F);
        EXPECT_EQ(result(DataType::kHALF, DataType::kFLOAT, flag), kInfinity);
        EXPECT_EQ(result(DataType::kFLOAT, DataType::kHALF, flag), kInfinity);
        EXPECT_EQ(result(DataType::kBF16, DataType::kBF16, flag), 1096.0F); // 70016 is 70144 there
    }
}

/// A comparison of 70000 with 80000, which are equal as halves.
TEST_F(CudaAskedTypes, areThoseThatLayersCompareIn) {
    for (bool const inHalf : {false, true}) {
        test::Defining d;
        d.config->setFlag(BuilderFlag::kFP16);
        d.config->setFlag(BuilderFlag::kOBEY_PRECISION_CONSTRAINTS);
        Floats const others{80000};
        ITensor& constant = *d.network->addConstant(test::dims({1}), test::weights(others))->getOutput(0);
        ILayer* const equal = d.network->addElementWise(d.input("x", {1}), constant, ElementWiseOperation::kEQUAL);
        equal->setPrecision(inHalf ? DataType::kHALF : DataType::kFLOAT);
        d.output(d.network->addCast(*equal->getOutput(0), DataType::kFLOAT)->getOutput(0));
        EXPECT_EQ(test::Running(*d.build()).run({70000}, 1), Floats{inHalf ? 1.0F : 0.0F});
    }
}

} // namespace
} // namespace tenon
