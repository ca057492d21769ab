// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/log.h"
#include "graph/format.h"

namespace tenon::trt {

/// The device that engines are built for and run on (tenon/device.h), named in the log. An Error where the name that
/// was given is none, or is no device of this machine.
Device wantedDevice(Log const& log);

} // namespace tenon::trt
