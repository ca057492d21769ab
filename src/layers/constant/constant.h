// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// A tensor whose elements are fixed when the engine is built: weights, and the constants of a model.
struct Constant final : LayerOf<Constant> {
    static constexpr std::string_view kKind = "Constant";

    Literal value;
    /// The name by which an application may refit the value in an engine (plan/refit.h); empty: not refittable.
    std::string weights = {};
    bool isOpen = false;   // may be refitted with any value: results computed from it must not depend on the value
    bool isHidden = false; // weights that an application gave to the layer that reads them: not a layer of its own
    /// An importer added layers by the value: another value would need another network.
    bool decides = false;

    int64_t copyOf = -1; // in a plan: the index of the node of the constant of which this one is a copy

    Constant() = default;
    explicit Constant(Literal literal) : value(std::move(literal)) {}

    void fields(Fields& f) override {
        f("value", value);
        if (f.visits("weights", !weights.empty())) f("weights", weights);
        if (f.visits("open", isOpen)) f("open", isOpen);
        if (f.visits("hidden", isHidden)) f("hidden", isHidden);
        if (f.visits("decides", decides)) f("decides", decides);
        if (f.visits("copyOf", copyOf >= 0)) f("copyOf", copyOf);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    Literal const* constant() const override { return &value; }
};

} // namespace tenon
