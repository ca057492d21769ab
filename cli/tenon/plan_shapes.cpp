// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan_shapes.h"

#include "failure.h"

#include <algorithm>
#include <string_view>

namespace tenon::cli {
namespace {

constexpr int kMostNested = 200; // the library's limit

std::string symbolic(Json const& dim, int depth) {
    if (dim.is_string()) return dim.get<std::string>();
    if (!dim.is_array()) return dim.dump();
    if (dim.size() != 3 || depth > 8) return "...";
    auto const operation = dim[0].get<std::string>();
    std::string const left = symbolic(dim[1], depth + 1);
    std::string const right = symbolic(dim[2], depth + 1);
    if (operation == "sum") return joined("(", left, "+", right, ")");
    if (operation == "difference") return joined("(", left, "-", right, ")");
    if (operation == "product") return joined("(", left, "*", right, ")");
    if (operation == "floor_div") return joined("(", left, "/", right, ")");
    return joined(operation, "(", left, ",", right, ")");
}

int64_t floorOf(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

/// None if it has no value.
std::optional<int64_t> apply(std::string_view operation, int64_t a, int64_t b) {
    int64_t result = 0;
    bool overflows = false;
    if (operation == "sum") overflows = __builtin_add_overflow(a, b, &result);
    if (operation == "difference") overflows = __builtin_sub_overflow(a, b, &result);
    if (operation == "product") overflows = __builtin_mul_overflow(a, b, &result);
    if (operation.ends_with("_div")) {
        if (b <= 0 || a == INT64_MIN) return std::nullopt;
        result = operation == "ceil_div" ? -floorOf(-a, b) : floorOf(a, b);
    }
    if (operation == "max") result = std::max(a, b);
    if (operation == "min") result = std::min(a, b);
    if (operation == "equal") result = a == b ? 1 : 0;
    if (operation == "less") result = a < b ? 1 : 0;
    return overflows ? std::nullopt : std::optional(result);
}

std::string withCrosses(Json const& shape, auto&& textOf) {
    std::string text;
    for (Json const& dim : shape) text += (text.empty() ? "" : "x") + textOf(dim);
    return text.empty() ? "scalar" : text;
}

} // namespace

std::string symbolicShape(Json const& shape) {
    return withCrosses(shape, [](Json const& dim) { return symbolic(dim, 0); });
}

OptimalShapes::OptimalShapes(Json const& plan) {
    Json const& graph = plan.at("graph");
    for (Json const& number : graph.at("inputs")) {
        Json const& input = graph.at("tensors").at(number.get<size_t>());
        auto const name = input.at("name").get<std::string>();
        Json const& profile = plan.at("profiles").at(0);
        if (!profile.contains(name)) continue;
        Json const& extents = profile.at(name).at("opt");
        for (size_t axis = 0; axis < extents.size(); ++axis) {
            Json const& dim = input.at("shape").at(axis);
            if (dim.is_string()) symbols_[dim.get<std::string>()] = extents[axis].get<int64_t>();
        }
    }
}

std::optional<int64_t> OptimalShapes::extent(Json const& dim, int depth) const {
    if (dim.is_number_integer()) return dim.get<int64_t>();
    if (dim.is_string()) {
        auto const known = symbols_.find(dim.get<std::string>());
        return known == symbols_.end() ? std::nullopt : std::optional(known->second);
    }
    if (!dim.is_array() || dim.size() != 3 || depth > kMostNested) return std::nullopt;
    auto const left = extent(dim[1], depth + 1);
    auto const right = extent(dim[2], depth + 1);
    return left && right ? apply(dim[0].get<std::string>(), *left, *right) : std::nullopt;
}

std::string OptimalShapes::text(Json const& shape) const {
    return withCrosses(shape, [&](Json const& dim) {
        auto const known = extent(dim);
        return known ? std::to_string(*known) : "?";
    });
}

} // namespace tenon::cli
