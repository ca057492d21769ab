// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "feeds.h"

#include "failure.h"
#include "npy.h"
#include "small_float.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tenon::cli {
namespace {

using nvinfer1::DataType;

bool fits(std::vector<int64_t> const& dims, std::vector<int64_t> const& open) {
    return std::ranges::equal(dims, open, [](int64_t dim, int64_t wanted) { return wanted < 0 || dim == wanted; });
}

Element elementFor(Port const& port) {
    std::optional<Element> const element = elementOf(port.type);
    if (!element) fail("input ", portText(port), ": .npy has no elements of less than a byte");
    return *element;
}

void check(Array const& array, Port const& port) {
    ElementInfo const& found = infoOf(array.element);
    ElementInfo const& wanted = infoOf(elementFor(port));
    if (found.element != wanted.element) {
        fail("input ", portText(port), ": the file holds ", found.name, "; ",
             hasNumpyType(wanted.element)
                 ? joined("save it with .astype('", wanted.name, "')")
                 : joined("expected the type of that name of ml_dtypes, or raw elements of ", wanted.bytes, " bytes"));
    }
    if (!fits(array.dims, port.dims)) fail("input ", portText(port), ": the file has shape ", shapeText(array.dims));
}

/// A multiple of 1/8 in [-1, 1] as an element of this type; integers and bools are 0 or 1, which are valid indices.
uint64_t sampleBits(DataType type, int eighths) {
    float const value = static_cast<float>(eighths) / 8;
    switch (type) {
    case DataType::kFLOAT: return std::bit_cast<uint32_t>(value);
    case DataType::kHALF: return encode(value, kHalf);
    case DataType::kBF16: return encode(value, kBFloat);
    case DataType::kFP8: return encode(value, kFloat8);
    case DataType::kE8M0: return 127;
    case DataType::kINT8:
    case DataType::kINT32:
    case DataType::kBOOL:
    case DataType::kUINT8:
    case DataType::kINT64:
    case DataType::kINT4:
    case DataType::kFP4: return eighths > 0 ? 1 : 0;
    }
    return 0;
}

/// The same numbers on every run and machine.
Array sample(Port const& port, std::vector<int64_t> const& dims) {
    if (!fits(dims, port.dims)) fail("--shape ", port.name, "=", shapeText(dims), ": the input is ", portText(port));
    Array array{elementFor(port), dims, {}};
    size_t const elementBytes = infoOf(array.element).bytes;
    size_t total = elementBytes;
    for (int64_t const dim : dims) {
        if (__builtin_mul_overflow(total, static_cast<size_t>(dim), &total))
            fail("--shape ", port.name, "=", shapeText(dims), ": more elements than any memory holds");
    }
    array.bytes.resize(total);
    uint32_t state = 1;
    for (size_t at = 0; at < total; at += elementBytes) {
        state = state * 1664525 + 1013904223; // Numerical Recipes' generator
        uint64_t const bits = sampleBits(port.type, static_cast<int>(state >> 28) - 8);
        std::memcpy(array.bytes.data() + at, &bits, elementBytes);
    }
    return array;
}

} // namespace

std::string portText(Port const& port) {
    return joined(port.name, " (", nameOf(port.type), " ", shapeText(port.dims), ")");
}

Arrays readArrays(Arguments const& arguments, std::string_view single, std::string_view many) {
    Arrays arrays;
    if (arguments.has(many)) arrays = readNpz(arguments.value(many));
    for (auto const& [name, path] : arguments.named(single)) {
        if (!arrays.emplace(name, readNpy(path)).second)
            fail(single, " ", name, "=", path, ": ", arguments.value(many), " has ", name, " too");
    }
    return arrays;
}

void checkNames(Arrays const& arrays, std::vector<Port> const& ports, std::string_view what) {
    std::vector<std::string> names;
    std::string all;
    for (Port const& port : ports) {
        names.push_back(port.name);
        all += (all.empty() ? "" : ", ") + portText(port);
    }
    for (auto const& [name, array] : arrays) {
        if (std::ranges::find(names, name) == names.end())
            fail("there is no ", what, " ", name, didYouMean(name, names), "\nThe ", what, "s are: ", all);
    }
}

Feeds::Feeds(Arguments const& arguments)
    : files_(readArrays(arguments, "--input", "--inputs")), shapes_(arguments.named("--shape")) {
    for (auto const& [name, shape] : shapes_) {
        if (files_.contains(name)) fail("--shape ", name, "=", shape, ": the input has a file, and the file's shape");
        parseShape(shape);
    }
}

Arrays Feeds::arraysFor(std::vector<Port> const& inputs) const {
    Arrays named = files_;
    for (auto const& [name, shape] : shapes_) named.emplace(name, Array());
    checkNames(named, inputs, "input");
    Arrays arrays;
    for (Port const& port : inputs) arrays.emplace(port.name, arrayFor(port));
    return arrays;
}

Array Feeds::arrayFor(Port const& port) const {
    if (auto const file = files_.find(port.name); file != files_.end()) {
        check(file->second, port);
        return file->second;
    }
    if (auto const shape = shapes_.find(port.name); shape != shapes_.end())
        return sample(port, parseShape(shape->second));
    fail("input ", portText(port), " has no data: give --input ", port.name, "=FILE.npy, or --shape ", port.name,
         "=1x3x… to fill it with sample numbers");
}

} // namespace tenon::cli
