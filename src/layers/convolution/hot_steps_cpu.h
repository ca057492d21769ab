// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/pointwise_loops.h"
#include "backends/kernel.h"
#include "steps/epilogue.h"

namespace tenon::cpu {

/// The first steps of a node's epilogue, which its kernel computes on parts of its result while these are in the cache:
/// in float32, without operands or with such as lie like the result.
class HotSteps {
public:
    HotSteps(PrepareArgs const& args, std::span<EpilogueStep const> steps);

    /// How many of the steps these are.
    size_t count() const { return count_; }
    /// Whether run() does nothing.
    bool isEmpty() const { return steps_.empty(); }
    /// Has a product clamp its result where the first of the steps does.
    template <class Product> void clamp(Product& product) const {
        product.clamps = clamp_.has_value();
        if (clamp_) product.least = clamp_->first, product.greatest = clamp_->second;
    }
    /// Puts elements of the output through the others, `first` being the place of the first element in memory.
    void run(Pointers const& pointers, int64_t first, int64_t elements) const;

private:
    struct Step {
        StepLoop loop;
        int64_t input; // of the node; -1: none
        float alpha;
        float beta;
    };
    size_t count_ = 0;
    std::optional<std::pair<float, float>> clamp_;
    std::vector<Step> steps_; // after it
};

} // namespace tenon::cpu
