// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/convert.h"
#include "backends/cpu/pointwise_loops.h"
#include "backends/kernel.h"
#include "steps/epilogue.h"

#include <functional>

namespace tenon::cpu {

/// How a kernel stores its result: elements of one axis are beside each other, rows of them.
struct HotRows {
    int axis = -1;       // -1: its steps have no operands with an element for each of them
    bool begins = false; // the first of the steps may be done by a product that begins with such an operand
    bool adds = false;   // and the next by one that adds an operand which is stored like its result
};

/// use(labels) for each way in which the operands of such steps, inputs from `first` on, may be stored beside a result
/// with this label: like it where they have its shape; else linear, in float32, which is best, or in its type.
void forOperandLabels(Node const& node, size_t first, Label const& result,
                      std::function<void(std::span<Label const>)> const& use);

/// The first steps of a node's epilogue, which its kernel computes on parts of its result while these are in the cache:
/// in float32, without operands or with such as are in the order of the result, or have an element for each column of
/// it.
class HotSteps {
public:
    HotSteps(PrepareArgs const& args, std::span<EpilogueStep const> steps, HotRows const& rows = {});

    /// How many of the steps these are.
    size_t count() const { return count_; }
    /// What they take of one thread, by estimate.
    double nanoseconds() const { return nanoseconds_; }
    /// Whether run() does nothing.
    bool isEmpty() const { return steps_.empty(); }
    /// Whether run() takes one row of the result at a time.
    bool takesRows() const { return takesRows_; }
    /// Has a product clamp its result where the first of the steps does that it does not begin with or add.
    template <class Product> void clamp(Product& product) const {
        product.clamps = clamp_.has_value();
        if (clamp_) product.least = clamp_->first, product.greatest = clamp_->second;
    }
    /// What products begin with, an element for each column; null: nothing.
    float const* firstSums(Pointers const& pointers) const {
        return begin_ < 0 ? nullptr : static_cast<float const*>(pointers.inputs[begin_]);
    }
    /// What products add to their result before they clamp it, stored like it; null: nothing.
    void const* addend(Pointers const& pointers) const { return addend_ < 0 ? nullptr : pointers.inputs[addend_]; }
    /// The range that clamp() speaks of.
    std::optional<std::pair<float, float>> const& range() const { return clamp_; }
    /// What is done to elements of the result, at a time.
    struct Part {
        int64_t first; // where the first of them is in memory, in elements
        int64_t elements;
        int64_t column = 0; // of the first of them, where the steps take rows
    };
    /// Puts elements of an output in float32 through the other steps.
    void run(Pointers const& pointers, Part const& part) const {
        if (!isEmpty()) apply(pointers, static_cast<float*>(pointers.outputs[0]) + part.first, part);
    }
    /// Puts values through the other steps and stores them as elements of the output, whatever its type.
    void store(Pointers const& pointers, float* values, Part const& part) const;
    /// Parts of one size: elements of the output from one to the next, and floats of what is stored there.
    struct Rows {
        int64_t count, step;
        int64_t pitch = 0;
    };
    /// The same of such parts, `first` being the first of them.
    void run(Pointers const& pointers, Part first, Rows const& rows) const;
    void store(Pointers const& pointers, float* values, Part first, Rows const& rows) const;

private:
    struct Step {
        StepLoop loop;
        int64_t input; // of the node; -1: none
        bool ofColumns;
        float alpha;
        float beta;
        std::optional<Converter> toFloat; // of an operand that is not in float32
        int64_t bytes = 0;                // of one element of it
    };
    void apply(Pointers const& pointers, float* values, Part const& part) const;
    void applyConverted(Step const& step, void const* operand, float* values, int64_t elements) const;

    Converter toOutput_;
    int64_t outputBytes_; // of an element
    size_t count_ = 0;
    double nanoseconds_ = 0;
    int64_t begin_ = -1;
    int64_t addend_ = -1;
    std::optional<std::pair<float, float>> clamp_;
    std::vector<Step> steps_; // after these
    bool takesRows_ = false;
};

} // namespace tenon::cpu
