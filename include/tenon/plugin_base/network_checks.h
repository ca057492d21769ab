// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// What a plugin that is a network promises of its tensors, as layers: the plugin is not there to check a run.
#ifndef TENON_PLUGIN_BASE_NETWORK_CHECKS_H
#define TENON_PLUGIN_BASE_NETWORK_CHECKS_H

#ifndef TENON_PLUGIN_BASE_H
#error "tenon/plugin_base.h includes this where it belongs: include that instead."
#endif

#include "tenon/api/tensor.h"
#include "tenon/plugin_base/shape_pattern.h"

namespace tenon {
inline namespace TENON_PLUGIN_BASE {
namespace TENON_PLUGIN_HOSTING {

/// Checks in a network that tensors are what a signature says, by what its letters stand for.
class NetworkChecks {
public:
    NetworkChecks(char const* plugin, nvinfer1::INetworkDefinition& network, ShapeBindings const& bindings,
                  NetworkPlugin::NetworkTensors inputs)
        : plugin_(plugin), network_(network), bindings_(bindings), inputs_(inputs) {}

    /// Of an input or output. Nothing where several shapes of the pattern have its rank: which of them holds is open.
    void expect(char const* what, nvinfer1::ITensor& tensor, ShapePattern const& pattern) {
        Dims const dims = tensor.getDimensions();
        std::vector<ShapeBindings::Binding> fitting;
        int32_t found = 0;
        for (ShapePattern::Shape const& shape : pattern.shapes()) {
            std::vector<ShapeBindings::Binding> const expected = bindings_.expected(shape, dims.nbDims);
            if (int32_t(expected.size()) != dims.nbDims) continue;
            fitting = expected;
            ++found;
        }
        if (found != 1) return;
        for (int32_t axis = 0; axis < dims.nbDims; ++axis)
            expectExtent(what, tensor, axis, pattern, fitting[size_t(axis)]);
    }

private:
    void expectExtent(char const* what, nvinfer1::ITensor& tensor, int32_t axis, ShapePattern const& pattern,
                      ShapeBindings::Binding const& expected) {
        bool const isSame = expected.axis >= 0;
        if (!isSame && expected.extent < 0) return;
        nvinfer1::ITensor* const like = isSame ? inputs_[expected.input] : nullptr;
        if (like == &tensor && expected.axis == axis) return;
        int64_t const found = tensor.getDimensions().d[axis];
        int64_t const wanted = isSame ? like->getDimensions().d[expected.axis] : expected.extent;
        if (found >= 0 && found == wanted) return;
        std::string const text = std::string(plugin_) + ": extent " + decimal(axis) + " of " + what + " '" +
                                 pattern.slot().name + "' is not that of its shape, " + readable(pattern.slot().shape);
        if (isSame)
            expectSameExtent(network_, tensor, axis, *like, expected.axis, text.c_str());
        else
            tenon::expectExtent(network_, tensor, axis, expected.extent, text.c_str());
    }

    char const* plugin_;
    nvinfer1::INetworkDefinition& network_;
    ShapeBindings const& bindings_;
    NetworkPlugin::NetworkTensors inputs_;
};

/// The name of a type in texts.
inline char const* nameOf(nvinfer1::DataType type) {
    static char const* const names[] = {"FLOAT", "HALF", "INT8",  "INT32", "BOOL", "UINT8",
                                        "FP8",   "BF16", "INT64", "INT4",  "FP4",  "E8M0"};
    size_t const number = size_t(type);
    return number < sizeof names / sizeof *names ? names[number] : "of an unknown type";
}

} // namespace TENON_PLUGIN_HOSTING
} // namespace TENON_PLUGIN_BASE
} // namespace tenon

#endif // TENON_PLUGIN_BASE_NETWORK_CHECKS_H
