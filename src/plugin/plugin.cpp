// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/plugin.h"

#include "base/text.h"

#include <array>

namespace tenon {
namespace {

struct Row {
    std::string_view name;
    int bits;
};

constexpr std::array<Row, 13> kRows{{{"float16", 16},
                                     {"float32", 32},
                                     {"float64", 64},
                                     {"int8", 8},
                                     {"int16", 16},
                                     {"int32", 32},
                                     {"char", 8},
                                     {"dims", 72 * 8},
                                     {"bfloat16", 16},
                                     {"int64", 64},
                                     {"float8", 8},
                                     {"int4", 4},
                                     {"unknown", 0}}};

constexpr auto kNames = [] {
    std::array<std::string_view, kRows.size()> all;
    for (size_t i = 0; i < all.size(); ++i) all[i] = kRows[i].name;
    return all;
}();

} // namespace

void append(std::string& to, PluginName const& name) {
    bool const isNameAll = name.version.empty() && name.nameSpace.empty();
    if (isNameAll) return append(to, text("plugin ", name.name));
    to += text("plugin ", name.name, ", version ", name.version, ", namespace \"", name.nameSpace, '"');
}

size_t bytesOf(PluginValue::Type type, int64_t length) {
    return (static_cast<size_t>(length) * static_cast<size_t>(kRows[static_cast<size_t>(type)].bits) + 7) / 8;
}

std::span<std::string_view const> names(PluginValue::Type) { return kNames; }

void PluginBuilt::fields(Fields& f) {
    f("shape_inputs", shapeInputs);
    f("tactic", tactic);
    f("workspace", workspace);
    f("aliases", aliases);
    f("refits", refits);
    f("batch_input", batchInput);
    f("implicit_batch", implicitBatch);
    f("repeated", repeated);
}

void PluginValue::fields(Fields& f) {
    f("name", name);
    f("type", type);
    f("length", length);
    Literal data = Literal::copyOf(DataType::UInt8, {static_cast<int64_t>(bytes.size())}, bytes.data());
    f("data", data);
    auto const* first = static_cast<std::byte const*>(data.data());
    bytes.assign(first, first + data.bytes());
}

} // namespace tenon
