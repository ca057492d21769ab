// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/pointwise_loops.h"
#include "backends/kernel.h"
#include "steps/epilogue.h"

namespace tenon::cpu {

/// How a kernel stores its result: elements of one axis are beside each other, rows of them.
struct HotRows {
    int axis = -1;       // -1: its steps have no operands with an element for each of them
    bool begins = false; // the first of the steps may be done by a product that begins with such an operand
};

/// The first steps of a node's epilogue, which its kernel computes on parts of its result while these are in the cache:
/// in float32, without operands or with such as are stored like the result, or have an element for each column of it.
class HotSteps {
public:
    HotSteps(PrepareArgs const& args, std::span<EpilogueStep const> steps, HotRows const& rows = {});

    /// How many of the steps these are.
    size_t count() const { return count_; }
    /// Whether run() does nothing.
    bool isEmpty() const { return steps_.empty(); }
    /// Whether run() takes one row of the result at a time.
    bool takesRows() const { return takesRows_; }
    /// Has a product clamp its result where the first of the steps does.
    template <class Product> void clamp(Product& product) const {
        product.clamps = clamp_.has_value();
        if (clamp_) product.least = clamp_->first, product.greatest = clamp_->second;
    }
    /// What products begin with, an element for each column; null: nothing.
    float const* firstSums(Pointers const& pointers) const {
        return begin_ < 0 ? nullptr : static_cast<float const*>(pointers.inputs[begin_]);
    }
    /// Puts elements of the output through the other steps.
    /// \param first where the first of them is in memory
    /// \param column of the first of them, where the steps take rows
    void run(Pointers const& pointers, int64_t first, int64_t elements, int64_t column = 0) const;

private:
    struct Step {
        StepLoop loop;
        int64_t input; // of the node; -1: none
        bool ofColumns;
        float alpha;
        float beta;
    };
    size_t count_ = 0;
    int64_t begin_ = -1;
    std::optional<std::pair<float, float>> clamp_;
    std::vector<Step> steps_; // after these
    bool takesRows_ = false;
};

} // namespace tenon::cpu
