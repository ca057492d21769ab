// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Valid and invalid arguments of the standard plugins: fields, saved data, shapes, tensors.
//   fuzz_plugins SECONDS SEED           until the time is over; findings are written to files
//   fuzz_plugins SECONDS SEED NAME      one plugin only
//   fuzz_plugins FILE                   one trial again
// A finding is a crash, a long trial, an access outside of all tensors, a changed input, or a refusal without a text
// that names the plugin and the reason.
//
// With AddressSanitizer, and with valgrind, tensors are blocks of the heap of exactly their size. Findings of
// sanitizers are written to files if these abort: ASAN_OPTIONS=abort_on_error=1:allocator_may_return_null=1.
#include "fuzz_plugins/run.h"
#include "support/trial.h"

#include <NvInferPlugin.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <string>

namespace tenon::test {
namespace {

constexpr double kMostSeconds = 10; // of a trial, on one processor; a normal one takes milliseconds

struct Counts {
    uint64_t made = 0, shaped = 0, ran = 0, engines = 0;
};

double processorSeconds() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void tryPlugin(PluginDefinition const& definition, Log& log, Random& random, Counts& counts) {
    Subject subject(definition, log, random);
    if (!subject) return;
    ++counts.made;
    if (oneIn(2, random)) subject.reload();
    if (oneIn(2, random)) subject.askNonsense();
    if (!subject.findShapes()) return;
    ++counts.shaped;
    bool const usesEngine = subject.isSmall() && oneIn(subject.isNetwork() ? 2 : 10, random);
    if (usesEngine && runInEngine(subject)) ++counts.engines;
    if (usesEngine) return;
    if (subject.run()) ++counts.ran;
}

// Empty if there is no finding.
std::string findingOf(Random& random, std::string const& only, Log& log, Counts& counts) {
    std::vector<PluginDefinition const*> all;
    for (PluginDefinition const& each : plugins::allPlugins())
        if (only.empty() || only == each.name) all.push_back(&each);
    if (all.empty()) return "there is no plugin " + only;
    PluginDefinition const& definition = *all[random() % all.size()];
    std::string const name = std::string(definition.name) + ' ' + definition.version + ": ";
    double const start = processorSeconds();
    try {
        tryPlugin(definition, log, random, counts);
    } catch (std::exception const& error) {
        return name + error.what();
    }
    double const seconds = processorSeconds() - start;
    return seconds > kMostSeconds ? name + "it takes " + std::to_string(seconds) + " seconds" : "";
}

int repeat(std::string const& path) {
    uint64_t seed = 0, trial = 0;
    std::string only;
    std::ifstream(path) >> seed >> trial >> only;
    std::seed_seq numbers{seed, trial};
    Random random(numbers);
    Log log;
    Counts counts;
    initLibNvInferPlugins(&log, "");
    std::string const finding = findingOf(random, only, log, counts);
    std::cout << (finding.empty() ? "no finding" : finding) << '\n';
    return finding.empty() ? 0 : 1;
}

int search(double seconds, uint64_t seed, std::string const& only) {
    auto const end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    Log log;
    Counts counts;
    initLibNvInferPlugins(&log, "");
    Trials trials("fuzz_plugins", seed);
    std::string input;
    while (std::chrono::steady_clock::now() < end) {
        Random random = trials.begin();
        input = std::to_string(seed) + ' ' + std::to_string(trials.count()) + ' ' + only + '\n';
        trials.with(input);
        std::string const finding = findingOf(random, only, log, counts);
        if (!finding.empty()) trials.report(finding);
    }
    std::cout << trials.count() << " trials: " << counts.made << " plugins made, " << counts.shaped << " found shapes, "
              << counts.ran << " ran by themselves, " << counts.engines << " in engines\n"
              << (trials.findings() == 0 ? 1 : 0) << " passed, " << trials.findings() << " failed\n";
    return trials.findings() == 0 && counts.ran > 0 ? 0 : 1;
}

} // namespace
} // namespace tenon::test

int main(int count, char** words) {
    setenv("TENON_DEVICE", "cpu", 0);
    setenv("TENON_THREADS", "2", 0);
    if (count == 2) return tenon::test::repeat(words[1]);
    if (count == 3 || count == 4)
        return tenon::test::search(std::atof(words[1]), std::strtoull(words[2], nullptr, 10),
                                   count == 4 ? words[3] : "");
    std::cerr << "usage: fuzz_plugins SECONDS SEED [NAME] | fuzz_plugins FILE\n";
    return 2;
}
