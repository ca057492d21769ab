// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The tests, and the other process in which one of them runs its engine.

#include "conformance/recording.h"

#include <gtest/gtest.h>

#include <string_view>

int main(int argc, char** argv) {
    if (argc == 4 && std::string_view(argv[1]) == "--run") return tenon::test::runSaved(argv[2], argv[3]) ? 0 : 1;
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
