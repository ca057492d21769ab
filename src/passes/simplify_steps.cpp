// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/simplify_steps.h"

#include "passes/joined_constants.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

namespace tenon {
namespace {

using enum PointwiseOp;

/// Exporters write numbers such as 1/6 in float precision, or with six digits.
bool near(double a, double b) { return std::abs(a - b) <= 5e-7 * std::abs(b); }

struct Range {
    double low;
    double high;
};
std::optional<Range> rangeOf(PointwiseStep const& step) {
    if (step.op == Relu) return Range{0, std::numeric_limits<double>::infinity()};
    if (step.op == Clip) return Range{step.alpha, step.beta};
    return std::nullopt;
}

/// A function of x that is x times a factor that depends on x, such as swish: `multiple` times `step`, whose operand is
/// x.
struct Function {
    PointwiseStep step;
    double multiple = 1;
};

class Simplifier {
public:
    Simplifier(std::vector<PointwiseStep>& steps, int inputs, std::span<std::optional<double> const> numbers)
        : steps_(steps), numbers_(numbers), inputs_(inputs), result_(inputs + static_cast<int64_t>(steps.size()) - 1) {}

    void run() {
        rewriteAll([this](size_t i) { return rewrite(i); });
        keepRead();
    }

    void recogniseMultiples() {
        rewriteAll([this](size_t i) { return multipleByShare(steps_[i]); });
        keepRead();
    }

private:
    /// The step that computes an operand, if it is read once; null otherwise.
    PointwiseStep* only(int64_t operand) {
        if (operand < inputs_ || operand == result_) return nullptr;
        int64_t reads = 0;
        for (PointwiseStep const& step : steps_) {
            if (!isRead(step)) continue;
            reads += (step.a == operand ? 1 : 0) + (step.b == operand ? 1 : 0);
        }
        return reads == 1 ? &steps_[static_cast<size_t>(operand - inputs_)] : nullptr;
    }
    PointwiseStep* only(int64_t operand, PointwiseOp op) {
        PointwiseStep* const step = only(operand);
        return step != nullptr && step->op == op ? step : nullptr;
    }

    /// Removed steps have no operand.
    static bool isRead(PointwiseStep const& step) { return step.a >= 0; }

    template <class Rewrite> void rewriteAll(Rewrite const& rewrite) {
        bool changed = true;
        while (changed) {
            changed = false;
            for (size_t i = 0; i < steps_.size(); ++i) {
                if (!isRead(steps_[i]) || !rewrite(i)) continue;
                changed = true;
                cutUnread();
            }
        }
    }

    bool rewrite(size_t i) {
        PointwiseStep& step = steps_[i];
        switch (step.op) {
        case Neg: step = {Affine, step.a, -1, -1, 0}; return true;
        case Affine: return dropIdentity(i) || joinAffine(step) || multipleOfFunction(step) || scaledTanh(step);
        case Relu:
        case Clip: return joinRanges(step) || hardSigmoid(step);
        case Prod: return function(step, step);
        case Div: return multipleOfFunction(step);
        default: return false;
        }
    }

    /// Steps that the result does not depend on do not count as readers.
    void cutUnread() {
        std::vector<bool> read(static_cast<size_t>(inputs_) + steps_.size(), false);
        std::vector<int64_t> open{result_};
        while (!open.empty()) {
            int64_t const operand = open.back();
            open.pop_back();
            if (operand < 0 || read[static_cast<size_t>(operand)]) continue;
            read[static_cast<size_t>(operand)] = true;
            if (operand < inputs_) continue;
            PointwiseStep const& step = steps_[static_cast<size_t>(operand - inputs_)];
            open.insert(open.end(), {step.a, step.b});
        }
        for (size_t i = 0; i < steps_.size(); ++i) {
            if (!read[static_cast<size_t>(inputs_) + i]) steps_[i].a = steps_[i].b = -1;
        }
    }

    bool dropIdentity(size_t i) {
        PointwiseStep const& step = steps_[i];
        int64_t const itself = inputs_ + static_cast<int64_t>(i);
        if (step.alpha != 1 || step.beta != 0 || (itself == result_ && step.a < inputs_)) return false;
        int64_t const before = step.a;
        for (PointwiseStep& reader : steps_) {
            if (reader.a == itself) reader.a = before;
            if (reader.b == itself) reader.b = before;
        }
        if (itself == result_) result_ = before;
        return true;
    }

