// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/programs.h"

namespace tenon::cuda {

Programs const& programs();

} // namespace tenon::cuda
