// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/calibration_table.h"

#include "base/error.h"
#include "calibration/scale.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

namespace tenon {
namespace {

constexpr std::string_view kHistogramTitle = "TenonHistograms-1";
constexpr size_t kMostShown = 80; // characters of an invalid line in an error

/// Returns the line at the start of `text` and removes it.
std::string_view takeLine(std::string_view& text) {
    size_t const end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

/// Some applications also pass the zero byte after their text.
std::string_view withoutZeroBytes(std::string_view text) {
    while (text.ends_with('\0')) text.remove_suffix(1);
    return text;
}

std::string shown(std::string_view line) {
    std::string text(line.substr(0, kMostShown));
    for (char& c : text) {
        if (static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) > '~') c = '?';
    }
    return text;
}

/// TRT-VERSION-METHOD
std::optional<CalibrationMethod> methodOf(std::string_view title) {
    constexpr std::string_view kBegin = "TRT-";
    size_t const dash = title.find('-', kBegin.size());
    if (!title.starts_with(kBegin) || dash == std::string_view::npos) return std::nullopt;
    auto const all = names(CalibrationMethod{});
    auto const found = std::ranges::find(all, title.substr(dash + 1));
    if (found == all.end()) return std::nullopt;
    return static_cast<CalibrationMethod>(found - all.begin());
}

/// A name may have colons and spaces; the last ": " ends it.
std::pair<std::string, std::string_view> split(std::string_view line) {
    size_t const colon = line.rfind(": ");
    if (colon == std::string_view::npos || colon == 0)
        fail(ErrorCode::InvalidArgument, "found \"", shown(line), "\"; expected NAME: VALUE");
    return {std::string(line.substr(0, colon)), line.substr(colon + 2)};
}

template <class T, class... How> T numberFrom(std::string_view text, std::string_view what, How... how) {
    T value{};
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, how...);
    if (error != std::errc() || end != text.data() + text.size() || text.empty())
        fail(ErrorCode::InvalidArgument, "found \"", shown(text), "\"; expected ", what);
    return value;
}

float scaleFrom(std::string_view digits) {
    constexpr std::string_view kWhat = "the bits of a float32 in up to 8 hexadecimal digits";
    auto const bits = numberFrom<uint32_t>(digits, kWhat, 16);
    auto const scale = std::bit_cast<float>(bits);
    if (!std::isfinite(scale) || std::signbit(scale))
        fail(ErrorCode::InvalidArgument, "found ", digits, ", which is ", double{scale},
             "; expected a positive finite scale, or 0 for a tensor of zeros");
    return scale == 0 ? 0 : normalScale(scale);
}

/// Calls read(line) for each non-empty line; adds the line number to an Error from it.
template <class Read> void readLines(std::string_view what, std::string_view text, Read const& read) {
    for (int64_t number = 1; !text.empty(); ++number) {
        std::string_view const line = takeLine(text);
        if (!line.empty()) locate([&] { return tenon::text(what, ", line ", number); }, [&] { read(line, number); });
    }
}

std::string hex(uint32_t bits) {
    std::array<char, 9> digits{};
    auto const [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), bits, 16);
    return {digits.data(), end};
}

/// The last bin is that of the largest value, except for rounding.
void expectBins(float most, double width, size_t bins) {
    auto const refuse = [&](std::string_view expected) {
        fail(ErrorCode::InvalidArgument, "found ", bins, " bins of width ", width, " for values up to ", double{most},
             "; expected ", expected);
    };
    bool const isWhole =
        std::isfinite(most) && most >= 0 && std::isfinite(width) && (bins == 0 ? width == 0 : width > 0);
    if (!isWhole) refuse("positive finite numbers");
    constexpr double kRounding = 1e-6;
    double const reached = double{most} / (bins == 0 ? 1 : width);
    auto const end = static_cast<double>(bins);
    bool const isLast = reached <= end * (1 + kRounding) && (bins < 2 || reached >= (end - 1) * (1 - kRounding));
    if (!isLast) refuse("the largest value in the last bin");
}

