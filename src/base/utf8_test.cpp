// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/utf8.h"

#include "base/error.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

TEST(Utf8, isAsciiAndWholeCharactersOfUpToFourBytes) {
    EXPECT_TRUE(isUtf8(""));
    EXPECT_TRUE(isUtf8("conv_1"));
    EXPECT_TRUE(isUtf8("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xed\x9f\xbf \xf4\x8f\xbf\xbf"));
}

/// RFC 3629, section 3
TEST(Utf8, isNothingElse) {
    for (char const* bytes : {"caf\xe9", "\x80", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xe2\x82", "\xe2\x28\xa1",
                              "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"})
        EXPECT_FALSE(isUtf8(bytes)) << escaped(bytes);
}

TEST(Utf8, escapesWhatIsNotPrintable) { EXPECT_EQ(escaped("a\"\\\n\xe9"), "a\\x22\\x5c\\x0a\\xe9"); }

TEST(Name, containsNoNul) {
    EXPECT_NO_THROW(expectName("caf\xc3\xa9", "the name of a layer"));
    auto const errorOf = [](std::string_view name) -> std::string {
        try {
            return expectName(name, "the name of a layer"), "";
        } catch (Error const& error) {
            return error.what();
        }
    };
    EXPECT_EQ(errorOf({"a\0b", 3}), "the name of a layer, \"a\\x00b\", contains a NUL; expected a name without one");
    EXPECT_EQ(errorOf("caf\xe9"), "the name of a layer, \"caf\\xe9\", is not UTF-8");
}

} // namespace
} // namespace tenon