    // p (q x) + s
    bool joinAffine(PointwiseStep& step) {
        PointwiseStep const* const inner = only(step.a, Affine);
        auto const both = inner && inner->beta == 0 ? joinedFactors(inner->alpha, step.alpha) : std::nullopt;
        if (!both) return false;
        step.alpha = *both;
        step.a = inner->a;
        return true;
    }

    // clip(clip(x))
    bool joinRanges(PointwiseStep& step) {
        PointwiseStep const* const inner = only(step.a);
        auto const within = inner == nullptr ? std::nullopt : rangeOf(*inner);
        if (!within) return false;
        Range const outer = *rangeOf(step);
        auto const clipped = [&](double x) { return std::min(std::max(x, outer.low), outer.high); };
        step = {Clip, inner->a, -1, clipped(within->low), clipped(within->high)};
        return true;
    }

    // clip(p x + q, 0, 1)
    bool hardSigmoid(PointwiseStep& step) {
        bool const isUnit = step.op == Clip && step.alpha == 0 && step.beta == 1;
        PointwiseStep const* const line = isUnit ? only(step.a, Affine) : nullptr;
        if (line == nullptr) return false;
        step = {HardSigmoid, line->a, -1, line->alpha, line->beta};
        return true;
    }

    // p tanh(q x)
    bool scaledTanh(PointwiseStep& step) {
        PointwiseStep const* const tanh = step.beta == 0 ? only(step.a, Tanh) : nullptr;
        PointwiseStep const* const line = tanh == nullptr ? nullptr : only(tanh->a, Affine);
        if (line == nullptr || line->beta != 0) return false;
        step = {ScaledTanh, line->a, -1, step.alpha, line->alpha};
        return true;
    }

    // ---- functions that are x times a factor of x

    /// The number that a step multiplies its first operand by, if it does nothing else.
    std::optional<double> factorOf(PointwiseStep const& step) const {
        auto factor = step.op == Affine && step.beta == 0 ? std::optional(step.alpha) : std::nullopt;
        auto const divisor = step.op == Div ? numberOf(step.b) : std::nullopt;
        if (divisor && *divisor != 0) factor = 1 / *divisor;
        return factor && isMovableFactor(*factor) ? factor : std::nullopt;
    }
    std::optional<double> numberOf(int64_t operand) const {
        return operand < std::ssize(numbers_) ? numbers_[static_cast<size_t>(operand)] : std::nullopt;
    }

    /// The operand of a multiple k x that is read once, and k.
    struct Multiple {
        int64_t of;
        double factor;
    };
    std::optional<Multiple> multipleIn(int64_t operand) {
        PointwiseStep const* const step = only(operand);
        auto const factor = step == nullptr ? std::nullopt : factorOf(*step);
        return factor ? std::optional(Multiple{step->a, *factor}) : std::nullopt;
    }

    /// `step` becomes the function that `product` computes.
    bool function(PointwiseStep& step, PointwiseStep const& product, double factor = 1) {
        for (auto const& [x, share] : {std::pair(product.a, product.b), std::pair(product.b, product.a)}) {
            auto const found = functionOf(x, share);
            if (!found || !near(found->multiple * factor, 1)) continue;
            step = found->step;
            return true;
        }
        return false;
    }

    // k (x share(x)), plus a number
    bool multipleOfFunction(PointwiseStep& step) {
        double const beta = step.op == Affine ? step.beta : 0;
        PointwiseStep* const product = only(step.a, Prod);
        auto const factor = step.op == Affine ? std::optional(step.alpha) : factorOf(step);
        if (!product || !factor || !function(*product, *product, *factor)) return false;
        step = {Affine, step.a, -1, 1, beta};
        return true;
    }

    // x (k share(x)) = k f(x); the step of the share computes f
    bool multipleByShare(PointwiseStep& step) {
        if (step.op != Prod) return false;
        for (auto const& [x, share] : {std::pair(step.a, step.b), std::pair(step.b, step.a)}) {
            auto const found = functionOf(x, share);
            if (!found || !isMovableFactor(found->multiple)) continue;
            steps_[static_cast<size_t>(share - inputs_)] = found->step;
            step = {Affine, share, -1, found->multiple, 0};
            return true;
        }
        return false;
    }

