// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "caffe/importer.h"

#include <map>
#include <optional>
#include <span>

namespace tenon::caffe {

/// A file of weights: the blobs of each layer, by its name.
class Weights {
public:
    /// Bytes that are there while this object is; none: there is no file.
    explicit Weights(std::optional<std::span<std::byte const>> bytes);

    bool areThere() const { return areThere_; }
    /// Null where the file has none for it. Blobs may stand in the deploy file, too.
    std::vector<proto::Blob> const* find(proto::Layer const& layer) const;

private:
    bool areThere_;
    proto::NetWeights net_;
    std::map<std::string_view, std::vector<proto::Blob> const*> byName_;
};

/// The numbers of a blob, in its shape, as float32. An Error where there are more or fewer than its shape says, or one
/// of them is NaN.
Literal weightsOf(proto::Blob const& blob, std::string_view what);

/// To float16 and back; an Error where one is beyond it.
Literal roundedToHalf(Literal const& numbers, std::string_view what);

/// Numbers that depend on nothing but the layer's name and the blob's.
Literal madeUp(std::string_view layer, size_t blob, Dims const& dims, MadeUp kind);

} // namespace tenon::caffe
