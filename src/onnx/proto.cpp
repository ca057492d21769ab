// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/proto.h"

namespace tenon::onnx::pb {
namespace {

constexpr std::array<std::string_view, 2> kDataLocations{"DEFAULT", "EXTERNAL"};

constexpr std::array kStringStringEntryFields{field<&StringStringEntryProto::key>(1, "key"),
                                              field<&StringStringEntryProto::value>(2, "value")};

constexpr std::array kOperatorSetIdFields{field<&OperatorSetIdProto::domain>(1, "domain"),
                                          field<&OperatorSetIdProto::version>(2, "version")};

constexpr std::array kTensorFields{field<&TensorProto::dims>(1, "dims"),
                                   field<&TensorProto::dataType>(2, "data_type"),
                                   field<&TensorProto::segment>(3, "segment"),
                                   field<&TensorProto::floatData>(4, "float_data"),
                                   field<&TensorProto::int32Data>(5, "int32_data"),
                                   field<&TensorProto::stringData>(6, "string_data"),
                                   field<&TensorProto::int64Data>(7, "int64_data"),
                                   field<&TensorProto::name>(8, "name"),
                                   field<&TensorProto::rawData>(9, "raw_data"),
                                   field<&TensorProto::doubleData>(10, "double_data"),
                                   field<&TensorProto::uint64Data>(11, "uint64_data"),
                                   unread(12, "doc_string"),
                                   field<&TensorProto::externalData>(13, "external_data"),
                                   field<&TensorProto::dataLocation>(14, "data_location", kDataLocations),
                                   unread(16, "metadata_props")};

constexpr std::array kSparseTensorFields{field<&SparseTensorProto::values>(1, "values"), unread(2, "indices"),
                                         unread(3, "dims")};

constexpr std::array kDimensionFields{field<&DimensionProto::dimValue>(1, "dim_value"),
                                      field<&DimensionProto::dimParam>(2, "dim_param"), unread(3, "denotation")};

constexpr std::array kTensorShapeFields{field<&TensorShapeProto::dim>(1, "dim")};

constexpr std::array kTensorTypeFields{field<&TensorTypeProto::elemType>(1, "elem_type"),
                                       field<&TensorTypeProto::shape>(2, "shape")};

constexpr std::array kTypeFields{
    field<&TypeProto::tensorType>(1, "tensor_type"),    field<&TypeProto::sequenceType>(4, "sequence_type"),
    field<&TypeProto::mapType>(5, "map_type"),          unread(6, "denotation"),
    field<&TypeProto::opaqueType>(7, "opaque_type"),    field<&TypeProto::sparseTensorType>(8, "sparse_tensor_type"),
    field<&TypeProto::optionalType>(9, "optional_type")};

constexpr std::array kValueInfoFields{field<&ValueInfoProto::name>(1, "name"), field<&ValueInfoProto::type>(2, "type"),
                                      unread(3, "doc_string"), unread(4, "metadata_props")};

constexpr std::array kAttributeFields{field<&AttributeProto::name>(1, "name"),
                                      field<&AttributeProto::f>(2, "f"),
                                      field<&AttributeProto::i>(3, "i"),
                                      field<&AttributeProto::s>(4, "s"),
                                      field<&AttributeProto::t>(5, "t"),
                                      field<&AttributeProto::g>(6, "g"),
                                      field<&AttributeProto::floats>(7, "floats"),
                                      field<&AttributeProto::ints>(8, "ints"),
                                      field<&AttributeProto::strings>(9, "strings"),
                                      field<&AttributeProto::tensors>(10, "tensors"),
                                      field<&AttributeProto::graphs>(11, "graphs"),
                                      unread(13, "doc_string"),
                                      unread(14, "tp"),
                                      unread(15, "type_protos"),
                                      field<&AttributeProto::type>(20, "type", kAttributeTypeNames),
                                      field<&AttributeProto::refAttrName>(21, "ref_attr_name"),
                                      unread(22, "sparse_tensor"),
                                      unread(23, "sparse_tensors")};

constexpr std::array kNodeFields{field<&NodeProto::input>(1, "input"),
                                 field<&NodeProto::output>(2, "output"),
                                 field<&NodeProto::name>(3, "name"),
                                 field<&NodeProto::opType>(4, "op_type"),
                                 field<&NodeProto::attribute>(5, "attribute"),
                                 unread(6, "doc_string"),
                                 field<&NodeProto::domain>(7, "domain"),
                                 field<&NodeProto::overload>(8, "overload"),
                                 unread(9, "metadata_props"),
                                 unread(10, "device_configurations")};

constexpr std::array kGraphFields{field<&GraphProto::node>(1, "node"),
                                  field<&GraphProto::name>(2, "name"),
                                  field<&GraphProto::initializer>(5, "initializer"),
                                  unread(10, "doc_string"),
                                  field<&GraphProto::input>(11, "input"),
                                  field<&GraphProto::output>(12, "output"),
                                  field<&GraphProto::valueInfo>(13, "value_info"),
                                  unread(14, "quantization_annotation"),
                                  field<&GraphProto::sparseInitializer>(15, "sparse_initializer"),
                                  unread(16, "metadata_props")};

constexpr std::array kFunctionFields{field<&FunctionProto::name>(1, "name"),
                                     field<&FunctionProto::input>(4, "input"),
                                     field<&FunctionProto::output>(5, "output"),
                                     field<&FunctionProto::attribute>(6, "attribute"),
                                     field<&FunctionProto::node>(7, "node"),
                                     unread(8, "doc_string"),
                                     field<&FunctionProto::opsetImport>(9, "opset_import"),
                                     field<&FunctionProto::domain>(10, "domain"),
                                     field<&FunctionProto::attributeProto>(11, "attribute_proto"),
                                     unread(12, "value_info"),
                                     field<&FunctionProto::overload>(13, "overload"),
                                     unread(14, "metadata_props")};

constexpr std::array kModelFields{field<&ModelProto::irVersion>(1, "ir_version"),
                                  unread(2, "producer_name"),
                                  unread(3, "producer_version"),
                                  unread(4, "domain"),
                                  unread(5, "model_version"),
                                  unread(6, "doc_string"),
                                  field<&ModelProto::graph>(7, "graph"),
                                  field<&ModelProto::opsetImport>(8, "opset_import"),
                                  field<&ModelProto::metadataProps>(14, "metadata_props"),
                                  unread(20, "training_info"),
                                  field<&ModelProto::functions>(25, "functions"),
                                  unread(26, "configuration")};

} // namespace

MessageType const StringStringEntryProto::kType{"StringStringEntryProto", kStringStringEntryFields};
MessageType const OperatorSetIdProto::kType{"OperatorSetIdProto", kOperatorSetIdFields};
MessageType const TensorProto::kType{"TensorProto", kTensorFields};
MessageType const SparseTensorProto::kType{"SparseTensorProto", kSparseTensorFields};
MessageType const DimensionProto::kType{"TensorShapeProto.Dimension", kDimensionFields};
MessageType const TensorShapeProto::kType{"TensorShapeProto", kTensorShapeFields};
MessageType const TensorTypeProto::kType{"TypeProto.Tensor", kTensorTypeFields};
MessageType const TypeProto::kType{"TypeProto", kTypeFields};
MessageType const ValueInfoProto::kType{"ValueInfoProto", kValueInfoFields};
MessageType const AttributeProto::kType{"AttributeProto", kAttributeFields};
MessageType const NodeProto::kType{"NodeProto", kNodeFields};
MessageType const GraphProto::kType{"GraphProto", kGraphFields};
MessageType const FunctionProto::kType{"FunctionProto", kFunctionFields};
MessageType const ModelProto::kType{"ModelProto", kModelFields};

} // namespace tenon::onnx::pb
