// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInferRuntime.h>

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace ocr {

// A plugin names its fields once, in `Fields::eachField(fields, visit)`, which calls visit(name, value) for each. From
// that one list come the names that the creator shows, the values that it reads and the values that are saved.

inline nvinfer1::PluginFieldType fieldType(float) { return nvinfer1::PluginFieldType::kFLOAT32; }
inline nvinfer1::PluginFieldType fieldType(int32_t) { return nvinfer1::PluginFieldType::kINT32; }

inline char const* fieldTypeName(float) { return "FLOAT32"; }
inline char const* fieldTypeName(int32_t) { return "INT32"; }

// The fields as TensorRT knows them. They point into `fields`, which has to outlive them.
template <typename Fields> std::vector<nvinfer1::PluginField> describeFields(Fields const& fields) {
    std::vector<nvinfer1::PluginField> described;
    Fields::eachField(fields, [&](char const* name, auto const& value) {
        described.emplace_back(name, &value, fieldType(value), 1);
    });
    return described;
}

template <typename Value> void readField(nvinfer1::PluginField const& given, Value& value) {
    if (given.type != fieldType(value) || given.length != 1 || given.data == nullptr)
        throw std::invalid_argument(std::string("field ") + given.name + " has to be one " + fieldTypeName(value) +
                                    "; found type " + std::to_string(int(given.type)) + ", length " +
                                    std::to_string(given.length));
    std::memcpy(&value, given.data, sizeof(value));
}

// Reads a collection; a field that it lacks keeps its default. Throws std::invalid_argument with a sentence.
template <typename Fields> Fields readFields(nvinfer1::PluginFieldCollection const& given) {
    Fields fields;
    for (int32_t i = 0; i < given.nbFields; ++i) {
        nvinfer1::PluginField const& field = given.fields[i];
        bool known = false;
        Fields::eachField(fields, [&](char const* name, auto& value) {
            if (std::strcmp(name, field.name) != 0) return;
            known = true;
            readField(field, value);
        });
        if (!known) throw std::invalid_argument(std::string("unknown field ") + field.name);
    }
    return fields;
}

} // namespace ocr
