// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "steps/step.h"

#include <optional>
#include <span>

namespace tenon {

/// Fewer steps on `inputs` inputs. Joined constants and ranges give the same numbers bit for bit
/// (passes/joined_constants.h). Hard-swish, swish, mish, gelu and scaled tanh, in the forms in which exporters write
/// them, become one step each: its result is within 2^-20 |x| of the chain's, for finite x up to 2^90; above that
/// chains may overflow where the function does not. `numbers` are the values of inputs that are one number and not
/// refittable, as far as given. Steps whose results are not read are dropped. The last step stays the result.
void simplifySteps(std::vector<PointwiseStep>& steps, int inputs, std::span<std::optional<double> const> numbers = {});

/// The same functions times a number, such as 2 gelu(x) = x (1 + erf(x / sqrt(2))), whose half became part of weights:
/// two steps, within 2^-20 of the number times |x|. For chains that do not become shorter, since a step that is
/// appended may turn the number into 1.
void recogniseMultiples(std::vector<PointwiseStep>& steps, int inputs,
                        std::span<std::optional<double> const> numbers = {});

} // namespace tenon
