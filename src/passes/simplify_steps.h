// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "steps/step.h"

#include <optional>
#include <span>

namespace tenon {

/// Fewer steps on `inputs` inputs. What is joined of constants and ranges gives the same numbers bit for bit
/// (passes/joined_constants.h). Hard-swish, swish, mish, gelu and scaled tanh, in the forms in which exporters write
/// them, become one step each: its result is within 2^-20 |x| of the chain's, for finite x up to 2^90; above that
/// chains may overflow where the function does not. `numbers` are those of the inputs that are one number in every
/// engine, as far as given. Steps whose results are not read are dropped. The last step stays the result.
void simplifySteps(std::vector<PointwiseStep>& steps, int inputs, std::span<std::optional<double> const> numbers = {});

/// The same functions times a number, such as 2 gelu(x) = x (1 + erf(x / sqrt(2))), whose half became part of weights:
/// two steps, within 2^-20 of the number times |x|. For chains that get no longer, since a step that is appended may be
/// the one that makes the number 1.
void recogniseMultiples(std::vector<PointwiseStep>& steps, int inputs,
                        std::span<std::optional<double> const> numbers = {});

} // namespace tenon
