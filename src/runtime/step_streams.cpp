// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/step_streams.h"

#include <algorithm>

namespace tenon {

StepStreams::StepStreams(Engine const& engine) : places_(engine.places()), ended_(places_.size()) {
    Streams const& device = *engine.backend().streams(); // otherwise the engine has no auxiliary ones
    for (int i = 0; i < engine.auxStreams(); ++i) own_.push_back(device.makeStream());
    forked_ = device.makeEvent();
    for (size_t step = 0; step < places_.size(); ++step) {
        if (places_[step].isAwaited) ended_[step] = device.makeEvent();
    }
    use({});
}

void StepStreams::use(std::vector<void*> const& streams) {
    streams_.clear();
    for (size_t i = 0; i < own_.size(); ++i) streams_.push_back(i < streams.size() ? streams[i] : own_[i].get());
}

} // namespace tenon