    /// x share(x), both possibly times a number.
    std::optional<Function> functionOf(int64_t x, int64_t share) {
        if (x == share) return std::nullopt;
        auto found = shareOf(share);
        if (!found || found->step.a == x) return found;
        auto const multiple = multipleIn(x);
        if (!multiple || multiple->of != found->step.a) return std::nullopt;
        found->multiple *= multiple->factor;
        return found;
    }

    std::optional<Function> shareOf(int64_t operand) {
        PointwiseStep const* const step = only(operand);
        if (step == nullptr) return std::nullopt;
        if (auto const factor = factorOf(*step)) {
            auto found = shareOf(step->a);
            if (found) found->multiple *= *factor;
            return found;
        }
        switch (step->op) {
        case HardSigmoid:
            if (!near(step->alpha, 1 / 6.0) || step->beta != 0.5) return std::nullopt;
            return Function{{HardSwish, step->a}};
        case Clip: return hardSwishOf(*step);
        case Sigmoid: return swishOf(*step);
        case Tanh: return mishOf(*step);
        case Affine: return geluOf(*step);
        default: return std::nullopt;
        }
    }

    // clip(x + 3, 0, 6)
    std::optional<Function> hardSwishOf(PointwiseStep const& clip) {
        PointwiseStep const* const line = only(clip.a, Affine);
        bool const fits = line && line->alpha == 1 && line->beta == 3 && clip.alpha == 0 && clip.beta == 6;
        return fits ? std::optional(Function{{HardSwish, line->a}, 6}) : std::nullopt;
    }

    // sigmoid(k x)
    std::optional<Function> swishOf(PointwiseStep const& sigmoid) {
        PointwiseStep const* const line = only(sigmoid.a, Affine);
        if (line == nullptr || line->beta != 0) return Function{{Swish, sigmoid.a, -1, 1}};
        return Function{{Swish, line->a, -1, line->alpha}};
    }

    // tanh(log(1 + exp(x)))
    std::optional<Function> mishOf(PointwiseStep const& tanh) {
        PointwiseStep const* const softplus = only(tanh.a, Softplus);
        bool const fits = softplus && softplus->alpha == 1 && softplus->beta == 1;
        return fits ? std::optional(Function{{Mish, softplus->a}}) : std::nullopt;
    }

    // k + k erf(x / sqrt(2))
    std::optional<Function> geluOf(PointwiseStep const& sum) {
        PointwiseStep const* const erf = only(sum.a, Erf);
        auto const line = erf == nullptr ? std::nullopt : multipleIn(erf->a);
        bool const fits = line && near(line->factor, 1 / std::numbers::sqrt2) && sum.alpha == sum.beta;
        return fits ? std::optional(Function{{GeluErf, line->of}, 2 * sum.alpha}) : std::nullopt;
    }

    /// Those that the result depends on, each after its operands (rewriting may have changed the order).
    void keepRead() {
        std::vector<PointwiseStep> kept;
        std::vector<int64_t> number(steps_.size(), -1);
        keep(result_, kept, number);
        steps_ = std::move(kept);
    }

    /// The new index of an operand.
    int64_t keep(int64_t operand, std::vector<PointwiseStep>& kept, std::vector<int64_t>& number) const {
        if (operand < inputs_) return operand; // also -1
        auto const i = static_cast<size_t>(operand - inputs_);
        if (number[i] >= 0) return number[i];
        PointwiseStep step = steps_[i];
        step.a = keep(step.a, kept, number);
        step.b = keep(step.b, kept, number);
        kept.push_back(step);
        return number[i] = inputs_ + static_cast<int64_t>(kept.size()) - 1;
    }

    std::vector<PointwiseStep>& steps_;
    std::span<std::optional<double> const> numbers_;
    int64_t inputs_;
    int64_t result_;
};

} // namespace

void simplifySteps(std::vector<PointwiseStep>& steps, int inputs, std::span<std::optional<double> const> numbers) {
    Simplifier(steps, inputs, numbers).run();
}

void recogniseMultiples(std::vector<PointwiseStep>& steps, int inputs, std::span<std::optional<double> const> numbers) {
    Simplifier(steps, inputs, numbers).recogniseMultiples();
}

} // namespace tenon
