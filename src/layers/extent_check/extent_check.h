// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// Runs the shape rules of nodes that passes removed wherever shapes are inferred, so that the engine too reports their
/// Errors, which name the node. X_i [any], of which only the shapes are read → no output.
struct ExtentCheck final : LayerOf<ExtentCheck> {
    static constexpr std::string_view kKind = "ExtentCheck";

    /// An extent of an input that has a name in the rules.
    struct Extent {
        std::string name;
        int64_t input = 0;
        int64_t axis = 0;

        void fields(Fields& f);
    };

    /// One input as the rule of a removed node sees it, in these names.
    struct Seen {
        bool present = false;
        DataType type = DataType::Float32;
        Shape shape = {};
        std::vector<Shape> values = {}; // none, or one
        Literal literal = {};           // if the rule reads the elements

        void fields(Fields& f);
    };

    struct Rule {
        std::string node;
        std::string kind;
        std::vector<Seen> inputs;
        std::shared_ptr<Layer> layer; // immutable, so copies share it

        void fields(Fields& f);
    };

    std::vector<Extent> extents;
    std::vector<Rule> rules;

    void fields(Fields& f) override {
        f("extents", extents);
        f("rules", rules);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    bool readsShapeOnly(int /*input*/) const override { return true; }
};

} // namespace tenon
