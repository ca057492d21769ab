// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/dims.h"

#include <span>

namespace tenon {

struct Col2Im;

/// The computation of all kernels of Col2Im; constexpr, so that GPU kernels can call it.
struct ColumnPlaces {
    static constexpr int kMost = Dims::kMaxRank - 2;

    struct Axis {
        int64_t extent; // of the image
        int64_t block;
        int64_t places; // of the block
        int64_t stride, dilation, before;
    };

    int rank = 0;
    int64_t picture = 1; // elements of a channel
    int64_t block = 1;   // elements
    int64_t places = 1;
    Axis axes[kMost] = {};

    ColumnPlaces() = default;
    /// Throws an Error if the block does not fit into the padded image.
    ColumnPlaces(Col2Im const& layer, Dims const& y, std::span<int64_t const> blockExtents);

    /// The sum of a channel's columns for an element of the image.
    template <class Sum, class T> constexpr Sum at(T const* columns, int64_t element) const {
        Sum sum = 0;
        for (int64_t inBlock = 0; inBlock < block; ++inBlock) {
            int64_t const place = placeOf(element, inBlock);
            if (place >= 0) sum += static_cast<Sum>(columns[inBlock * places + place]);
        }
        return sum;
    }

private:
    /// The position of the block when an element of it coincides with one of the image; -1: none.
    constexpr int64_t placeOf(int64_t element, int64_t inBlock) const {
        int64_t place = 0;
        int64_t scale = 1;
        for (int i = rank - 1; i >= 0; --i) {
            Axis const& axis = axes[i];
            int64_t const from = element % axis.extent + axis.before - inBlock % axis.block * axis.dilation;
            if (from < 0 || from % axis.stride != 0 || from / axis.stride >= axis.places) return -1;
            place += from / axis.stride * scale;
            scale *= axis.places;
            element /= axis.extent;
            inBlock /= axis.block;
        }
        return place;
    }
};

} // namespace tenon
