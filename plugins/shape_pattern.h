// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Shapes are written down once, as readers see them, "[B,N,4]|[B,N,C,4]", and these words are what is checked and
// computed:
//
//     4            so many
//     B            a capital letter: any extent, the same wherever the letter stands among the tensors of a plugin
//     ...          at the end: any further extents, the same for all tensors
//     max_boxes    the field of that name (outputs only)
//     B*max_boxes  a product (outputs only)
//     |            between the shapes that an input may have; the first that fits holds
#pragma once

#include "plugin.h"

#include <array>
#include <string>
#include <string_view>

namespace tenon::plugins {

/// What the letters stand for, learnt from input after input.
class ShapeBindings {
public:
    /// Throws std::invalid_argument where `found` is not what the slot says; -1 in it is an extent not known yet.
    void match(size_t input, Slot const& slot, nvinfer1::Dims const& found);

    /// The shape of an output.
    nvinfer1::DimsExprs evaluate(std::string_view pattern, Shapes inputs, Plugin& plugin,
                                 nvinfer1::IExprBuilder& builder) const;

private:
    struct Binding {
        int64_t extent = -1;
        size_t input = 0;
        int32_t axis = -1; // none yet
    };

    bool matchOne(size_t input, std::string_view pattern, nvinfer1::Dims const& found);
    bool matchExtent(size_t input, std::string_view word, nvinfer1::Dims const& found, int32_t axis);
    bool matchRest(size_t input, nvinfer1::Dims const& found, int32_t axis);
    static bool bind(Binding& binding, Binding const& found);
    nvinfer1::IDimensionExpr const* factor(std::string_view word, Shapes inputs, Plugin& plugin,
                                           nvinfer1::IExprBuilder& builder) const;
    std::string known(std::string_view pattern) const;

    std::array<Binding, 26> letters_;
    std::array<Binding, nvinfer1::Dims::MAX_DIMS> rest_;
    int32_t restCount_ = -1; // none yet
};

/// As texts show it: "[B,N,4] or [B,N,C,4]".
std::string readable(std::string_view pattern);

} // namespace tenon::plugins
