// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "graph/device.h"

#include "base/error.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

TEST(Device, isItsName) {
    static_assert(Device::Cpu.name() == "cpu");
    static_assert(Device("cpu") == Device::Cpu && Device("cuda") != Device::Cpu);
    EXPECT_EQ(text(Device("npu_2")), "npu_2");
    EXPECT_EQ(Device("fifteen_letters").name(), "fifteen_letters");
}

TEST(Device, isOrderedByName) {
    EXPECT_LT(Device("a"), Device("b"));
    EXPECT_LT(Device("a"), Device("ab"));
}

TEST(Device, hasANameThatLeavesNoFolder) {
    for (std::string const& name : {std::string(), std::string("../../evil"), std::string("a/b"), std::string("Cuda"),
                                    std::string("a b"), std::string("a.so"), std::string("sixteen_letters_")}) {
        EXPECT_FALSE(Device::isName(name));
        try {
            Device const made(name);
            ADD_FAILURE() << made.name();
        } catch (Error const& error) {
            EXPECT_EQ(error.what(), "unknown device \"" + name + "\"; expected 1 to 15 characters of a-z, 0-9 and _");
        }
    }
    EXPECT_FALSE(Device::isName(std::string_view("a\0b", 3)));
}

} // namespace
} // namespace tenon
