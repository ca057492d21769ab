// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads damaged calibration caches, of ranges and of histograms:
//   fuzz_calibration SECONDS SEED    until the time is over; findings are written to files
//   fuzz_calibration FILE            one cache again
// A finding is a crash, a hang, a failure without an error that says what is wrong, a cache that differs after writing
// and reading it again, or an invalid range.

#include "base/error.h"
#include "calibration/calibration_table.h"
#include "calibration/range.h"
#include "support/trial.h"

#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>
#include <iterator>

namespace tenon::test {
namespace {

using Random = std::mt19937_64;

int readable = 0;

/// Caches of their valid words, in random order and number.
class Caches {
public:
    explicit Caches(Random& random) : random_(random) {}

    std::string next() {
        std::string cache = chance(3) ? histograms() : ranges();
        while (chance(2) && !cache.empty()) damage(cache);
        return cache;
    }

private:
    size_t below(size_t count) { return random_() % count; }
    bool chance(size_t one) { return below(one) == 0; }

    std::string name() {
        constexpr std::string_view kNames[]{"conv1", "(Unnamed Layer* 4) [Fully Connected]_output", "a: b", ": ", "x"};
        return std::string(kNames[below(std::size(kNames))]);
    }

    std::string ranges() {
        CalibrationTable table;
        table.method = static_cast<CalibrationMethod>(below(names(CalibrationMethod{}).size()));
        for (size_t i = below(6); i-- > 0;) table.scales.emplace_back(name(), static_cast<float>(below(1000)) / 64);
        return writeCalibrationTable(table, static_cast<int32_t>(below(200000)));
    }

    std::string histograms() {
        Histograms histograms;
        for (size_t i = below(4); i-- > 0;) {
            std::vector<float> values(1 + below(300));
            for (float& value : values)
                value = std::ldexp(static_cast<float>(below(1000)), static_cast<int>(below(40)) - 20);
            histograms[name()].add(values);
        }
        return writeHistograms(histograms);
    }

    void damage(std::string& cache) {
        constexpr std::string_view kWords[]{": ",       "\n",
                                            " ",        "-",
                                            "nan",      "inf",
                                            "-1",       "9223372036854775807",
                                            "1e308",    "7f800000",
                                            "ffffffff", "1e-320",
                                            "TRT-",     "TenonHistograms-1\n",
                                            "0"};
        size_t const at = below(cache.size());
        size_t const length = below(std::min<size_t>(cache.size() - at, 20) + 1);
        switch (below(4)) {
        case 0: cache[at] = static_cast<char>(below(256)); break;
        case 1: cache.erase(at, length); break;
        case 2: cache.insert(at, kWords[below(std::size(kWords))]); break;
        case 3: cache.replace(at, length, kWords[below(std::size(kWords))]); break;
        }
    }

    Random& random_;
};

void expect(bool holds, std::string_view what) {
    if (!holds) throw std::logic_error(std::string(what));
}

void readAsRanges(std::string const& cache) {
    CalibrationTable const table = readCalibrationTable(cache);
    ++readable;
    CalibrationTable const again = readCalibrationTable(writeCalibrationTable(table, 8601));
    bool const isSame = again.method == table.method && again.scales == table.scales;
    bool const endsLines = cache.find('\r') != std::string::npos; // within a name, which is then not written
    expect(isSame || endsLines, "ranges that are written as they were read");
}

void readAsHistograms(std::string const& cache) {
    Histograms const histograms = readHistograms(cache);
    ++readable;
    expect(readHistograms(writeHistograms(histograms)) == histograms, "histograms that are written as they were read");
    for (auto const& [name, histogram] : histograms) {
        for (double const range : {entropyRange(histogram), closeEntropyRange(histogram),
                                   quantileRange(histogram, 0.999, 0.5), quantileRange(histogram, 0, 0)})
            expect(range >= 0 && !std::isnan(range), "a range that is 0 or more");
    }
}

std::string findingOf(std::string const& cache) {
    for (auto const read : {readAsRanges, readAsHistograms}) {
        try {
            read(cache);
        } catch (Error const& error) {
            if (error.code() == ErrorCode::Internal) return text("an internal error: ", std::string_view(error.what()));
            if (std::string_view(error.what()).empty()) return "an error without text";
        } catch (std::exception const& error) {
            return text("expected ", std::string_view(error.what()));
        }
    }
    return "";
}

int repeat(std::string const& path) {
    std::ifstream file(path, std::ios::binary);
    std::string const finding = findingOf({std::istreambuf_iterator<char>(file), {}});
    std::cout << (finding.empty() ? "no finding" : finding) << '\n';
    return finding.empty() ? 0 : 1;
}

int search(int seconds, uint64_t seed) {
    auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    Trials trials("fuzz_calibration", seed);
    std::string cache;
    while (std::chrono::steady_clock::now() < end) {
        Random random = trials.begin();
        cache = Caches(random).next();
        trials.with(cache);
        if (auto const finding = findingOf(cache); !finding.empty()) trials.report(finding);
    }
    std::cout << trials.count() << " caches: " << readable << " could be read\n"
              << (trials.findings() == 0 ? 1 : 0) << " passed, " << trials.findings() << " failed\n";
    return trials.findings() == 0 ? 0 : 1;
}

} // namespace
} // namespace tenon::test

int main(int count, char** arguments) {
    using namespace tenon::test;
    return runFuzzer(count, arguments, search, repeat);
}
