// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace tenon {

/// Installs the handler, the first time that it is called, if TENON_CRASH_REPORT is set and not 0. The handler writes
/// to stderr which plugin its thread is calling (CallScope), on what; then the signal has the effect that it had
/// before: the handler that was there, or the end of the process with its exit status and core dump. Called when a
/// plugin is looked up or hosted; not when one is registered, which static objects do before a program has set its
/// environment.
void installCrashReports() noexcept;

/// The handler is installed.
bool reportsCrashes() noexcept;

/// Where it is, gives it a stack in this thread, if that has none for signals.
void prepareCrashReports() noexcept;

} // namespace tenon