/// The sum of all counts must not overflow.
void addCount(int64_t& sum, int64_t count) {
    constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
    if (count > kMost - sum)
        fail(ErrorCode::InvalidArgument, "found more than ", kMost, " values in all bins; expected no more");
    sum += count;
}

/// "MOST WIDTH ZEROS COUNT…"
Histogram histogramFrom(std::string_view text) {
    std::vector<std::string_view> words;
    while (!text.empty()) {
        size_t const end = std::min(text.find(' '), text.size());
        words.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (words.size() < 3 || words.size() - 3 > 2 * Histogram::kBins)
        fail(ErrorCode::InvalidArgument, "found ", words.size(), " numbers; expected a histogram, which has 3 to ",
             3 + 2 * Histogram::kBins);
    std::vector<int64_t> counts;
    int64_t sum = 0;
    for (size_t i = 2; i < words.size(); ++i) {
        counts.push_back(numberFrom<int64_t>(words[i], "the number of values"));
        if (counts.back() < 0)
            fail(ErrorCode::InvalidArgument, "found ", counts.back(), " values; expected no fewer than 0");
        addCount(sum, counts.back());
    }
    auto const most = numberFrom<float>(words[0], "the largest value");
    auto const width = numberFrom<double>(words[1], "the width of a bin");
    int64_t const zeros = counts.front();
    counts.erase(counts.begin());
    expectBins(most, width, counts.size());
    return {most, width, zeros, std::move(counts)};
}

/// The shortest digits that are read as the same number.
template <class T> void appendNumber(std::string& to, T value) {
    std::array<char, 32> digits{};
    auto const [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    to.append(digits.data(), end);
}

} // namespace

std::span<std::string_view const> names(CalibrationMethod) {
    static constexpr std::string_view kNames[]{"LegacyCalibration", "EntropyCalibration", "EntropyCalibration2",
                                               "MinMaxCalibration"};
    return kNames;
}

std::string writeCalibrationTable(CalibrationTable const& table, int32_t version) {
    std::string text = tenon::text("TRT-", version, '-', nameOf(table.method), '\n');
    for (auto const& [name, scale] : table.scales) {
        bool const fitsOneLine = name.find_first_of("\r\n") == std::string::npos;
        if (fitsOneLine) text += tenon::text(name, ": ", hex(std::bit_cast<uint32_t>(scale)), '\n');
    }
    return text;
}

CalibrationTable readCalibrationTable(std::string_view text) {
    CalibrationTable table;
    text = withoutZeroBytes(text);
    if (text.empty()) fail(ErrorCode::InvalidArgument, "calibration cache: is empty");
    readLines("calibration cache", text, [&](std::string_view line, int64_t number) {
        if (number == 1) {
            auto const method = methodOf(line);
            if (!method)
                fail(ErrorCode::InvalidArgument, "found \"", shown(line),
                     "\"; expected TRT-VERSION-ALGORITHM, such as TRT-8601-EntropyCalibration2");
            table.method = *method;
            return;
        }
        auto const [name, digits] = split(line);
        table.scales.emplace_back(name, scaleFrom(digits));
    });
    return table;
}

std::string writeHistograms(Histograms const& histograms) {
    std::string text(kHistogramTitle);
    for (auto const& [name, histogram] : histograms) {
        if (name.find_first_of("\r\n") != std::string::npos) continue;
        text += tenon::text('\n', name, ": ");
        appendNumber(text, histogram.most());
        appendNumber(text += ' ', histogram.width());
        appendNumber(text += ' ', histogram.zeros());
        for (int64_t const count : histogram.counts()) appendNumber(text += ' ', count);
    }
    return text += '\n';
}

Histograms readHistograms(std::string_view text) {
    Histograms histograms;
    readLines("histogram cache", withoutZeroBytes(text), [&](std::string_view line, int64_t number) {
        if (number == 1 && line != kHistogramTitle)
            fail(ErrorCode::InvalidArgument, "found \"", shown(line), "\"; expected ", kHistogramTitle);
        if (number == 1) return;
        auto const [name, numbers] = split(line);
        locate([&] { return shown(name); }, [&] { histograms[name] = histogramFrom(numbers); });
    });
    return histograms;
}

} // namespace tenon
