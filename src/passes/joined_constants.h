// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <optional>
#include <span>

namespace tenon {

// Decides when a pass may compute with constants other than the network's; no other code does. Below, fl() rounds to
// float32, u = 2^-24, and a bound holds for all finite x. docs/arithmetic.md is the user documentation.

// ---- Elementwise chains: the same result, bit for bit, for all x.

/// 1/c if x / c = x * (1/c) for all x: c is a power of two from 2^-126 to 2^126, or its negative. Both sides round the
/// same number, since 1/c is then exact. Any other 1/c is rounded: 41 * fl(1/41) is less than 1.
std::optional<double> exactReciprocal(double c);

/// p q if fl(q fl(p x)) = fl((p q) x) for all x. Either of them is 1 or -1: a sign changes no rounding. Or p is ±2^k, k
/// > 0, and |q| >= 1: p x is exact unless it overflows, and then |p q x| >= |p x| overflows, too; p q is exact unless
/// it overflows. (If p or q is below 1, or p is not a power of two, an intermediate overflow, underflow or rounding
/// would get lost.)
std::optional<double> joinedFactors(double p, double q);

// ---- Sums of products: convolutions, products of matrices, attention. Their kernels add in any order, which changes a
// result y = Σ wᵢ xᵢ + b by up to n u (Σ|wᵢ xᵢ| + |b|), where n is the number of terms. A partial sum that overflows
// gives an infinity or NaN in one order and a number in another. The functions below stay within that bound with n + 3
// instead of n.

/// s w, the weight that takes over a factor s of the result, as float32; nullopt if it may not. fl(s w) x differs from
/// s fl(w x) by 2 u |s w x| at most if s w does not underflow. s is finite, |w| and |s w| are 2^60 at most: while Σ|xᵢ|
/// <= 2^67 nothing overflows in either order. An s w below 2^-126 is allowed for w below 2^-100 only, the size of
/// weights that decayed in training: this changes s w x by 2^-126 |x| at most. Except for such weights, only zero
/// becomes zero, so that infinite x and NaN have the same effect.
std::optional<float> scaledWeight(float weight, float factor);

/// The bias of one channel that takes over a factor and a shift: s (Σ wᵢ xᵢ + b) + t = Σ (s wᵢ) xᵢ + (s b + t). The
/// error of fl(s b + t), 2 u (|s b| + |t|), is below that of the two sums, of s b and of t. `sizeOfWeights` gives Σ|s
/// wᵢ| where it matters. nullopt if a number is not finite or above 2^60, or where s b and t cancel (to 2^-8 of them)
/// and are above 2^8 Σ|s wᵢ|: added one after the other they round Σ to few digits, which may be intended, as in (y +
/// 12582912) - 12582912.
std::optional<float> joinedBias(float bias, float factor, float shift, std::function<double()> const& sizeOfWeights);

/// A factor that an attention, or a function recognised in a chain, may apply at another position than the network
/// does: before or after a sum of products, or joined with other factors. 0, or of an absolute value from 2^-32 to
/// 2^32, so that results differ by more than 2 u for each factor only if numbers overflow or underflow that are within
/// 2^32 of the range of floats.
bool isMovableFactor(double factor);
/// Numbers that a normalization may multiply its factor by, before it multiplies x: of an absolute value up to 2^32. If
/// the product underflows, the result changes by less than 2^-80.
bool areMovableScales(std::span<float const> scales);

} // namespace tenon
