// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "layers/fourier/fourier_loops_cpu.h"

#include <memory>
#include <vector>

namespace tenon::cpu {

/// The transform of N complex numbers, of any number of lanes at once:
///   out[k] = sum over n of in[n] exp(-2πi nk/N)
/// Prime factors of N up to FourierLoops::kMostRadix become passes of their own (Cooley and Tukey 1965), in the order
/// of Stockham, which needs no permutation: each pass reads one array and writes another. A length with a larger prime
/// factor is a convolution with a chirp (Bluestein 1970) by transforms of a length of small factors.
class FourierTransform {
public:
    /// `isRow`: for one lane whose points are neighbours.
    FourierTransform(int64_t points, bool isRow);

    /// What run() needs for this many lanes.
    int64_t scratchFloats(int64_t lanes) const;
    /// Where in its scratch memory run() may read its input, and write its output, both as arrays of parts.
    ComplexOut inputIn(float* scratch, int64_t lanes) const;
    ComplexOut outputIn(float* scratch, int64_t lanes) const;

    /// What goes in as pairs is multiplied by `load`, what comes out by `store`, part by part. `in` and `out` are
    /// different memory.
    struct Ends {
        ComplexIn in;
        ComplexOut out;
        PartFactors load = {};
        PartFactors store = {};
    };
    void run(Ends const& ends, int64_t lanes, float* scratch) const;

private:
    struct Stage {
        int64_t radix = 1;
        int64_t groups = 1;
        int64_t before = 1;
        bool goesAlongGroups = false; // by FourierLoops::first, with factors in its order
        int64_t factors = 0;          // where they begin in the table
        int64_t roots = 0;
    };

    void addStages(std::vector<int64_t> const& radices, bool isRow);
    void addFactors(Stage& stage);
    void makeChirp(bool isRow);
    ComplexOut bufferIn(float* scratch, int64_t number, int64_t lanes) const;
    void runStages(Ends const& ends, int64_t lanes, float* scratch) const;
    void runChirp(Ends const& ends, int64_t lanes, float* scratch) const;

    FourierLoops const& loops_ = bestLoops<FourierLoops>();
    int64_t points_;
    std::vector<Stage> stages_;
    std::vector<float> table_;
    // of a chirp
    std::unique_ptr<FourierTransform const> convolution_; // of at least 2N - 1 points
    std::vector<float> chirp_, chirpBack_, filter_;
};

} // namespace tenon::cpu
