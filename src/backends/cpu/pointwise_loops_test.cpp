// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/pointwise_loops.h"

#include "base/half.h"
#include "base/text.h"
#include "steps/step.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

namespace tenon::cpu {
namespace {

/// Numbers of all magnitudes and both signs, many of them where activations bend, and an odd number of them.
std::vector<float> samples() {
    std::vector<float> all = {0, -0.0F, INFINITY, -INFINITY, NAN, 1e-45F, -1e-40F, std::numeric_limits<float>::max()};
    for (float size = 1e-42F; size < 1e38F; size *= 1.037F) {
        all.push_back(size);
        all.push_back(-size);
    }
    for (float x = -20; x < 20; x += 0.0131F) all.push_back(x);
    for (float x = -104; x < 104; x += 0.171F) all.push_back(x);
    return all;
}

/// The distance of two floats, in units in the last place of the expected one.
double distance(float found, float expected) {
    if (found == expected || (std::isnan(found) && std::isnan(expected))) return 0;
    if (!std::isfinite(found) || !std::isfinite(expected)) return INFINITY;
    int exponent = 0;
    std::frexp(expected, &exponent);
    return std::abs(static_cast<double>(found) - expected) / std::ldexp(1.0, std::max(exponent - 24, -149));
}

/// The alpha and beta with which the operation is tested.
PointwiseStep stepOf(PointwiseOp op) {
    int64_t const b = operandCount(op) == 2 ? 1 : -1;
    switch (op) {
    case PointwiseOp::Clip: return {op, 0, b, -1.5, 6};
    case PointwiseOp::HardSigmoid: return {op, 0, b, 0.25, 0.5};
    case PointwiseOp::Softplus: return {op, 0, b, 1, 1};
    default: return {op, 0, b, 0.75, 1.25};
    }
}

/// The allowed error: a few units in the last place, or this value if it is larger, because an operand is rounded
/// before a subtraction or the result is subnormal.
double allowed(PointwiseOp op) {
    switch (op) {
    case PointwiseOp::HardSwish: return 4e-7;
    case PointwiseOp::GeluErf: return 1.3e-6; // the factor of x, which is at most 5.2, is off by 2.4e-7
    case PointwiseOp::GeluTanh:
    case PointwiseOp::Swish: return 1e-7;
    case PointwiseOp::Sigmoid:
    case PointwiseOp::Softplus:
    case PointwiseOp::Mish: return 1e-36;
    default: return 0;
    }
}
constexpr double kUnits = 4;

/// Operations whose results are correctly rounded by IEEE 754, as passes require (passes/joined_constants.h).
bool isExact(PointwiseOp op) {
    using enum PointwiseOp;
    constexpr PointwiseOp kExact[]{Affine, HardSigmoid, Sum,       Sub,  Prod, Div, Recip,    Sqrt, Abs,
                                   Neg,    Relu,        LeakyRelu, Clip, Max,  Min, FloorDiv, Fmod, ParametricRelu,
                                   Ceil,   Floor,       Round,     Sign};
    return std::ranges::find(kExact, op) != std::end(kExact);
}

void expectClose(Isa isa, PointwiseOp op, std::vector<float> const& a, std::vector<float> const& b) {
    SCOPED_TRACE(text(op, " on ", nameOf(isa)));
    PointwiseStep const step = stepOf(op);
    std::vector<float> y(a.size());
    loopsFor<PointwiseLoops>(isa)[op](y.data(), a.data(), b.data(), static_cast<float>(step.alpha),
                                      static_cast<float>(step.beta), static_cast<int64_t>(a.size()));
    double worst = 0;
    size_t where = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        float const expected = compute(step, a[i], b[i]);
        double const error = std::abs(y[i] - expected) <= allowed(op) ? 0 : distance(y[i], expected);
        if (error > worst) worst = error, where = i;
    }
    EXPECT_LE(worst, isExact(op) ? 0 : kUnits) << "op(" << a[where] << ", " << b[where] << ") = " << y[where]
                                               << ", expected " << compute(step, a[where], b[where]);
}

TEST(PointwiseLoops, computeEachFunctionToAFewUnitsOfTheLastPlace) {
    auto const a = samples();
    std::vector<float> b(a.rbegin(), a.rend());
    for (Isa isa : availableIsas()) {
        for (int i = 0; i < kPointwiseOps; ++i) {
            auto const op = static_cast<PointwiseOp>(i);
            if (!givesBool(op) && !isOfBits(op)) expectClose(isa, op, a, b);
        }
    }
}

TEST(PointwiseLoops, raiseToUsualPowers) {
    auto const a = samples();
    for (Isa isa : availableIsas()) {
        for (float b : {2.0F, 0.5F, -1.0F, 3.0F, 0.0F, -0.5F, 0.33F, 17.0F, INFINITY, -INFINITY, NAN})
            expectClose(isa, PointwiseOp::Pow, a, std::vector<float>(a.size(), b));
    }
}

TEST(PointwiseLoops, mayWriteToAnOperand) {
    for (Isa isa : availableIsas()) {
        for (int64_t count : {1, 7, 16, 33}) {
            std::vector<float> a(static_cast<size_t>(count), 2);
            std::vector<float> b(static_cast<size_t>(count), 5);
            loopsFor<PointwiseLoops>(isa)[PointwiseOp::Sub](b.data(), a.data(), b.data(), 0, 0, count);
            EXPECT_EQ(b, std::vector<float>(static_cast<size_t>(count), -3));
        }
    }
}

/// Every 16-bit pattern, and floats between, below and above those that 16 bits represent.
TEST(PointwiseLoops, convertTo16BitsAndBack) {
    std::vector<uint16_t> patterns(65536);
    for (size_t i = 0; i < patterns.size(); ++i) patterns[i] = static_cast<uint16_t>(i);
    auto const x = samples();
    for (Isa isa : availableIsas()) {
        SCOPED_TRACE(nameOf(isa));
        PointwiseLoops const& loops = loopsFor<PointwiseLoops>(isa);
        std::vector<float> wide(patterns.size());
        std::vector<uint16_t> narrow(x.size());
        loops.fromFloat16(wide.data(), patterns.data(), 65536);
        for (size_t i = 0; i < wide.size(); ++i) ASSERT_EQ(distance(wide[i], Half::toFloat(patterns[i])), 0) << i;
        loops.toFloat16(narrow.data(), x.data(), static_cast<int64_t>(x.size()));
        for (size_t i = 0; i < x.size(); ++i)
            ASSERT_EQ(distance(Half::toFloat(narrow[i]), Half::toFloat(Half(x[i]).bits)), 0) << x[i];
        loops.fromBFloat16(wide.data(), patterns.data(), 65535);
        for (size_t i = 0; i < 65535; ++i)
            ASSERT_EQ(distance(wide[i], std::bit_cast<float>(uint32_t{patterns[i]} << 16)), 0);
        loops.toBFloat16(narrow.data(), x.data(), static_cast<int64_t>(x.size()));
        for (size_t i = 0; i < x.size(); ++i) {
            if (std::isnan(x[i])) continue;
            ASSERT_EQ(narrow[i], BFloat16(x[i]).bits) << x[i];
        }
    }
}

} // namespace
} // namespace tenon::cpu
