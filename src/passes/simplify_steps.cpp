// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/simplify_steps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

namespace tenon {
namespace {

using enum PointwiseOp;

/// Exporters write numbers such as 1/6 with float's precision.
bool near(double a, double b) { return std::abs(a - b) <= 1e-6 * std::abs(b); }

bool isAffine(PointwiseStep const& step, double alpha, double beta) {
    return step.op == Affine && near(step.alpha, alpha) && (beta == 0 ? step.beta == 0 : near(step.beta, beta));
}

struct Range {
    double low;
    double high;
};
std::optional<Range> rangeOf(PointwiseStep const& step) {
    if (step.op == Relu) return Range{0, std::numeric_limits<double>::infinity()};
    if (step.op == Clip) return Range{step.alpha, step.beta};
    return std::nullopt;
}

class Simplifier {
public:
    Simplifier(std::vector<PointwiseStep>& steps, int inputs)
        : steps_(steps), inputs_(inputs), result_(inputs + static_cast<int64_t>(steps.size()) - 1) {}

    void run() {
        bool changed = true;
        while (changed) {
            changed = false;
            for (size_t i = 0; i < steps_.size(); ++i) changed = rewrite(i) || changed;
        }
        keepRead();
    }

private:
    /// The step that computes an operand, when nobody else reads it; null otherwise.
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

    /// Steps that were cut out have no operand.
    static bool isRead(PointwiseStep const& step) { return step.a >= 0; }

    bool rewrite(size_t i) {
        PointwiseStep& step = steps_[i];
        if (!isRead(step)) return false;
        switch (step.op) {
        case Neg: step = {Affine, step.a, -1, -1, 0}; return true;
        case Affine: return dropIdentity(i) || joinAffine(step) || hardSigmoid(step) || scaledTanh(step);
        case Relu:
        case Clip: return joinRanges(step);
        case Prod: return product(step, step.a, step.b) || product(step, step.b, step.a);
        default: return false;
        }
    }

    void cut(PointwiseStep& step) { step.a = step.b = -1; }

    bool dropIdentity(size_t i) {
        PointwiseStep& step = steps_[i];
        int64_t const itself = inputs_ + static_cast<int64_t>(i);
        if (step.alpha != 1 || step.beta != 0 || (itself == result_ && step.a < inputs_)) return false;
        int64_t const before = step.a;
        cut(step);
        for (PointwiseStep& reader : steps_) {
            if (reader.a == itself) reader.a = before;
            if (reader.b == itself) reader.b = before;
        }
        if (itself == result_) result_ = before;
        return true;
    }

    // p (q x + r) + s
    bool joinAffine(PointwiseStep& step) {
        PointwiseStep* const inner = only(step.a, Affine);
        if (inner == nullptr) return false;
        step.beta += step.alpha * inner->beta;
        step.alpha *= inner->alpha;
        step.a = inner->a;
        cut(*inner);
        return true;
    }

    // clip(clip(x))
    bool joinRanges(PointwiseStep& step) {
        PointwiseStep* const inner = only(step.a);
        auto const within = inner == nullptr ? std::nullopt : rangeOf(*inner);
        if (!within) return false;
        Range const outer = *rangeOf(step);
        auto const clipped = [&](double x) { return std::min(std::max(x, outer.low), outer.high); };
        step = {Clip, inner->a, -1, clipped(within->low), clipped(within->high)};
        cut(*inner);
        return true;
    }

    // c clip(p x + q, 0, h) + d = (c h) hardsigmoid(x) + d
    bool hardSigmoid(PointwiseStep& step) {
        PointwiseStep* const clip = only(step.a, Clip);
        if (clip == nullptr || clip->alpha != 0 || clip->beta <= 0 || std::isinf(clip->beta)) return false;
        PointwiseStep* const line = only(clip->a, Affine);
        if (line == nullptr) return false;
        double const most = clip->beta;
        *clip = {HardSigmoid, line->a, -1, line->alpha / most, line->beta / most};
        step.alpha *= most;
        cut(*line);
        return true;
    }

    // p tanh(q x)
    bool scaledTanh(PointwiseStep& step) {
        PointwiseStep* const tanh = step.beta == 0 ? only(step.a, Tanh) : nullptr;
        PointwiseStep* const line = tanh == nullptr ? nullptr : only(tanh->a, Affine);
        if (line == nullptr || line->beta != 0) return false;
        double const q = line->alpha;
        int64_t const x = line->a;
        cut(*line);
        return become(step, tanh, {ScaledTanh, x, -1, step.alpha, q});
    }

