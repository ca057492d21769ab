// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/streams.h"

namespace tenon::cuda {

Streams const& streams();

} // namespace tenon::cuda
