// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a plugin of level 11 says of the kernel that it gives: numbers (ISymExpr) and how they are read.

#undef TENON_LEVEL
#define TENON_LEVEL 11
#include "base/error.h"
#include "trt/plugin/expr_builder.h"
#include "trt/plugin/launch_params.h"

#include <gtest/gtest.h>

namespace tenon::trt {
namespace {

using namespace nvinfer1;

class Number final : public ISymExpr {
public:
    Number(IDimensionExpr const* expr, PluginArgDataType type) : expr_(expr), type_(type) {}
    PluginArgType getType() const noexcept override { return PluginArgType::kINT; }
    PluginArgDataType getDataType() const noexcept override { return type_; }
    void* getExpr() noexcept override { return const_cast<IDimensionExpr*>(expr_); }

private:
    IDimensionExpr const* expr_;
    PluginArgDataType type_;
};

TEST(LaunchParamsOfLevel11, haveArgumentsOfTheSizeThatThePluginSays) {
    ExprBuilder builder;
    std::vector<Number> numbers;
    std::vector<int64_t> const bits{8, 16, 32};
    for (auto const type : {PluginArgDataType::kINT8, PluginArgDataType::kINT16, PluginArgDataType::kINT32})
        numbers.emplace_back(builder.constant(5 + static_cast<int64_t>(numbers.size())), type);
    ExtraArguments arguments;
    ISymExprs& extra = arguments; // as the plugin sees it
    ASSERT_TRUE(extra.setNbSymExprs(3));
    for (size_t i = 0; i < numbers.size(); ++i) {
        ASSERT_TRUE(extra.setSymExpr(static_cast<int32_t>(i), &numbers[i]));
        EXPECT_EQ(extra.getSymExpr(static_cast<int32_t>(i))->getDataType(), numbers[i].getDataType());
    }
    CompiledKernel kernel;
    arguments.giveTo(kernel);
    EXPECT_EQ(kernel.integerBits, bits);
    EXPECT_EQ(kernel.integers, (Shape{5, 6, 7}));
}

TEST(LaunchParamsOfLevel11, refuseASizeThatIsNone) {
    ExprBuilder builder;
    Number number(builder.constant(5), static_cast<PluginArgDataType>(3));
    ExtraArguments arguments;
    ASSERT_TRUE(arguments.setNbSymExprs(1));
    ASSERT_TRUE(arguments.setSymExpr(0, &number));
    CompiledKernel kernel;
    try {
        arguments.giveTo(kernel);
        FAIL() << "nothing was refused";
    } catch (Error const& error) {
        EXPECT_STREQ(error.what(), "extra argument 0: no PluginArgDataType has the number 3");
    }
}

} // namespace
} // namespace tenon::trt
