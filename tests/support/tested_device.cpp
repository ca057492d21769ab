// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/tested_device.h"

#include "base/error.h"

#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string_view>

namespace tenon::test {
namespace {

/// Without the device the executable reports one skipped case instead of all, since all are for that device.
class TestedDevice final : public testing::Environment {
    void SetUp() override {
        std::string const why = absenceOf(testedDevice());
        if (why.empty()) return;
        std::printf("%s\n[  SKIPPED ] all cases on %s (0 ms)\n", why.c_str(), text(testedDevice()).c_str());
        std::fflush(stdout);
        std::_Exit(0);
    }
};

[[maybe_unused]] auto* const environment =
    testing::AddGlobalTestEnvironment(std::make_unique<TestedDevice>().release());

} // namespace

std::string absenceOf(Device const& device) {
    try {
        backendOf(device);
        return {};
    } catch (Error const& error) {
        return error.what();
    }
}

Device testedDevice() {
    char const* const set = std::getenv("TENON_TEST_DEVICE");
    return set && *set != '\0' ? Device(set) : Device::Cpu;
}

Backend const& testedBackend() { return backendOf(testedDevice()); }

} // namespace tenon::test
