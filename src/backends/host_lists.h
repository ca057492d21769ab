// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon {

/// Whether the values of an input affect how the node is computed: Layer::readsValuesOf().
bool steers(Node const& node, int input);

/// The inputs whose values affect how a node is computed: constants of the network, or in host memory with each run.
/// They change seldom; a kernel may allocate when they do.
class HostLists {
public:
    /// \param isRead whether a kernel prepared for known shapes reads an input: possibly only some of them
    HostLists(Node const& node, std::span<Dims const> inputs, bool (*isRead)(Node const& node, int input) = steers);

    bool known() const { return kept_.empty(); } // before any run
    /// Reads the values of a run; returns true if they have changed.
    bool update(Pointers const& pointers);
    /// One per input; without data if it is not read or absent.
    std::vector<HostTensor> const& tensors() const { return tensors_; }

private:
    struct Kept {
        size_t input;
        std::vector<std::byte> bytes;
    };

    std::vector<HostTensor> tensors_;
    std::vector<Kept> kept_; // of the inputs with values in each run
};

/// Adds labels for the inputs after those of the variant: their values affect shapes, so they stay on the host.
void addHostInputs(Node const& node, Variant& variant);

} // namespace tenon
