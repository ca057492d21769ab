// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace tenon {

/// Installs the handler on the first call if TENON_CRASH_REPORT is set and not 0. The handler writes to stderr which
/// plugin its thread is calling (CallScope), and on which tensors; then the signal has its previous effect: the earlier
/// handler, or the end of the process with its exit status and core dump. Called when a plugin is looked up or hosted;
/// not when one is registered, which static objects do before an application has set its environment.
void installCrashReports() noexcept;

/// The handler is installed.
bool reportsCrashes() noexcept;

/// If it is, gives it a stack in this thread, unless there is one for signals.
void prepareCrashReports() noexcept;

} // namespace tenon
