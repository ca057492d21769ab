// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "caffe/proto.h"

#include <optional>
#include <string>

namespace tenon::caffe {

/// The state for which the network is read: as the file says; else testing, at level 0, in the stage "deploy".
proto::State stateOf(proto::Net const& net);

/// The rule that leaves a layer out in a state, as in the file: `exclude { phase: TEST }`. None: the layer is present.
/// An Error if it has rules of both kinds.
std::optional<std::string> whyLeftOut(proto::Layer const& layer, proto::State const& state);

} // namespace tenon::caffe
