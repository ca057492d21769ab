// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "steps/pointwise_op.h"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace tenon {

/// Whether an operation is defined for integers.
constexpr bool hasIntegerStep(PointwiseOp op) {
    using enum PointwiseOp;
    return op == Relu || op == Clip || op == Abs || op == Neg || op == Sign || op == Not || isElementwise(op);
}

/// The integer nearest to a bound, which may be outside the type's range (an absent one is infinite), truncated.
template <class X> X nearest(double value) {
    if (value >= static_cast<double>(std::numeric_limits<X>::max())) return std::numeric_limits<X>::max();
    if (value <= static_cast<double>(std::numeric_limits<X>::min())) return std::numeric_limits<X>::min();
    return static_cast<X>(value);
}

/// One operation on integers of one type: it wraps around, and division by zero gives 0. Inlined, so that a constant
/// `op` costs nothing. `low` and `high` are the bounds of Clip.
template <class X> class IntegerStep {
public:
    X low = 0;
    X high = 0;

    [[gnu::always_inline]] constexpr X operator()(PointwiseOp op, X a, X b) const {
        switch (op) {
        case PointwiseOp::Relu: return std::max<X>(a, 0);
        case PointwiseOp::Clip: return std::min(std::max(a, low), high);
        case PointwiseOp::Abs: return isNegative(a) ? wrapped(-bits(a)) : a;
        case PointwiseOp::Neg: return wrapped(-bits(a));
        case PointwiseOp::Sign: return static_cast<X>((a > 0) - isNegative(a));
        case PointwiseOp::Not: return a == 0;
        case PointwiseOp::Sum: return wrapped(bits(a) + bits(b));
        case PointwiseOp::Prod: return wrapped(bits(a) * bits(b));
        case PointwiseOp::Max: return std::max(a, b);
        case PointwiseOp::Min: return std::min(a, b);
        case PointwiseOp::Sub: return wrapped(bits(a) - bits(b));
        case PointwiseOp::Div: return quotient(a, b);
        case PointwiseOp::Pow: return power(a, b);
        case PointwiseOp::FloorDiv: return floorQuotient(a, b);
        case PointwiseOp::And: return a != 0 && b != 0;
        case PointwiseOp::Or: return a != 0 || b != 0;
        case PointwiseOp::Xor: return (a != 0) != (b != 0);
        case PointwiseOp::Equal: return a == b;
        case PointwiseOp::Greater: return a > b;
        case PointwiseOp::Less: return a < b;
        case PointwiseOp::ParametricRelu: return isNegative(a) ? wrapped(bits(a) * bits(b)) : a;
        case PointwiseOp::Mod: return floorRest(a, b);
        case PointwiseOp::Fmod: return rest(a, b);
        case PointwiseOp::BitAnd: return wrapped(bits(a) & bits(b));
        case PointwiseOp::BitOr: return wrapped(bits(a) | bits(b));
        case PointwiseOp::BitXor: return wrapped(bits(a) ^ bits(b));
        case PointwiseOp::ShiftLeft: return inWidth(b) ? wrapped(bits(a) << bits(b)) : 0;
        case PointwiseOp::ShiftRight: return inWidth(b) ? static_cast<X>(a >> b) : wrapped(isNegative(a) ? kOnes : 0);
        default: return 0; // hasIntegerStep() says no
        }
    }

private:
    // Unsigned arithmetic wraps around, signed arithmetic must not; narrow types would be promoted to int.
    static constexpr bool kSigned = std::is_signed_v<X>;
    static constexpr uint64_t kOnes = ~uint64_t{0};
    static constexpr bool inWidth(X bit) { return bits(bit) < 8 * sizeof(X); } // false for negative values too
    static constexpr bool isNegative(X value) {
        if constexpr (kSigned)
            return value < 0;
        else
            return false;
    }
    static constexpr uint64_t bits(X value) { return static_cast<uint64_t>(value); }
    static constexpr X wrapped(uint64_t value) { return static_cast<X>(value); }

    static constexpr X quotient(X a, X b) {
        if (b == 0) return 0;
        if (kSigned && b == static_cast<X>(-1)) return wrapped(-bits(a)); // the minimum / -1 traps
        return static_cast<X>(a / b);
    }
    static constexpr X rest(X a, X b) {
        return b == 0 || (kSigned && b == static_cast<X>(-1)) ? 0 : static_cast<X>(a % b);
    }
    static constexpr X floorQuotient(X a, X b) {
        return static_cast<X>(quotient(a, b) - (rest(a, b) != 0 && isNegative(a) != isNegative(b) ? 1 : 0));
    }
    static constexpr X floorRest(X a, X b) {
        X const left = rest(a, b);
        return left != 0 && isNegative(left) != isNegative(b) ? static_cast<X>(left + b) : left;
    }
    static constexpr X power(X a, X b) {
        if (isNegative(b))
            return a == 1 || (a == static_cast<X>(-1) && b % 2 == 0) ? 1 : a == static_cast<X>(-1) ? a : 0;
        uint64_t result = 1; // and 1 / a^-b towards zero above
        for (uint64_t base = bits(a); b != 0; b = static_cast<X>(b / 2), base *= base) {
            if (b % 2 != 0) result *= base;
        }
        return wrapped(result);
    }
};

} // namespace tenon
