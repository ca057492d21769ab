// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/json/json_fields.h"

#include "base/error.h"
#include "support/layer_case.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

DimExpr const kN = DimExpr::symbol("N");

TEST(JsonFields, writeADimensionAsItsOperations) {
    DimExpr const dim = floorDiv(kN + 1, 2);
    EXPECT_EQ(toJson(dim).dump(), R"(["floor_div",["sum","N",1],2])");
    EXPECT_EQ(dimFromJson(toJson(dim)), dim);
}

TEST(JsonFields, writeTheOperationsOfALargeDimensionOnce) {
    DimExpr dim = kN;
    for (int i = 0; i < 90; ++i) dim = dim + dim;
    dim = max(dim - DimExpr::symbol("W"), 3);
    Json const json = toJson(dim);
    EXPECT_LT(json.dump().size(), 10'000U);
    EXPECT_EQ(dimFromJson(json), dim);
}

TEST(JsonFields, holdADimensionAsDeepAsAModelIsLong) {
    DimExpr dim = kN;
    for (int i = 0; i < 20'000; ++i) dim = max(dim * 2, 3) - DimExpr::symbol("W");
    EXPECT_EQ(dimFromJson(Json::parse(toJson(dim).dump())), dim);
}

std::string errorOf(std::string_view json) {
    try {
        dimFromJson(Json::parse(json));
    } catch (Error const& error) {
        return error.what();
    }
    return "";
}

TEST(JsonFields, refuseTermsThatDoNotStandBefore) {
    EXPECT_EQ(errorOf(R"({"terms":[["sum","N",{"term":0}]]})"), "a dimension names term 0 of the 0 earlier ones");
    EXPECT_EQ(errorOf(R"({"terms":["N",["sum","N",{"term":-1}]]})"), "a dimension names term -1 of the 1 earlier ones");
    EXPECT_EQ(errorOf(R"({"term":0})"), "a dimension names term 0 of the 0 earlier ones");
    EXPECT_EQ(errorOf(R"({"terms":[]})"), "the terms of a dimension are not a list");
    EXPECT_EQ(errorOf(R"({"terms":7})"), "the terms of a dimension are not a list");
    EXPECT_EQ(errorOf(R"(["sum",null,1])"), "a dimension is neither a number, a name nor an operation");
}

struct Part {
    int64_t size = 3;
    bool isOpen = false;

    void fields(Fields& f) {
        f("size", size);
        if (f.visits("is_open", isOpen)) f("is_open", isOpen);
    }
};

TEST(JsonFields, nameAFieldThatIsMissingUnlessItIsOptional) {
    EXPECT_EQ(fieldsToJson(Part{}).dump(), R"({"size":3})");
    EXPECT_EQ(fieldsFromJson<Part>(Json{{"size", 4}}).size, 4);
    EXPECT_TRUE(fieldsFromJson<Part>(Json{{"size", 4}, {"is_open", true}}).isOpen);
    EXPECT_EQ(test::errorOf([] { fieldsFromJson<Part>(Json{{"is_open", true}}); }), "field size is missing");
}

} // namespace
} // namespace tenon
