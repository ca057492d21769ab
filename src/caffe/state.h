// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "caffe/proto.h"

#include <optional>
#include <string>

namespace tenon::caffe {

/// What the network is read for: what the file says; else testing, at level 0, in the stage "deploy".
proto::State stateOf(proto::Net const& net);

/// The rule by which a layer is not there in a state, as the file has it: `exclude { phase: TEST }`. None: it is there.
/// An Error where it has rules of both kinds.
std::optional<std::string> whyLeftOut(proto::Layer const& layer, proto::State const& state);

} // namespace tenon::caffe
