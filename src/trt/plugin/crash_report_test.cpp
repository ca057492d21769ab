// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// What is written before a crash in a plugin ends the process. Each test crashes in a process of its own.

#include "support/api.h"
#include "support/api_plugins.h"
#include "tenon/parallel.h"

#include <csignal>
#include <cstdlib>
#include <functional>
#include <sys/wait.h>
#include <unistd.h>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::Registered;
using test::TimesV2;
using test::TimesV2Creator;

/// The crash that replaces the plugin's computation; in its configurePlugin(), if `inConfigure`.
std::function<void()> crash;
bool inConfigure = false;

class Crashing final : public TimesV2 {
public:
    Crashing() : TimesV2(2) {}
    IPluginV2DynamicExt* clone() const override { return std::make_unique<Crashing>().release(); }
    void configurePlugin(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*, int32_t) override {
        if (inConfigure) crash();
    }
    size_t getWorkspaceSize(PluginTensorDesc const*, int32_t, PluginTensorDesc const*, int32_t) const override {
        return 96;
    }
    int32_t enqueue(PluginTensorDesc const*, PluginTensorDesc const*, void const* const*, void* const*, void*,
                    cudaStream_t) override {
        crash();
        return 0;
    }
};

class CrashingCreator final : public TimesV2Creator {
public:
    IPluginV2* deserializePlugin(char const*, void const*, size_t) override {
        return std::make_unique<Crashing>().release();
    }
};

/// Builds, loads and runs "times" on x [1,2], in a process in which no plugin was called before.
void live(char const* reports, std::function<void()> how, bool whileConfigured = false) {
    setenv("TENON_CRASH_REPORT", reports, 1);
    crash = std::move(how);
    inConfigure = whileConfigured;
    Registered<CrashingCreator> const creator;
    Defining d;
    ITensor* x = &d.input("x", {-1, 2});
    Crashing plugin;
    IPluginV2Layer* const layer = d.network->addPluginV2(&x, 1, plugin);
    layer->setName("times");
    d.output(layer->getOutput(0));
    d.range("x", {1, 2}, {1, 2}, {4, 2});
    test::Running r(*d.build());
    r.context->setInputShape("x", Dims2{1, 2});
    r.run({1, 2}, 2);
}

/// Whether a process ended by this signal. Sanitizers have handlers, which end it in another way.
class EndsBy {
public:
    explicit EndsBy(int signal) : signal_(signal) {}
    bool operator()(int status) const {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        return status != 0 || signal_ == 0;
#else
        return WIFSIGNALED(status) && WTERMSIG(status) == signal_;
#endif
    }

private:
    int signal_;
};

void writeToNull() {
    static int* volatile nowhere = nullptr;
    *nowhere = 1;
}

void divideByZero() {
    static int volatile zero = 0;
    int const volatile result = 7 / zero;
    static_cast<void>(result);
    std::abort(); // if that does not trap
}

/// Uses up the stack.
int recurse(int depth) {
    char volatile frame[4096];
    frame[0] = static_cast<char>(depth);
    return depth < 0 ? 0 : recurse(depth + 1) + frame[0];
}

/// The report of a crash in enqueue, as a regular expression.
std::string crashed(std::string_view how) {
    std::string report = "tenon: times \\(plugin TimesV2, version 1, namespace \"\"\\): enqueue crashed: ";
    return report.append(how);
}

class CrashReportDeathTest : public testing::Test {
protected:
    CrashReportDeathTest() { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
    void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        GTEST_SKIP() << "a sanitizer reports the crash, and ends the process";
#endif
    }
};

TEST_F(CrashReportDeathTest, namesNodePluginMethodAndWhatItWorksOn) {
    EXPECT_EXIT(live("1", writeToNull), EndsBy(SIGSEGV),
                crashed("SIGSEGV at address 0x0\n"
                        "tenon:   input 0: float32 linear \\[1,2\\] at 0x[0-9a-f]+\n"
                        "tenon:   output 0: float32 linear \\[1,2\\] at 0x[0-9a-f]+\n"
                        "tenon:   workspace: 96 bytes at 0x[0-9a-f]+\n"));
}

TEST_F(CrashReportDeathTest, tellsEachSignalByWhichTheProcessThenEnds) {
    EXPECT_EXIT(live("1", std::abort), EndsBy(SIGABRT), crashed("SIGABRT\n"));
    EXPECT_EXIT(live("1", [] { raise(SIGBUS); }), EndsBy(SIGBUS), crashed("SIGBUS\n"));
    EXPECT_EXIT(live("1", [] { raise(SIGILL); }), EndsBy(SIGILL), crashed("SIGILL\n"));
#if defined(__x86_64__)
    EXPECT_EXIT(live("1", divideByZero), EndsBy(SIGFPE), crashed("SIGFPE at address 0x"));
#endif
}

TEST_F(CrashReportDeathTest, isWrittenWithoutStack) {
    EXPECT_EXIT(live("1", [] { recurse(0); }), EndsBy(SIGSEGV), crashed("SIGSEGV"));
}

TEST_F(CrashReportDeathTest, isWrittenForMethodsBesideEnqueue) {
    EXPECT_EXIT(live("1", writeToNull, true), EndsBy(SIGSEGV),
                "\"\"\\): configurePlugin crashed: SIGSEGV at address 0x0\n");
}

TEST_F(CrashReportDeathTest, isWrittenForWorkThatAPluginSpreadsOverThreads) {
    auto const spread = [] {
        parallelFor(1000, 1, [](int64_t begin, int64_t) {
            if (begin != 0) writeToNull(); // on a thread other than the caller's
        });
        writeToNull(); // if there is one thread only
    };
    EXPECT_EXIT(live("1", spread), EndsBy(SIGSEGV), crashed("SIGSEGV at address 0x0\n"));
}

TEST_F(CrashReportDeathTest, isFollowedByTheHandlerOfTheProgram) {
    auto const withHandler = [] {
        signal(SIGSEGV, [](int) { _exit(42); });
        live("1", writeToNull);
    };
    EXPECT_EXIT(withHandler(), testing::ExitedWithCode(42), crashed("SIGSEGV"));
}

TEST_F(CrashReportDeathTest, isNotWrittenUnlessItIsAskedFor) {
    for (char const* const no : {"", "0"}) EXPECT_EXIT(live(no, writeToNull), EndsBy(SIGSEGV), "^$");
}

} // namespace
} // namespace tenon
