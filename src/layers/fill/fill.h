// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/philox.h"
#include "graph/layer.h"

#include <array>

namespace tenon {

/// Y, generated from two numbers.
///   Linspace       Y[i0,…,in] = alpha + i0 · beta0 + … + in · betan
///   RandomUniform  from [alpha, beta), floating point
///   RandomNormal   with mean alpha and standard deviation beta, floating point
/// Inputs, each optional: the shape ([n] int32 or int64; the field `dims` if absent), alpha (one element of Y's type;
/// with fixed dimensions, int32 and int64 for each other), beta (likewise; for Linspace [n], one step per axis).
struct Fill final : LayerOf<Fill> {
    static constexpr std::string_view kKind = "Fill";

    enum class Operation { Linspace, RandomUniform, RandomNormal };
    /// The meaning of input 0.
    ///   Shape  the shape of Y
    ///   Limit  one number of Y's type: Y [n] has as many steps from alpha on as there are before it, by Linspace
    enum class Extent { Shape, Limit };
    enum Input { kShape, kAlpha, kBeta, kInputs };

    Operation operation = Operation::Linspace;
    Extent extent = Extent::Shape;
    DataType type = DataType::Float32; // of Y
    std::vector<int64_t> dims;
    double alpha = 0; // if the input is absent
    double beta = 1;
    int64_t alphaInteger = 0; // the same for integers that a double cannot represent
    int64_t betaInteger = 1;
    /// Random numbers are the same in every run, on every device. Without a seed they differ in each run.
    bool seeded = false;
    int64_t seed = 0;

    void fields(Fields& f) override;
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    std::string inputName(int input) const override;
    bool readsValuesOf(int input) const override { return input == kShape || extent == Extent::Limit; }

    bool isRandom() const { return operation != Operation::Linspace; }
    bool varies() const override { return isRandom() && !seeded; }
    /// The stream of the next run.
    RandomStream nextStream() const;
};

std::span<std::string_view const> names(Fill::Operation);
std::span<std::string_view const> names(Fill::Extent);

/// The parameters of Y. Integers are computed as int64, of which Y keeps the lowest bits.
struct FillNumbers {
    std::array<int64_t, Dims::kMaxRank> stepIntegers{};
    std::array<double, Dims::kMaxRank> steps{};
    int64_t alphaInteger = 0;
    double alpha = 0;
};

/// For a result of this rank; `in` may be in any memory that the host can read.
FillNumbers fillNumbersOf(Fill const& layer, std::span<HostTensor const> in, int rank);

/// Two normally distributed numbers from two random words: Box and Muller, "A Note on the Generation of Random Normal
/// Deviates" (1958).
std::array<float, 2> normalsOf(uint32_t word0, uint32_t word1);

} // namespace tenon
