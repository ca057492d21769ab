// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cuda/epilogue.h"
#include "layers/matrix_multiply/matrix_multiply.h"

#include <numeric>
#include <vector>

namespace tenon::cuda {

inline constexpr int64_t kWord = 16; // bytes that a thread loads at once; tensors are aligned to it

/// The product as it is launched: Y[…][m][n] = Σ A[…][m][k] B[…][k][n], with as few batch axes as possible.
struct Stack {
    struct Axis {
        int64_t extent;
        int64_t a, b, y; // strides, in elements
    };
    MatrixProduct matrix; // its batch is `axes`
    std::vector<Axis> axes;

    int64_t count() const {
        return std::accumulate(axes.begin(), axes.end(), int64_t{1},
                               [](int64_t n, Axis const& x) { return n * x.extent; });
    }
};

/// The factors in device memory; B is packed when the engine was built, or the node's input.
class Operands {
public:
    explicit Operands(PrepareArgs const& args) : packedB_(args.variant.isPacked() ? args.packedData : nullptr) {}
    void const* a(Pointers const& pointers) const { return pointers.inputs[0]; }
    void const* b(Pointers const& pointers) const { return packedB_ != nullptr ? packedB_ : pointers.inputs[1]; }

private:
    void const* packedB_;
};

/// For few rows, or few columns: bound by memory. Null where there are many of both, or K is not contiguous in whole
/// words. `stack` must not be empty.
std::unique_ptr<Executable> makeFewRows(Stack const& stack, PrepareArgs const& args);

/// For integers, whose sums wrap around. No epilogue.
std::unique_ptr<Executable> makeIntegerMatmul(PrepareArgs const& args);

} // namespace tenon::cuda
