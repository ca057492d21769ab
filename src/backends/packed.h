// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"
#include "base/error.h"

namespace tenon {

/// What was packed may come from a plan that says anything: an Error where it is less than what is read.
inline void expectPacked(PrepareArgs const& args, size_t bytes) {
    if (args.packed && args.packed->bytes.bytes() < bytes)
        fail(ErrorCode::InvalidPlan, "packed weights have ", args.packed->bytes.bytes(), " bytes; expected ", bytes);
}

/// In float32. Trained weights that decayed to less than 1.2e-38 add nothing to a sum, but each costs the processor a
/// hundred cycles or more: zero stands in for them.
Literal floatWeights(Literal const& literal);

/// Packed weights in strides: constants one after the other, each in a type and an order of its own and with zeros
/// between. A plan restores those of them that had that type from what finish() returns.
class StridedWeights {
public:
    explicit StridedWeights(DataType type) : type_(type) {}

    /// The type of those that are added next.
    void as(DataType type) { type_ = type; }

    /// Behind all that were added before.
    /// \param strides elements to step over in the packed weights for one step along each axis of the constant
    /// \param at where its first element comes to lie, in bytes
    void add(Literal const& constant, Dims const& strides, size_t at = 0);
    /// The same in any order.
    void add(Literal const& constant, ElementOrder order, size_t at);
    /// The same of a constant that is none of the network's.
    void addComputed(Literal const& constant, ElementOrder order, size_t at);
    /// The same by way of floatWeights().
    void addFloats(Literal const& constant, ElementOrder order, size_t at);
    /// The same, dense and row-major.
    void addDense(Literal const& constant, size_t at) { add(constant, rowMajorStrides(constant.dims()), at); }

    /// \param bytes of all of it
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
