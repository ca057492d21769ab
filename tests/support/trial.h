// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace tenon::test {

/// For fuzzers. The current input is kept, so that it can be written to a file if it crashes, hangs or ends the
/// process; the file's name is printed with the command that reproduces it.
/// One thread begins and ends trials. Memory is limited, so that allocations of absurd sizes fail.
class Trials {
public:
    Trials(std::string_view program, uint64_t seed);
    ~Trials();
    Trials(Trials const&) = delete;
    Trials& operator=(Trials const&) = delete;

    /// The next trial's random numbers: the same for a seed and trial, independent of earlier trials.
    std::mt19937_64 begin();
    /// The input of the trial; must live until the next trial begins.
    void with(std::string const& input);
    /// Writes it to a file, and prints the reason.
    void report(std::string_view finding);

    uint64_t count() const { return number_; }
    int findings() const { return findings_; }

private:
    uint64_t seed_;
    uint64_t number_ = 0;
    int findings_ = 0;
};

/// The main function of a fuzzer: PROGRAM SECONDS SEED calls search, PROGRAM FILE calls repeat; otherwise it prints its
/// usage.
int runFuzzer(int count, char** arguments, int (*search)(int seconds, uint64_t seed),
              int (*repeat)(std::string const& path));

} // namespace tenon::test
