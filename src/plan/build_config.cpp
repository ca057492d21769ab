// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/build_config.h"

#include "plan/plan.h"

namespace tenon {

/// Fails to compile if a member is added to BuildConfig: it belongs into PlanSettings, unless it concerns one build
/// only.
BuildConfig configOf(Plan const& plan) {
    BuildConfig config;
    auto& [device, profiles, settings, ioLabels, tuning, keepNetwork, choosesKernels, isInside, selector, origins,
           log] = config;
    device = plan.device;
    profiles = plan.profiles;
    settings = plan.settings;
    return config;
}

} // namespace tenon
