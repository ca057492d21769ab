// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "dictionary.h"

#include "files.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace ocr {
namespace {

Dictionary dictionaryOf(char const* lines) {
    auto const file = std::filesystem::path(testing::TempDir()) / "ocr_dictionary_test.txt";
    writeFile(file, lines);
    return Dictionary(file);
}

std::string spell(Dictionary const& dictionary, std::vector<int32_t> const& classes) {
    return dictionary.spell(classes);
}

TEST(Dictionary, ClassesAreLinesFromZero) {
    Dictionary const dictionary = dictionaryOf("\na\n疗\n \n");
    EXPECT_EQ(spell(dictionary, {1, 3, 2, 1}), "a 疗a");
    EXPECT_EQ(spell(dictionary, {}), "");
}

TEST(Dictionary, FullWidthPunctuationStaysOnlyAmongChinese) {
    Dictionary const dictionary = dictionaryOf("\na\n疗\n！\n，\n～\n");
    EXPECT_EQ(spell(dictionary, {1, 3, 4, 5}), "a!,~");
    EXPECT_EQ(spell(dictionary, {1, 3, 4, 5, 2}), "a！，～疗");
}

TEST(Dictionary, AClassThatItLacksIsRefused) {
    Dictionary const dictionary = dictionaryOf("\na\n");
    for (int32_t index : {2, -1}) try {
            spell(dictionary, {1, index});
            FAIL() << "no error";
        } catch (std::runtime_error const& error) {
            EXPECT_EQ(error.what(), "the recognizer gave class " + std::to_string(index) +
                                        " and the dictionary has 2: they do not belong together");
        }
}

TEST(Dictionary, AMissingFileIsNamed) {
    try {
        Dictionary("no/such.txt");
        FAIL() << "no error";
    } catch (std::runtime_error const& error) {
        EXPECT_STREQ(error.what(), "no/such.txt: cannot be read: No such file or directory");
    }
}

} // namespace
} // namespace ocr
