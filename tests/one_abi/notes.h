// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls with their arguments, as text. The called method makes a note, the caller compares the notes with the expected
// ones: a method in another's slot, or a changed argument, is a difference.
//
// All of it is in an unnamed namespace, so that each executable and library has its own copy; only the notes are
// shared, in the engine.
#ifndef ONE_ABI_NOTES_H
#define ONE_ABI_NOTES_H

#include "NvInferLegacyDims.h"
#include "NvInferPlugin.h"
#include "NvInferRuntime.h"
#include "impl/NvInferPythonPlugin.h"
#if TENON_LEVEL <= 8 || defined(TENON_ALL_LEVELS)
#include "NvCaffeParser.h"
#include "NvUffParser.h"
#endif
#if TENON_LEVEL == 7 || defined(TENON_ALL_LEVELS)
#include "NvOnnxParserRuntime.h"
#endif

#include <cstdio>
#include <string>
#include <type_traits>
#include <vector>

#if TENON_LEVEL >= 8
#define NOEXCEPT noexcept
#else
#define NOEXCEPT
#endif

extern "C" {
__attribute__((visibility("default"))) void oneAbiNote(char const* text);
/// The notes since the last call, each terminated by a newline; valid until the next call.
__attribute__((visibility("default"))) char const* oneAbiTakeNotes();
}

namespace {

using namespace nvinfer1;

/// NV_TENSORRT_VERSION of a level, from the table of releases.
inline int32_t versionOf(int32_t level) {
    switch (level) {
    case 7: return 7203;
    case 8: return 8601;
    case 10: return 101600;
    default: return 110400;
    }
}

template <typename T, typename std::enable_if<std::is_integral<T>::value, int>::type = 0>
inline std::string text(T value) {
    return std::to_string(static_cast<long long>(value));
}
template <typename T, typename std::enable_if<std::is_enum<T>::value, int>::type = 0> inline std::string text(T value) {
    return std::to_string(static_cast<long long>(value));
}
inline std::string text(float value) { return std::to_string(value); }
inline std::string text(char const* value) { return value ? value : "(null)"; }
inline std::string text(std::string const& value) { return value; }
inline std::string text(void const* value) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%p", value);
    return digits;
}

template <typename Shape> inline std::string shapeText(Shape const& shape) {
    std::string all = "[";
    for (int32_t i = 0; i < shape.nbDims; ++i) {
        all += (i ? "," : "") + std::to_string(shape.d[i]);
    }
    return all + "]";
}
inline std::string text(tenonAbi::Dims32 const& shape) { return shapeText(shape); }
inline std::string text(tenonAbi::Dims64 const& shape) { return shapeText(shape); }
template <typename Shape> inline std::string text(tenonAbi::TensorDesc<Shape> const& desc) {
    return text(desc.dims) + "t" + text(desc.type) + "f" + text(desc.format) + "s" + text(desc.scale);
}
template <typename Shape> inline std::string text(tenonAbi::DynamicTensorDesc<Shape> const& desc) {
    return text(desc.desc) + "min" + text(desc.min) + "max" + text(desc.max);
}

inline std::string text(Weights const& weights) {
    return "w" + text(weights.type) + "n" + text(weights.count) + "@" + text(weights.values);
}
#if TENON_LEVEL <= 8 || defined(TENON_ALL_LEVELS)
inline std::string text(nvuffparser::FieldMap const& field) {
    return std::string(field.name) + text(field.type) + "n" + text(field.length) + "@" + text(field.data);
}
#endif

template <typename T> inline std::string list(T const* items, int32_t count) {
    std::string all = text(count) + "{";
    for (int32_t i = 0; i < count; ++i) {
        all += (i ? " " : "") + text(items[i]);
    }
    return all + "}";
}

inline std::string join() { return ""; }
template <typename First, typename... Rest> inline std::string join(First const& first, Rest const&... rest) {
    return text(first) + (sizeof...(rest) ? " " : "") + join(rest...);
}

template <typename... Words> inline void note(Words const&... words) { oneAbiNote(join(words...).c_str()); }

} // namespace

#endif
