// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"
#include "base/error.h"

namespace tenon {

/// A plan may be malformed: throws an Error if the packed weights are smaller than the kernel reads.
inline void expectPacked(PrepareArgs const& args, size_t bytes) {
    if (args.packed && args.packed->bytes.bytes() < bytes)
        fail(ErrorCode::InvalidPlan, "packed weights have ", args.packed->bytes.bytes(), " bytes; expected ", bytes);
}

/// In float32. Trained weights that decayed to less than 1.2e-38 add nothing to a sum, but each costs the processor a
/// hundred cycles or more: they are replaced by zero.
Literal floatWeights(Literal const& literal);

/// Packed weights in strides: constants one after the other, each in its own type and order, with zeros in gaps. A plan
/// restores the constants that keep their type from the result of finish().
class StridedWeights {
public:
    explicit StridedWeights(DataType type) : type_(type) {}

    /// The type of the constants that are added next.
    void as(DataType type) { type_ = type; }

    /// Appends a constant after those added before.
    /// \param strides elements between neighbors in the packed weights along each axis of the constant
    /// \param at offset of its first element, in bytes
    void add(Literal const& constant, Dims const& strides, size_t at = 0);
    /// The same in any order.
    void add(Literal const& constant, ElementOrder order, size_t at);
    /// The same for a constant that is not one of the network's.
    void addComputed(Literal const& constant, ElementOrder order, size_t at);
    /// The same through floatWeights().
    void addFloats(Literal const& constant, ElementOrder order, size_t at);
    /// The same, dense and row-major.
    void addDense(Literal const& constant, size_t at) { add(constant, rowMajorStrides(constant.dims()), at); }

    /// \param bytes in total
    Packed finish(std::string key, size_t bytes) &&;

    struct Piece {
        PackedElements elements;
        DataType type;
        bool isOfNetwork = true;
    };

private:
    DataType type_;
    std::vector<Piece> pieces_;
};

} // namespace tenon
