// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "protobuf/message.h"

#include <array>

/// The messages of an ONNX file, as of ONNX 1.23 (IR version 14), with the fields in use. proto.cpp has the numbers and
/// names of their fields.
namespace tenon::onnx::pb {

using namespace tenon::pb;

struct StringStringEntryProto {
    static MessageType const kType;

    std::string key;
    std::string value;
};

struct OperatorSetIdProto {
    static MessageType const kType;

    std::string domain;
    int64_t version = 0;
};

struct TensorProto {
    static MessageType const kType;

    std::vector<int64_t> dims;
    int32_t dataType = 0;
    bool segment = false; // whether it is set
    std::vector<float> floatData;
    std::vector<std::string> stringData;
    std::vector<int32_t> int32Data;
    std::vector<int64_t> int64Data;
    std::vector<double> doubleData;
    std::vector<uint64_t> uint64Data;
    std::optional<LongBytes> rawData;
    std::string name;
    std::vector<StringStringEntryProto> externalData;
    int32_t dataLocation = 0;
};

/// TensorProto.DataLocation
constexpr int32_t kInFile = 0;
constexpr int32_t kExternal = 1;

struct SparseTensorProto {
    static MessageType const kType;

    TensorProto values;
};

struct DimensionProto {
    static MessageType const kType;

    std::optional<int64_t> dimValue;
    std::string dimParam;
};

struct TensorShapeProto {
    static MessageType const kType;

    std::vector<DimensionProto> dim;
};

struct TensorTypeProto {
    static MessageType const kType;

    int32_t elemType = 0;
    std::optional<TensorShapeProto> shape;
};

struct TypeProto {
    static MessageType const kType;

    std::optional<TensorTypeProto> tensorType;
    // whether another member is set
    bool sequenceType = false;
    bool mapType = false;
    bool optionalType = false;
    bool sparseTensorType = false;
    bool opaqueType = false;
};

struct ValueInfoProto {
    static MessageType const kType;

    std::string name;
    TypeProto type;
};

/// AttributeProto.AttributeType, by its numbers
enum class AttributeType : int32_t {
    Undefined,
    Float,
    Int,
    String,
    Tensor,
    Graph,
    Floats,
    Ints,
    Strings,
    Tensors,
    Graphs,
    SparseTensor,
    SparseTensors,
    TypeProto,
    TypeProtos
};

constexpr std::array<std::string_view, 15> kAttributeTypeNames{
    "UNDEFINED", "FLOAT",   "INT",    "STRING",        "TENSOR",         "GRAPH",      "FLOATS",     "INTS",
    "STRINGS",   "TENSORS", "GRAPHS", "SPARSE_TENSOR", "SPARSE_TENSORS", "TYPE_PROTO", "TYPE_PROTOS"};

struct GraphProto;

struct AttributeProto {
    static MessageType const kType;

    std::string name;
    std::string refAttrName;
    int32_t type = 0; // numbers beyond AttributeType are from a newer ONNX
    std::optional<float> f;
    std::optional<int64_t> i;
    std::optional<std::string> s;
    std::optional<TensorProto> t;
    std::shared_ptr<GraphProto> g;
    bool graphs = false; // whether the list is not empty: no operator has a list of graphs
    bool tensors = false;
    std::vector<float> floats;
    std::vector<int64_t> ints;
    std::vector<std::string> strings;
};

struct NodeProto {
    static MessageType const kType;

    std::vector<std::string> input;
    std::vector<std::string> output;
    std::string name;
    std::string opType;
    std::string domain;
    std::string overload;
    std::vector<AttributeProto> attribute;
};

struct GraphProto {
    static MessageType const kType;

    std::vector<NodeProto> node;
    std::string name;
    std::vector<TensorProto> initializer;
    std::vector<SparseTensorProto> sparseInitializer;
    std::vector<ValueInfoProto> input;
    std::vector<ValueInfoProto> output;
    std::vector<ValueInfoProto> valueInfo;
};

struct FunctionProto {
    static MessageType const kType;

    std::string name;
    std::string domain;
    std::string overload;
    std::vector<std::string> input;
    std::vector<std::string> output;
    std::vector<std::string> attribute;         // without defaults
    std::vector<AttributeProto> attributeProto; // with defaults
    std::vector<NodeProto> node;
    std::vector<OperatorSetIdProto> opsetImport;
};

struct ModelProto {
    static MessageType const kType;

    int64_t irVersion = 0;
    std::vector<OperatorSetIdProto> opsetImport;
    std::optional<GraphProto> graph;
    std::vector<StringStringEntryProto> metadataProps;
    std::vector<FunctionProto> functions;
};

} // namespace tenon::onnx::pb
