// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/json/json_text.h"

#include "support/layer_case.h"

namespace tenon {
namespace {

std::string errorIn(std::string const& text) {
    return test::errorOf([&] { JsonText const parsed(text, "the text"); });
}

TEST(JsonText, keepsValuesAndTheirOrder) {
    std::string const text = R"({"b":[1,-2,0.5,true,null,"x"],"a":{"c":[[],{}]},"d":18446744073709551615})";
    EXPECT_EQ(JsonText(text, "the text").root().dump(), text);
}

TEST(JsonText, saysWhatIsWrong) {
    EXPECT_TRUE(errorIn("{").starts_with("the text is not JSON: ")) << errorIn("{");
    EXPECT_TRUE(errorIn("[1e999]").starts_with("the text is not JSON: ")) << errorIn("[1e999]");
    EXPECT_EQ(errorIn(std::string(2000, '[')), "the text is nested too deeply");
    EXPECT_EQ(errorIn(std::string(1000000, '[')), "the text is nested too deeply");
}

TEST(JsonText, readsManyKeysOfOneObjectInNoTime) {
    std::string text = "{";
    for (int i = 0; i < 300000; ++i) text += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":0";
    EXPECT_EQ(JsonText(text + '}', "the text").root().size(), 300000U);
}

} // namespace
} // namespace tenon