    bool product(PointwiseStep& step, int64_t x, int64_t factor) {
        PointwiseStep* const f = only(factor);
        if (f == nullptr || x == factor) return false;
        switch (f->op) {
        case HardSigmoid:
            if (f->a != x || !near(f->alpha, 1 / 6.0) || !near(f->beta, 0.5)) return false;
            return become(step, f, {HardSwish, x});
        case Clip: return hardSwish(step, x, *f);
        case Sigmoid: return swish(step, x, *f);
        case Tanh: return mish(step, x, *f);
        case Affine: return gelu(step, x, *f) || factorOut(step, x, *f);
        default: return false;
        }
    }

    bool become(PointwiseStep& step, PointwiseStep* inner, PointwiseStep const& all) {
        cut(*inner);
        step = all;
        return true;
    }

    /// `inner` computes `function` and the step a multiple of it.
    bool become(PointwiseStep& step, PointwiseStep& inner, PointwiseStep const& function, double multiple) {
        inner = function;
        step = {Affine, inputs_ + (&inner - steps_.data()), -1, multiple, 0};
        return true;
    }

    // x clip(x + 3, 0, 6)
    bool hardSwish(PointwiseStep& step, int64_t x, PointwiseStep& clip) {
        PointwiseStep* const line = only(clip.a, Affine);
        bool const fits = line != nullptr && line->a == x && isAffine(*line, 1, 3) && clip.alpha == 0 && clip.beta == 6;
        if (!fits) return false;
        cut(*line);
        return become(step, clip, {HardSwish, x}, 6);
    }

    // x sigmoid(k x)
    bool swish(PointwiseStep& step, int64_t x, PointwiseStep& sigmoid) {
        if (sigmoid.a == x) return become(step, &sigmoid, {Swish, x, -1, 1});
        PointwiseStep* const line = only(sigmoid.a, Affine);
        if (line == nullptr || line->a != x || line->beta != 0) return false;
        double const k = line->alpha;
        cut(*line);
        return become(step, &sigmoid, {Swish, x, -1, k});
    }

    // x tanh(log(1 + exp(x)))
    bool mish(PointwiseStep& step, int64_t x, PointwiseStep& tanh) {
        PointwiseStep* const softplus = only(tanh.a, Softplus);
        if (softplus == nullptr || softplus->a != x || softplus->alpha != 1 || softplus->beta != 1) return false;
        cut(*softplus);
        return become(step, &tanh, {Mish, x});
    }

    // x (k + k erf(x / sqrt(2)))
    bool gelu(PointwiseStep& step, int64_t x, PointwiseStep& sum) {
        PointwiseStep* const erf = only(sum.a, Erf);
        PointwiseStep* const line = erf == nullptr ? nullptr : only(erf->a, Affine);
        bool const fits = line != nullptr && line->a == x && isAffine(*line, 1 / std::numbers::sqrt2, 0);
        if (!fits || !near(sum.alpha, sum.beta)) return false;
        cut(*erf);
        cut(*line);
        return become(step, sum, {GeluErf, x}, 2 * sum.alpha);
    }

    // x (k y) = k (x y)
    bool factorOut(PointwiseStep& step, int64_t x, PointwiseStep& line) {
        if (line.beta != 0) return false;
        return become(step, line, {Prod, x, line.a}, line.alpha);
    }

    /// Those that the result reads, each after what it reads itself (rewriting may have changed the order).
    void keepRead() {
        std::vector<PointwiseStep> kept;
        std::vector<int64_t> number(steps_.size(), -1);
        keep(result_, kept, number);
        steps_ = std::move(kept);
    }

    /// The new number of an operand.
    int64_t keep(int64_t operand, std::vector<PointwiseStep>& kept, std::vector<int64_t>& number) const {
        if (operand < inputs_) return operand; // -1, too
        auto const i = static_cast<size_t>(operand - inputs_);
        if (number[i] >= 0) return number[i];
        PointwiseStep step = steps_[i];
        step.a = keep(step.a, kept, number);
        step.b = keep(step.b, kept, number);
        kept.push_back(step);
        return number[i] = inputs_ + static_cast<int64_t>(kept.size()) - 1;
    }

    std::vector<PointwiseStep>& steps_;
    int64_t inputs_;
    int64_t result_;
};

} // namespace

void simplifySteps(std::vector<PointwiseStep>& steps, int inputs) { Simplifier(steps, inputs).run(); }

} // namespace tenon
