// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Events as nodes of a graph; the calls are in event.cpp.
#pragma once

#include "stream.h"

namespace hostcuda {

// By the thread that does the stream's work; these throw where the event is gone.
void recordEvent(cudaEvent_t event, Stream& stream);
void waitForEvent(cudaEvent_t event);

} // namespace hostcuda
