// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Which device engines are built for and run on.
///
/// A device is called "cpu" or "cuda:N", N being the index that CUDA gives it; "cuda" is the one that is current in the
/// thread that builds or loads an engine (cudaSetDevice). Other backends are called by their own name, NAME or NAME:N:
/// that of a library libtenon_NAME.so.1. The environment variable TENON_DEVICE takes the same names.
/// Both are strict: a device that is not there is an error, never replaced by another. Where neither says anything, the
/// best device of the machine is taken and named in the log.
#ifndef TENON_DEVICE_H
#define TENON_DEVICE_H

#include "tenon/api/level.h"

#include <cstdint>

TENON_C_FUNCTION char const* tenonSetDevice(char const* device) noexcept;
TENON_C_FUNCTION char const* tenonGetDevice() noexcept;
TENON_C_FUNCTION char const* tenonDescribeDevice(char const* device) noexcept;
TENON_C_FUNCTION char const* tenonDescribeThreads() noexcept;

namespace tenon {

/// Chooses the device for the engines that this process builds and loads from now on; it goes before TENON_DEVICE.
/// Any thread.
/// \param device "cpu", "cuda", "cuda:N" or another backend's name; null withdraws the choice
/// \return null when that is done, else why not, and nothing is changed. The text lives until this thread's next call.
inline char const* setDevice(char const* device) noexcept { return tenonSetDevice(device); }

/// The device for the engines that this process builds and loads now: setDevice()'s, else TENON_DEVICE's, else the
/// best. Any thread. \return null where TENON_DEVICE names no device of this machine; setDevice() with its value tells
/// why. The text
///         lives until this thread's next call.
inline char const* getDevice() noexcept { return tenonGetDevice(); }

/// What the device is and what computes on it, for people: processor, instruction set, libraries. Any thread.
/// \return null where there is no such device. The text lives until this thread's next call.
inline char const* describeDevice(char const* device) noexcept { return tenonDescribeDevice(device); }

/// How many threads a run on the CPU uses unless setMaxThreads() says otherwise, and why, for people: "2 threads (2
/// CPUs in the affinity, no cgroup quota, load 0.41)". Any thread. \return null where TENON_THREADS is no number from 1
/// to 1024. The text lives until this thread's next call.
inline char const* describeThreads() noexcept { return tenonDescribeThreads(); }

} // namespace tenon

#endif // TENON_DEVICE_H
