// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx_outline.h"

#include <optional>

namespace tenon::cli {
namespace {

/// Iterates over the fields of one protobuf message; ends at the first invalid one.
class Fields {
public:
    explicit Fields(std::string_view message) : rest_(message) {}

    /// False at the end.
    bool next() {
        auto const key = varint();
        if (!key || *key >> 3 == 0) return false;
        number = *key >> 3;
        switch (*key & 7) {
        case 0: return take(varint());
        case 1: return skip(8);
        case 2: return takeText(varint());
        case 5: return skip(4);
        default: return false;
        }
    }

    uint64_t number = 0;   // of the field
    uint64_t integer = 0;  // its value, or
    std::string_view text; // its bytes

private:
    std::optional<uint64_t> varint() {
        uint64_t value = 0;
        for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
            auto const byte = static_cast<unsigned char>(rest_.front());
            rest_.remove_prefix(1);
            value |= static_cast<uint64_t>(byte & 0x7F) << shift;
            if (byte < 0x80) return value;
        }
        return std::nullopt;
    }

    bool take(std::optional<uint64_t> value) {
        integer = value.value_or(0);
        text = {};
        return value.has_value();
    }

    bool takeText(std::optional<uint64_t> size) {
        if (!size || *size > rest_.size()) return false;
        text = rest_.substr(0, *size);
        rest_.remove_prefix(*size);
        return true;
    }

    bool skip(size_t bytes) { return takeText(bytes); }

    std::string_view rest_;
};

// The numbers of fields in onnx.proto.
namespace field {
constexpr uint64_t kModelProducer = 2, kModelProducerVersion = 3, kModelGraph = 7, kModelOpsets = 8,
                   kModelFunctions = 25;
constexpr uint64_t kOpsetDomain = 1, kOpsetVersion = 2;
constexpr uint64_t kGraphNodes = 1;
constexpr uint64_t kFunctionName = 1, kFunctionNodes = 7;
constexpr uint64_t kNodeOp = 4, kNodeDomain = 7;
} // namespace field

void readNode(std::string_view message, OnnxOutline& outline) {
    OnnxOutline::Node node;
    for (Fields f(message); f.next();) {
        if (f.number == field::kNodeOp) node.op = f.text;
        if (f.number == field::kNodeDomain) node.domain = f.text;
    }
    outline.nodes.push_back(std::move(node));
}

void readNodes(std::string_view message, uint64_t number, OnnxOutline& outline) {
    for (Fields f(message); f.next();) {
        if (f.number == number) readNode(f.text, outline);
    }
}

void readFunction(std::string_view message, OnnxOutline& outline) {
    for (Fields f(message); f.next();) {
        if (f.number == field::kFunctionName) outline.functions.emplace_back(f.text);
    }
    readNodes(message, field::kFunctionNodes, outline);
}

OnnxOutline::Opset readOpset(std::string_view message) {
    OnnxOutline::Opset opset;
    for (Fields f(message); f.next();) {
        if (f.number == field::kOpsetDomain) opset.domain = f.text;
        if (f.number == field::kOpsetVersion) opset.version = static_cast<int64_t>(f.integer);
    }
    return opset;
}

} // namespace

OnnxOutline outlineOf(std::string_view model) {
    OnnxOutline outline;
    std::string version;
    for (Fields f(model); f.next();) {
        if (f.number == field::kModelProducer) outline.producer = f.text;
        if (f.number == field::kModelProducerVersion) version = f.text;
        if (f.number == field::kModelGraph) readNodes(f.text, field::kGraphNodes, outline);
        if (f.number == field::kModelOpsets) outline.opsets.push_back(readOpset(f.text));
        if (f.number == field::kModelFunctions) readFunction(f.text, outline);
    }
    if (!version.empty()) outline.producer += " " + version;
    return outline;
}

} // namespace tenon::cli
