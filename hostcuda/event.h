// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Events as nodes of a graph; the calls are in event.cpp.
#pragma once

#include "stream.h"

namespace hostcuda {

// Called by the thread that executes the stream's work; these throw if the event no longer exists.
void recordEvent(cudaEvent_t event, Stream& stream);
void waitForEvent(cudaEvent_t event);

} // namespace hostcuda
