// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "outputs.h"

#include "element.h"
#include "specs.h"
#include "text.h"

namespace trtexec {
namespace {

std::string values(Binding const& binding, std::string_view separator) {
    std::string text;
    TensorLayout const& layout = binding.layout();
    for (int64_t i = 0; i < layout.elements(); ++i) {
        if (i > 0) text += separator;
        text += elementText(layout.type, binding.host().data(), layout.position(i));
    }
    return text;
}

/// As numbers separated by 'x', which scripts split; empty for a scalar.
std::string extents(nvinfer1::Dims const& dims) { return joined(std::span(dims.d, size_t(dims.nbDims)), "x"); }

} // namespace

std::string outputsText(Bindings const& bindings) {
    std::string text = "Output Tensors:\n";
    for (auto const& binding : bindings) {
        if (!binding->isInput())
            text +=
                concat(binding->name(), ": (", dimsText(binding->layout().dims), ")\n", values(*binding, " "), '\n');
    }
    return text;
}

std::string outputsJson(Bindings const& bindings) {
    std::vector<std::string> entries;
    for (auto const& binding : bindings) {
        if (binding->isInput()) continue;
        entries.push_back(concat("{ \"name\" : ", jsonString(binding->name()), "\n  , \"dimensions\" : \"",
                                 extents(binding->layout().dims), "\"\n  , \"values\" : [ ", values(*binding, ", "),
                                 " ]\n  }"));
    }
    return concat("[\n  ", joined(entries, "\n, "), "\n]\n");
}

std::string rawFileName(Binding const& binding) {
    TensorLayout const& layout = binding.layout();
    std::string name =
        concat(binding.name(), binding.isInput() ? ".input." : ".output.",
               joined(std::span(layout.dims.d, size_t(layout.dims.nbDims)), "."), '.', nameOf(layout.type), ".raw");
    for (char& c : name) {
        if (c == '/' || c == '\\' || c == ':') c = '_';
    }
    return name;
}

} // namespace trtexec
