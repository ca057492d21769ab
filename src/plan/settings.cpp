// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/settings.h"

namespace tenon {

std::span<std::string_view const> names(ProfilingVerbosity) {
    static constexpr std::string_view kNames[]{"layer_names_only", "none", "detailed"};
    return kNames;
}

std::span<std::string_view const> names(AskedTypes) {
    static constexpr std::string_view kNames[]{"ignored", "preferred", "obeyed"};
    return kNames;
}

} // namespace tenon
