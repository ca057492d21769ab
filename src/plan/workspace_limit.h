// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/error.h"
#include "plan/label_choice.h"

namespace tenon {

/// Which variants take more workspace than a build allows. Found only for variants that were chosen, since telling a
/// kernel's workspace takes getting it ready.
class WorkspaceLimit {
public:
    WorkspaceLimit(Plan const& plan, BuildConfig const& config);

    Device device() const { return plan_.device; }
    /// Measures what was chosen; true where something took too much, is refused from now on and has to be chosen anew.
    bool refuses(std::vector<Candidates>& candidates, LabelChoice const& choice);
    /// Why a variant is no candidate any more, a clause; empty where it is one.
    std::string refusal(Assignment const& choice) const;
    /// An Error where it takes too much when it runs in this way. Weights are packed already.
    void expectFits(Assignment const& choice, int64_t tactic) const;
    /// The bytes that the program allows, as a text; "" where it left them to us.
    std::string describe() const { return kernelsToo_ ? text(limit_) : std::string(); }

private:
    struct Refused {
        Assignment choice;
        size_t bytes;
    };
    bool isMeasured(Assignment const& choice) const;
    size_t bytesOf(Assignment const& choice) const;
    std::string tooMuch(size_t bytes) const;

    Plan const& plan_;
    bool kernelsToo_;
    size_t limit_;
    std::vector<Refused> refused_;
};

} // namespace tenon
