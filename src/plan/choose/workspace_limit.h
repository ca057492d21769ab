// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/choose/choose_labels.h"
#include "plan/plugins/begun_plugins.h"

namespace tenon {

/// Rejects variants that need more workspace than a build allows. Only chosen variants are measured, since a kernel
/// must be prepared to report its workspace.
class WorkspaceLimit {
public:
    /// Plugins report their workspace when they are begun.
    WorkspaceLimit(Plan const& plan, BuildConfig const& config, BegunPlugins& plugins);

    Device device() const { return plan_.device; }
    /// Measures the chosen variants. True if one needs too much: it is then refused, and variants must be chosen again.
    bool refuses(std::vector<Candidates>& candidates, LabelChoice const& choice);
    /// Why a variant is refused, as a clause; empty if it is not.
    std::string refusal(Assignment const& choice) const;
    size_t bytes() const { return limit_; }
    /// Whether the limit holds for kernels, not for plugins only.
    bool isForKernels() const { return kernelsToo_; }

private:
    struct Refused {
        Assignment choice;
        size_t bytes;
    };
    bool isMeasured(Assignment const& choice) const;
    size_t bytesOf(Assignment const& choice) const;

    Plan const& plan_;
    BegunPlugins& plugins_;
    bool kernelsToo_;
    size_t limit_;
    std::vector<Refused> refused_;
};

} // namespace tenon
