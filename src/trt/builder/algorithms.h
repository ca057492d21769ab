// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInfer.h"
#include "plan/kernels/candidates.h"
#include "plan/kernels/way_selector.h"
#include "trt/builder/builder_config.h"

namespace tenon::trt {

namespace api = nvinfer1;

/// An application's IAlgorithmSelector as a build calls it: its results are checked, its exceptions become an Error.
class SelectorCall final : public WaySelector {
public:
    /// That of the configuration. With kREJECT_EMPTY_ALGORITHMS an empty selection for a node is an Error, not left to
    /// the build.
    explicit SelectorCall(BuilderConfig const& config)
        : selector_(*config.getAlgorithmSelector()),
          rejectsEmpty_(config.has(api::BuilderFlag::kREJECT_EMPTY_ALGORITHMS)) {}

    std::vector<size_t> select(Plan const& plan, Candidates const& candidates) override;
    /// Reports the choice for each node of the plan, and of the plans inside its nodes, to the application.
    void report(Plan const& plan) const;

private:
    api::IAlgorithmSelector& selector_;
    bool rejectsEmpty_;
};

} // namespace tenon::trt
