// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "caffe/importer.h"

#include <map>
#include <optional>
#include <span>

namespace tenon::caffe {

/// A weights file: the blobs of each layer, by the layer's name.
class Weights {
public:
    /// Bytes that outlive this object; empty: there is no file.
    explicit Weights(std::optional<std::span<std::byte const>> bytes);

    bool areThere() const { return areThere_; }
    /// Null if the file has none for this layer. Blobs may also be in the deploy file.
    std::vector<proto::Blob> const* find(proto::Layer const& layer) const;

private:
    bool areThere_;
    proto::NetWeights net_;
    std::map<std::string_view, std::vector<proto::Blob> const*> byName_;
};

/// The elements of a blob in its shape, as float32. An Error if their number differs from the shape's, or one is NaN.
Literal weightsOf(proto::Blob const& blob, std::string_view what);

/// To float16 and back; an Error if a value is out of range.
Literal roundedToHalf(Literal const& numbers, std::string_view what);

/// Pseudorandom elements that depend only on the names of the layer and the blob.
Literal madeUp(std::string_view layer, size_t blob, Dims const& dims, MadeUp kind);

} // namespace tenon::caffe
