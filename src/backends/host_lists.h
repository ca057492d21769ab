// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon {

/// Whether an input steers a node: Layer::readsValuesOf().
bool steers(Node const& node, int input);

/// The inputs that steer a node: constants of the network, or in host memory with each run. They change seldom; a
/// kernel that allocates when they do is allowed to.
class HostLists {
public:
    /// \param isRead whether a kernel that is prepared for known shapes reads an input: perhaps fewer than steer
    HostLists(Node const& node, std::span<Dims const> inputs, bool (*isRead)(Node const& node, int input) = steers);

    bool known() const { return kept_.empty(); } // before any run
    /// Reads what a run brings; true when it is something else than before.
    bool update(Pointers const& pointers);
    /// One an input; without data where it is not read or not there.
    std::vector<HostTensor> const& tensors() const { return tensors_; }

private:
    struct Kept {
        size_t input;
        std::vector<std::byte> bytes;
    };

    std::vector<HostTensor> tensors_;
    std::vector<Kept> kept_; // of the inputs that a run brings
};

/// Labels for the inputs behind those that the variant has: they steer, and stay where shapes are computed, on the
/// host.
void addHostInputs(Node const& node, Variant& variant);

} // namespace tenon
