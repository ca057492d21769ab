// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "layers/convolution/weight_layout_cuda.h"

namespace tenon::cuda {

/// What the number of a tactic says: its lowest bit whether float32 factors may be rounded, bit 32 that cuDNN may
/// compile nothing for it, the others the engine.
struct ConvolutionTactic {
    int64_t engine = 0; // in the order of cuDNN's heuristics
    bool roundsFactors = false;
    bool compiles = true;

    ConvolutionTactic(int64_t which, bool rounds, bool mayCompile)
        : engine(which), roundsFactors(rounds), compiles(mayCompile) {}
    explicit ConvolutionTactic(Variant const& variant)
        : engine((variant.tactic & ~kCompilesNothing) / 2), roundsFactors((variant.tactic & 1) != 0),
          compiles((variant.tactic & kCompilesNothing) == 0) {}
    int64_t number() const { return engine * 2 + (roundsFactors ? 1 : 0) + (compiles ? 0 : kCompilesNothing); }

private:
    static constexpr int64_t kCompilesNothing = int64_t{1} << 32;
};

/// Where a kernel finds a tensor when it runs.
struct Place {
    enum class In : uint8_t { Input, Output, Packed, Workspace };
    In in = In::Input;
    size_t at = 0; // number of the input, or bytes from the start
};

/// A plan, and the tensors that it is given in the order that it wants.
struct Planned {
    std::unique_ptr<CudnnPlan> plan;
    std::vector<Place> places;
    size_t fusedSteps = 0;
    bool fusedBias = false;
};

struct ConvolutionPlaces {
    Place x, w, bias;
};

/// A plan of the convolution and of as many of the steps behind it as cuDNN fuses; none where it has no engine for the
/// convolution alone. `x`: the extents of its input, padding included; `slides` say what padding is left to cuDNN.
Planned planConvolution(PrepareArgs const& args, ConvolutionShape const& shape, std::span<FixedSlide const> slides,
                        Dims const& x, ConvolutionPlaces const& places);

} // namespace tenon::cuda
