// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/calibration_table.h"

#include "base/error.h"

#include <gtest/gtest.h>
#include <limits>

namespace tenon {
namespace {

std::string errorOf(std::string_view text) {
    try {
        readCalibrationTable(text);
    } catch (Error const& error) {
        return error.what();
    }
    return "no error";
}

// The first lines of a cache in a bug report about a YOLO network,
// https://github.com/ultralytics/ultralytics/issues/14121; the numbers by Python's struct.unpack(">f",
// bytes.fromhex("3b66eddc")).
TEST(CalibrationTable, isReadAsTensorRTWritesIt) {
    CalibrationTable const table = readCalibrationTable("TRT-8601-EntropyCalibration2\n"
                                                        "images: 3b66eddc\n"
                                                        "168: 3dc6cf6e\n"
                                                        "169: 3c010a14\n"
                                                        "(Unnamed Layer* 4) [Fully Connected]_output: 3dc6a9ed\n");
    EXPECT_EQ(table.method, CalibrationMethod::Entropy2);
    ASSERT_EQ(table.scales.size(), 4U);
    EXPECT_EQ(table.scales[0], (std::pair<std::string, float>("images", 0.0035236990079283714F)));
    EXPECT_EQ(table.scales[1], (std::pair<std::string, float>("168", 0.09707532823085785F)));
    EXPECT_EQ(table.scales[2], (std::pair<std::string, float>("169", 0.007875937968492508F)));
    EXPECT_EQ(table.scales[3].first, "(Unnamed Layer* 4) [Fully Connected]_output");
}

TEST(CalibrationTable, isWrittenAsItIsRead) {
    std::string const text = "TRT-101401-MinMaxCalibration\na: b: 3c010a14\nof zeros: 0\n";
    EXPECT_EQ(writeCalibrationTable(readCalibrationTable(text), 101401), text);
}

// Instruction sets differ in how they treat subnormal numbers: 1.4e-45, and the largest of them.
TEST(CalibrationTable, hasNoScalesThatAreSubnormal) {
    CalibrationTable const table = readCalibrationTable("TRT-8601-MinMaxCalibration\nx: 1\ny: 7fffff\nz: 0\n");
    ASSERT_EQ(table.scales.size(), 3U);
    EXPECT_EQ(table.scales[0].second, std::numeric_limits<float>::min());
    EXPECT_EQ(table.scales[1].second, std::numeric_limits<float>::min());
    EXPECT_EQ(table.scales[2].second, 0);
}

TEST(CalibrationTable, isReadWithOtherEndsOfLines) {
    EXPECT_EQ(readCalibrationTable("TRT-7103-LegacyCalibration\r\nx: 3c010a14\r\n").scales.size(), 1U);
    EXPECT_EQ(readCalibrationTable("TRT-7103-EntropyCalibration\nx: 3c010a14").scales.size(), 1U);
    EXPECT_EQ(
        readCalibrationTable(std::string_view("TRT-7103-EntropyCalibration\n\nx: 3c010a14\n\0", 45)).scales.size(), 1U);
}

TEST(CalibrationTable, namesTheLineThatIsNone) {
    std::string const title = "TRT-8601-EntropyCalibration2\n";
    EXPECT_EQ(errorOf(""), "calibration cache: is empty");
    EXPECT_EQ(errorOf("EntropyCalibration2\n"),
              "calibration cache, line 1: found \"EntropyCalibration2\"; expected TRT-VERSION-ALGORITHM, such as "
              "TRT-8601-EntropyCalibration2");
    EXPECT_EQ(errorOf("TRT-8601-Percentile\n"),
              "calibration cache, line 1: found \"TRT-8601-Percentile\"; expected TRT-VERSION-ALGORITHM, such as "
              "TRT-8601-EntropyCalibration2");
    EXPECT_EQ(errorOf(title + "x: 3c010a14\ny\n"), "calibration cache, line 3: found \"y\"; expected NAME: VALUE");
    EXPECT_EQ(
        errorOf(title + "x: 0.25\n"),
        "calibration cache, line 2: found \"0.25\"; expected the bits of a float32 in up to 8 hexadecimal digits");
    EXPECT_EQ(errorOf(title + "x: 3c010a143\n"),
              "calibration cache, line 2: found \"3c010a143\"; expected the bits of a "
              "float32 in up to 8 hexadecimal digits");
    EXPECT_EQ(errorOf(title + "x: 7f800000\n"), "calibration cache, line 2: found 7f800000, which is inf; expected a "
                                                "positive finite scale, or 0 for a tensor of zeros");
    EXPECT_EQ(errorOf(title + "x: bc010a14\n"),
              "calibration cache, line 2: found bc010a14, which is -0.007875937968492508; "
              "expected a positive finite scale, or 0 for a tensor of zeros");
    EXPECT_NE(errorOf(title + "x: 7fc00000\n").find("which is nan"), std::string::npos);
}

TEST(HistogramCache, isReadAsItIsWritten) {
    Histogram histogram;
    std::vector<float> const values{0.1F, -2.5F, 0, 1e-30F};
    histogram.add(values);
    Histograms const all{{"a: b", histogram}, {"of zeros", Histogram(0, 0, 7, {})}};
    EXPECT_EQ(readHistograms(writeHistograms(all)), all);
}

TEST(HistogramCache, namesTheLineThatIsNone) {
    auto const errorOf = [](std::string const& text) -> std::string {
        try {
            readHistograms(text);
        } catch (Error const& error) {
            return error.what();
        }
        return "no error";
    };
    std::string const title = "TenonHistograms-1\n";
    EXPECT_EQ(errorOf("7\n"), "histogram cache, line 1: found \"7\"; expected TenonHistograms-1");
    EXPECT_EQ(errorOf(title + "x: 1 0.5\n"),
              "histogram cache, line 2: x: found 2 numbers; expected a histogram, which has 3 to 4099");
    EXPECT_EQ(errorOf(title + "x: 1 0.5 0 -1\n"),
              "histogram cache, line 2: x: found -1 values; expected no fewer than 0");
    EXPECT_EQ(
        errorOf(title + "x: nan 0.5 0 1\n"),
        "histogram cache, line 2: x: found 1 bins of width 0.5 for values up to nan; expected positive finite numbers");
    EXPECT_EQ(
        errorOf(title + "x: 1 0 0 1\n"),
        "histogram cache, line 2: x: found 1 bins of width 0 for values up to 1; expected positive finite numbers");
    EXPECT_EQ(errorOf(title + "x: 1 one 0 1\n"),
              "histogram cache, line 2: x: found \"one\"; expected the width of a bin");
    for (std::string const numbers : {"7 0.5 0 1 1", "0.25 0.5 0 1 1"}) { // bins up to 1
        EXPECT_EQ(errorOf(title + "x: " + numbers + "\n"),
                  "histogram cache, line 2: x: found 2 bins of width 0.5 for values up to " +
                      numbers.substr(0, numbers.find(' ')) + "; expected the largest value in the last bin");
    }
    EXPECT_EQ(errorOf(title + "x: 7 0 5\n"), "histogram cache, line 2: x: found 0 bins of width 0 for values up to 7; "
                                             "expected the largest value in the last bin");
    EXPECT_EQ(errorOf(title + "x: 1 0.5 1 9223372036854775807 1\n"),
              "histogram cache, line 2: x: found more than 9223372036854775807 values in all bins; expected no more");
}

} // namespace
} // namespace tenon
