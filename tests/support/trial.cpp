// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/trial.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/resource.h>
#include <unistd.h>

namespace tenon::test {
namespace {

constexpr unsigned kMostSeconds = 60; // of a trial, also on a busy machine
constexpr size_t kStack = 64 * 1024;
constexpr rlim_t kMemory = rlim_t{6} << 30; // address space, of which threads reserve much

// the signal handler's data; it may not call functions that allocate or lock
char program[64];
char folder[256];
char path[512];
char const* input;
size_t inputSize;

void writeInput() {
    int const file = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0644);
    for (size_t done = 0; file >= 0 && done < inputSize;) {
        ssize_t const written = write(file, input + done, inputSize - done);
        if (written <= 0) break;
        done += static_cast<size_t>(written);
    }
    if (file >= 0) close(file);
}

void say(char const* text) { [[maybe_unused]] ssize_t const written = write(STDERR_FILENO, text, std::strlen(text)); }

void sayHowToRepeat() {
    for (char const* part :
         {"  to repeat it: ", static_cast<char const*>(program), " ", static_cast<char const*>(path), "\n"})
        say(part);
}

void onSignal(int signal) {
    writeInput();
    char const* const name = signal == SIGALRM ? "it takes more than a minute" : sigdescr_np(signal);
    for (char const* part : {"finding: ", name == nullptr ? "a signal" : name, "\n"}) say(part);
    sayHowToRepeat();
    _exit(1);
}

void catchSignals() {
    static char stack[kStack]; // the other one may have overflowed
    stack_t const own{.ss_sp = stack, .ss_flags = 0, .ss_size = sizeof stack};
    sigaltstack(&own, nullptr);
    struct sigaction action {};
    action.sa_handler = onSignal;
    action.sa_flags = SA_ONSTACK | SA_RESETHAND;
    for (int const signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM}) sigaction(signal, &action, nullptr);
}

void limitMemory() {
#if !defined(__SANITIZE_ADDRESS__) // it reserves terabytes of addresses
    rlimit const limit{kMemory, kMemory};
    setrlimit(RLIMIT_AS, &limit);
#endif
}

} // namespace

Trials::Trials(std::string_view name, uint64_t seed) : seed_(seed) {
    std::snprintf(program, sizeof program, "%.*s", static_cast<int>(name.size()), name.data());
    std::snprintf(folder, sizeof folder, "%s", std::filesystem::temp_directory_path().c_str());
    catchSignals();
    limitMemory();
}

Trials::~Trials() { alarm(0); }

std::mt19937_64 Trials::begin() {
    input = nullptr;
    inputSize = 0;
    std::snprintf(path, sizeof path, "%s/%s.%llu.%llu", folder, program, static_cast<unsigned long long>(seed_),
                  static_cast<unsigned long long>(++number_));
    alarm(kMostSeconds);
    std::seed_seq numbers{seed_, number_};
    return std::mt19937_64(numbers);
}

void Trials::with(std::string const& bytes) {
    input = bytes.data();
    inputSize = bytes.size();
}

void Trials::report(std::string_view finding) {
    ++findings_;
    writeInput();
    std::fprintf(stderr, "finding: %.*s\n", static_cast<int>(finding.size()), finding.data());
    sayHowToRepeat();
}

int runFuzzer(int count, char** arguments, int (*search)(int, uint64_t), int (*repeat)(std::string const&)) {
    if (count == 2) return repeat(arguments[1]);
    if (count == 3) return search(std::atoi(arguments[1]), std::strtoull(arguments[2], nullptr, 10));
    std::string const name = std::filesystem::path(arguments[0]).filename();
    std::fprintf(stderr, "usage: %s SECONDS SEED | %s FILE\n", name.c_str(), name.c_str());
    return 2;
}

} // namespace tenon::test
