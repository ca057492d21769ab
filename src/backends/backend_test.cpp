// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/backend.h"

#include "backends/programs.h"
#include "backends/streams.h"
#include "base/error.h"
#include "base/literal.h"

#include <cstring>
#include <gtest/gtest.h>
#include <limits>

namespace tenon {
namespace {

constexpr Device kPlain{"plain"};

/// A backend with the mandatory functions only.
class PlainBackend : public Backend {
public:
    PlainBackend() {
        costs_.launch = 100;
        costs_.bytesPerNs = 2;
        costs_.hop = 1000;
        costs_.hopBytesPerNs = 4;
    }
    Device device() const override { return kPlain; }
    std::string describe() const override { return "plain"; }
    size_t memoryBytes() const override { return 1; }
    std::vector<Kernel const*> kernelsFor(std::string_view) const override { return {}; }
    Costs const& costs() const override { return costs_; }
    std::shared_ptr<void> allocate(size_t bytes) const override { return allocateHost(bytes); }
    void copy(void* to, void const* from, size_t bytes, void*) const override { std::memcpy(to, from, bytes); }

private:
    Costs costs_;
};

std::string refusalOf(auto const& body) {
    try {
        body();
        return "none";
    } catch (Error const& error) {
        return error.what();
    }
}

TEST(Backend, hasNoStreamsUnlessItSaysSo) {
    PlainBackend const backend;
    EXPECT_EQ(backend.makeStream(), nullptr);
    EXPECT_EQ(backend.record([](void*) {}), nullptr);
    EXPECT_FALSE(backend.isBeingRecorded(nullptr));
    EXPECT_EQ(backend.makeLibraryHandles().cudnn, nullptr);
}

TEST(Backend, leavesInputsAndPluginsOnTheHostUnlessItSaysSo) {
    PlainBackend const backend;
    EXPECT_EQ(backend.ioDevice(), Device::Cpu);
    EXPECT_EQ(backend.pluginDevice(), Device::Cpu);
    EXPECT_FALSE(backend.takesProgramMemory());
    EXPECT_TRUE(backendOf(Device::Cpu).takesProgramMemory());
}

TEST(Backend, isTimedByTheHostUnlessItSaysSo) {
    PlainBackend const backend;
    auto const begin = backend.makeMoment();
    auto const end = backend.makeMoment();
    begin->mark(nullptr);
    end->mark(nullptr);
    EXPECT_GE(end->nanosecondsSince(*begin), 0);
}

TEST(Backend, isOneDeviceUnlessItSaysSo) {
    PlainBackend const backend;
    CurrentDevice const first(backend, 0);
    for (int const index : {-1, 1}) {
        EXPECT_EQ(refusalOf([&] { backend.makeCurrent(index); }),
                  text("there is no plain:", index, "; expected plain:0"));
    }
}

class Reformatting final : public PlainBackend {
public:
    std::vector<Kernel const*> kernelsFor(std::string_view kind) const override {
        return backendOf(Device::Cpu).kernelsFor(kind);
    }
};

TEST(Backend, countsWhatAReformatTakes) { // a device without Reformat kernels does not reformat
    PlainBackend const backend;
    Label const host;
    Label there = host;
    there.device = kPlain;
    Label blocked = there;
    blocked.format = Format::nhwc();
    Dims const dims{1, 2, 5, 10}; // 400 bytes
    EXPECT_DOUBLE_EQ(Reformatting().reformatCost(dims, there, blocked), 100 + 800 / 2);
    EXPECT_EQ(backend.reformatCost(dims, there, blocked), std::numeric_limits<double>::infinity());
    EXPECT_DOUBLE_EQ(backend.reformatCost(dims, host, there), 1000 + 400 / 4);
    EXPECT_DOUBLE_EQ(backend.reformatCost(dims, host, blocked), 1000 + 400 / 4 + 100 + 800 / 2);
}

TEST(Costs, takeALaunchAndWhicheverTakesLonger) {
    Costs costs;
    costs.launch = 10;
    costs.bytesPerNs = 2;
    EXPECT_DOUBLE_EQ(costs.kernel(100, 0, 1), 60);
    EXPECT_DOUBLE_EQ(costs.kernel(100, 600, 4), 160);
}

TEST(Costs, ofATypeThatIsNoFasterAreThoseOfFloat32) {
    Costs costs;
    costs.float32 = 3;
    costs.int8 = 8;
    EXPECT_EQ(costs.peak(DataType::Int8), 8);
    EXPECT_EQ(costs.peak(DataType::Float16), 3);
    EXPECT_EQ(costs.peak(DataType::Int64), 3);
}

TEST(BackendOf, saysWhichLibraryIsMissing) {
    EXPECT_EQ(refusalOf([] { backendOf(Device("absent")); }),
              "no absent device can be used: libtenon_absent.so.1: cannot open shared object file: No such file or "
              "directory; expected the library of a backend beside libtenon.so.1, or where the loader searches, with "
              "the libraries that it depends on");
}

TEST(Programs, areRefusedWhereTheBackendRunsNone) {
    EXPECT_EQ(refusalOf([] { programsOf(Device::Cpu); }),
              "externally compiled kernels run on GPUs only, not on the cpu");
}

} // namespace
} // namespace tenon
