// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/tested_device.h"

#include "base/error.h"

#include <cstdlib>
#include <string_view>

namespace tenon::test {

Device testedDevice() {
    char const* const set = std::getenv("TENON_TEST_DEVICE");
    return set && std::string_view(set) == "cuda" ? Device::Cuda : Device::Cpu;
}

Backend const& testedBackend() { return backendOf(testedDevice()); }

std::string absenceOfTestedDevice() {
    try {
        testedBackend();
        return {};
    } catch (Error const& error) {
        return text("no ", testedDevice(), " device: ", error.what());
    }
}

} // namespace tenon::test
