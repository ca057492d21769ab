// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/convert.h"
#include "backends/cpu/pointwise_loops.h"
#include "backends/kernel.h"
#include "steps/epilogue.h"

#include <functional>

namespace tenon::cpu {

/// How a kernel stores its result: in rows of contiguous elements of one axis.
struct HotRows {
    int axis = -1;       // -1: its steps have no operands with an element for each index
    bool begins = false; // a product may start its sums with such an operand of the first step
    bool adds = false;   // and add the operand of the next one, which is stored like its result
};

/// use(labels) for each combination of labels that the operands of such steps, inputs from `first` on, may have beside
/// a result with this label: like it if they have its shape; else linear, in float32, which is best, or in its type.
void forOperandLabels(Node const& node, size_t first, Label const& result,
                      std::function<void(std::span<Label const>)> const& use);

/// The first steps of a node's epilogue, which its kernel computes on parts of its result while these are in the cache:
/// in float32, without operands, or with operands that are in the order of the result or have an element for each
/// column of it.
class HotSteps {
public:
    HotSteps(PrepareArgs const& args, std::span<EpilogueStep const> steps, HotRows const& rows = {});

    /// The number of these steps.
    size_t count() const { return count_; }
    /// Their estimated cost on one thread.
    double nanoseconds() const { return nanoseconds_; }
    /// Whether run() does nothing.
    bool isEmpty() const { return steps_.empty(); }
    /// Whether run() processes one row of the result at a time.
    bool takesRows() const { return takesRows_; }
    /// Lets a product clamp its result if the first step after those that it starts with or adds is a clamp.
    template <class Product> void clamp(Product& product) const {
        product.clamps = clamp_.has_value();
        if (clamp_) product.least = clamp_->first, product.greatest = clamp_->second;
    }
    /// The values with which products start, one per column; null: none.
    float const* firstSums(Pointers const& pointers) const {
        return begin_ < 0 ? nullptr : static_cast<float const*>(pointers.inputs[begin_]);
    }
    /// The tensor that products add to their result before they clamp it, stored like the result; null: none.
    void const* addend(Pointers const& pointers) const { return addend_ < 0 ? nullptr : pointers.inputs[addend_]; }
    /// The range of clamp().
    std::optional<std::pair<float, float>> const& range() const { return clamp_; }
    /// Elements of the result that are processed at a time.
    struct Part {
        int64_t first; // the offset of the first of them in memory, in elements
        int64_t elements;
        int64_t column = 0; // of the first of them, if the steps process rows
    };
    /// Runs the remaining steps on float32 elements of an output.
    void run(Pointers const& pointers, Part const& part) const {
        if (!isEmpty()) apply(pointers, static_cast<float*>(pointers.outputs[0]) + part.first, part);
    }
    /// Runs the remaining steps on values and stores them as elements of the output, whatever its type.
    void store(Pointers const& pointers, float* values, Part const& part) const;
    /// Parts of equal size: elements of the output and floats between them.
    struct Rows {
        int64_t count, step;
        int64_t pitch = 0;
    };
    /// The same for such parts, starting with `first`.
    void run(Pointers const& pointers, Part first, Rows const& rows) const;
    void store(Pointers const& pointers, float* values, Part first, Rows const& rows) const;

private:
    struct Step {
        StepLoop loop;
        int64_t input; // of the node; -1: none
        bool ofColumns;
        float alpha;
        float beta;
        std::optional<Converter> toFloat; // of an operand that is not float32
        int64_t bytes = 0;                // per element
    };
    void apply(Pointers const& pointers, float* values, Part const& part) const;
    void applyConverted(Step const& step, void const* operand, float* values, int64_t elements) const;

    Converter toOutput_;
    int64_t outputBytes_; // per element
    size_t count_ = 0;
    double nanoseconds_ = 0;
    int64_t begin_ = -1;
    int64_t addend_ = -1;
    std::optional<std::pair<float, float>> clamp_;
    std::vector<Step> steps_; // after these
    bool takesRows_ = false;
};

} // namespace tenon::cpu
