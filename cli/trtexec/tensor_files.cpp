// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "tensor_files.h"

#include "../tenon/npy.h"
#include "element.h"
#include "text.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>

namespace trtexec {
namespace {

using nvinfer1::DataType;
using tenon::cli::Element;

template <class T, class Read> std::string converted(TensorValue const& tensor, Read const& read) {
    std::vector<T> values(static_cast<size_t>(tensor.elements()));
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<T>(read(tensor.type, tensor.memory(), static_cast<int64_t>(i)));
    return {reinterpret_cast<char const*>(values.data()), values.size() * sizeof(T)};
}

void writeRows(std::string& text, TensorValue const& tensor, size_t axis, int64_t& next) {
    std::string const indent(axis, ' ');
    text += concat(indent, '[');
    if (axis + 1 < tensor.dims.size()) {
        text += '\n';
        for (int64_t i = 0; i < tensor.dims[axis]; ++i) writeRows(text, tensor, axis + 1, next);
        text += indent;
    } else {
        for (int64_t i = 0; i < tensor.dims[axis]; ++i)
            text += concat(i > 0 ? " " : "", elementText(tensor.type, tensor.memory(), next++));
    }
    text += "]\n";
}

std::string jsonNumber(double value) {
    std::string const text = number(value);
    return std::isfinite(value) ? text : jsonString(text);
}

/// Of floating point numbers; with a NaN the mean is NaN, but minimum and maximum ignore it.
std::string realStatistics(TensorValue const& tensor) {
    float least = INFINITY;
    float most = -INFINITY;
    double sum = 0;
    for (int64_t i = 0; i < tensor.elements(); ++i) {
        float const value = realElement(tensor.type, tensor.memory(), i);
        least = std::fmin(least, value);
        most = std::fmax(most, value);
        sum += double{value};
    }
    return concat("\"min\": ", jsonNumber(double{least}), ", \"max\": ", jsonNumber(double{most}),
                  ", \"avg\": ", jsonNumber(sum / static_cast<double>(tensor.elements())));
}

std::string integerStatistics(TensorValue const& tensor) {
    int64_t least = integerElement(tensor.type, tensor.memory(), 0);
    int64_t most = least;
    double sum = 0;
    for (int64_t i = 0; i < tensor.elements(); ++i) {
        int64_t const value = integerElement(tensor.type, tensor.memory(), i);
        least = std::min(least, value);
        most = std::max(most, value);
        sum += static_cast<double>(value);
    }
    return concat("\"min\": ", least, ", \"max\": ", most,
                  ", \"avg\": ", number(sum / static_cast<double>(tensor.elements())));
}

std::string firstAndLast(TensorValue const& tensor) {
    constexpr int64_t kEach = 5;
    int64_t const count = tensor.elements();
    std::vector<std::string> shown;
    for (int64_t i = 0; i < count; ++i) {
        bool const isLeftOut = i >= kEach && i < count - kEach;
        if (!isLeftOut) shown.push_back(elementText(tensor.type, tensor.memory(), i));
        if (!isLeftOut || i != kEach) continue;
        shown.push_back("...");
        i = count - kEach - 1;
    }
    return joined(shown, ", ");
}

} // namespace

int64_t TensorValue::elements() const {
    int64_t count = 1;
    for (int64_t const extent : dims) count *= extent;
    return count;
}

NumpyFile numpyFile(TensorValue const& tensor) {
    tenon::cli::Array array{Element::Int8, tensor.dims, {}};
    std::optional<Element> const element = tenon::cli::elementOf(tensor.type);
    if (element && tenon::cli::hasNumpyType(*element)) {
        array.element = *element;
        array.bytes = tensor.bytes;
        return {printNpy(array), ".npy"};
    }
    if (isReal(tensor.type)) {
        array.element = Element::Float32;
        array.bytes = converted<float>(tensor, realElement);
        return {printNpy(array), "_to_float.npy"};
    }
    array.bytes = converted<int8_t>(tensor, integerElement);
    return {printNpy(array), "_to_int8.npy"};
}

std::string nestedText(TensorValue const& tensor) {
    if (tensor.elements() == 0) return "[]\n";
    if (tensor.dims.empty()) return concat(elementText(tensor.type, tensor.memory(), 0), '\n');
    std::string text;
    int64_t next = 0;
    writeRows(text, tensor, 0, next);
    return text;
}

std::string statisticsJson(TensorValue const& tensor) {
    std::string const numbers = tensor.elements() == 0 ? "\"min\": null, \"max\": null, \"avg\": null"
                                : isReal(tensor.type)  ? realStatistics(tensor)
                                                       : integerStatistics(tensor);
    return concat("{ ", numbers, ", \"elements\": ", jsonString(firstAndLast(tensor)), " }");
}

std::string safeFileName(std::string_view name) {
    constexpr size_t kLongest = 150;
    constexpr size_t kHalf = (kLongest - 3) / 2;
    std::string file(name);
    if (file.size() > kLongest) file = concat(file.substr(0, kHalf), "...", file.substr(file.size() - kHalf));
    for (char& character : file) {
        bool const isKept = std::isalnum(static_cast<unsigned char>(character)) != 0 ||
                            std::string_view("._-,").find(character) != std::string_view::npos;
        if (!isKept) character = '_';
    }
    return file;
}

} // namespace trtexec
