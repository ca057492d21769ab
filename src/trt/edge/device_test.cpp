// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/api.h"
#include "tenon/device.h"

#include <cstdlib>
#include <optional>
#include <regex>

namespace tenon {
namespace {

using test::Defining;

std::string const kMissing = "libtenon_gpu.so.1: cannot open shared object file: No such file or directory; expected "
                             "the library of a backend beside libtenon.so.1, or where the loader searches, with the "
                             "libraries that it depends on";

/// Restores TENON_DEVICE and setDevice() after the test.
struct DeviceTest : testing::Test {
    void TearDown() override {
        setDevice(nullptr);
        if (before_)
            setVariable(before_->c_str());
        else
            unsetenv("TENON_DEVICE");
    }
    static void setVariable(char const* value) { setenv("TENON_DEVICE", value, 1); }
    static std::string refusalOf(char const* device) {
        char const* const why = setDevice(device);
        return why ? why : "";
    }
    /// A network that any device can build.
    static void define(Defining& d) { d.output(d.network->addIdentity(d.input("x", {2}))->getOutput(0)); }

private:
    static std::optional<std::string> variable() {
        char const* const set = std::getenv("TENON_DEVICE");
        return set ? std::optional<std::string>(set) : std::nullopt;
    }
    std::optional<std::string> before_ = variable();
};

TEST_F(DeviceTest, IsTheCpuWhereThereIsNothingElse) {
    EXPECT_STREQ(getDevice(), "cpu");
    EXPECT_EQ(refusalOf("cpu"), "");
    EXPECT_STREQ(getDevice(), "cpu");
    EXPECT_NE(std::string(describeDevice("cpu")).find("oneDNN"), std::string::npos);
}

TEST(DescribeThreads, TellsWhatDecidesTheirNumber) {
    std::string const before = std::getenv("TENON_THREADS") ? std::getenv("TENON_THREADS") : "";
    unsetenv("TENON_THREADS");
    std::string const usual = describeThreads();
    EXPECT_TRUE(std::regex_match(usual, std::regex("[0-9]+ threads? \\([0-9]+ CPUs in the affinity, "
                                                   "(no cgroup quota|a cgroup quota of [0-9]+\\.[0-9]{2}), "
                                                   "load [0-9]+\\.[0-9]{2}\\)")))
        << usual;
    setenv("TENON_THREADS", "3", 1);
    EXPECT_EQ(std::string(describeThreads()).substr(0, 28), "3 threads (TENON_THREADS=3, ");
    setenv("TENON_THREADS", "none", 1);
    EXPECT_EQ(describeThreads(), nullptr);
    before.empty() ? unsetenv("TENON_THREADS") : setenv("TENON_THREADS", before.c_str(), 1);
}

TEST_F(DeviceTest, RefusesNamesThatAreNone) {
    for (char const* name : {"", "CPU", "../../evil", "a_name_of_16_abc", ":0", "cuda:", "cuda:-1", "cuda:x", "cuda:1x",
                             "cuda:99999999999"}) {
        EXPECT_EQ(refusalOf(name), "unknown device \"" + std::string(name) +
                                       "\"; expected cpu, cuda, cuda:N, or the name of another backend, 1 to 15 "
                                       "characters of a-z, 0-9 and _, and its number");
        EXPECT_EQ(describeDevice(name), nullptr);
    }
    EXPECT_EQ(describeDevice(nullptr), nullptr);
}

TEST_F(DeviceTest, RefusesBackendsThatAreNotThere) {
    EXPECT_EQ(refusalOf("gpu"), "device gpu: no gpu device can be used: " + kMissing);
    EXPECT_EQ(refusalOf("gpu:1"), "device gpu:1: no gpu device can be used: " + kMissing);
    EXPECT_EQ(describeDevice("gpu"), nullptr);
}

TEST_F(DeviceTest, RefusesNumbersThatAreNotThere) {
    EXPECT_EQ(refusalOf("cpu:0"), "");
    EXPECT_EQ(refusalOf("cpu:1"), "device cpu:1: there is no cpu:1; expected cpu:0");
}

TEST_F(DeviceTest, NeverTakesAnotherThanTheVariableNames) {
    setVariable("gpu");
    EXPECT_EQ(getDevice(), nullptr);
    Defining d;
    define(d);
    std::unique_ptr<nvinfer1::IHostMemory> file(d.builder->buildSerializedNetwork(*d.network, *d.config));
    EXPECT_FALSE(file);
    EXPECT_EQ(d.messages.lastError(),
              "buildSerializedNetwork: TENON_DEVICE: device gpu: no gpu device can be used: " + kMissing);
}

TEST_F(DeviceTest, CodeGoesBeforeTheVariable) {
    setVariable("gpu");
    EXPECT_EQ(refusalOf("cpu"), "");
    Defining d;
    define(d);
    EXPECT_TRUE(d.build());
    setDevice(nullptr);
    EXPECT_EQ(getDevice(), nullptr);
}

TEST_F(DeviceTest, AnEngineIsNamedTheDeviceInTheLog) {
    Defining d;
    define(d);
    d.build();
    ASSERT_FALSE(d.messages.infos.empty());
    EXPECT_TRUE(std::ranges::any_of(d.messages.infos,
                                    [](std::string const& info) { return info.starts_with("device cpu: "); }));
}

} // namespace
} // namespace tenon
