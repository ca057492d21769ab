// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// Throws an Error with this message if an element of the condition is false: when the network is built, if that is
/// known then, else when the shapes of a run are inferred. Condition [any] bool, a shape tensor; found [any] int32 or
/// int64, a shape tensor, optional: numbers that are appended to the message → no output.
struct Assertion final : LayerOf<Assertion> {
    static constexpr std::string_view kKind = "Assertion";

    std::string message;

    void fields(Fields& f) override { f("message", message); }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    std::string inputName(int input) const override { return input == 0 ? "the condition" : "the found value"; }
    bool readsValuesOf(int /*input*/) const override { return true; }
};

} // namespace tenon
