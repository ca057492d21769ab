// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Any operator of ONNX as a part of a network: those too for which INetworkDefinition has no add method.
///
///     nvinfer1::ITensor* y = tenon::addOnnxNode(network, "DeformConv", {&x, &weights, &offset, nullptr, &mask},
///                                               tenon::OnnxAttributes().integers("pads", {1, 1, 1, 1}))[0];
///
/// C++11 and later, with exceptions, at every level of the API; what uses it links nothing but libtenon.
#ifndef TENON_ONNX_NODE_H
#define TENON_ONNX_NODE_H

#include "NvInfer.h"
#include "tenon/plugin_base/namespace.h"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// One attribute of a node.
struct TenonOnnxAttribute {
    char const* name;
    int32_t type;       ///< By the numbers of ONNX's AttributeProto.AttributeType.
    int32_t count;      ///< Of the values; 1 unless the type is that of a list.
    void const* values; ///< float, int64_t or char const*, each text closed by a zero.
};

/// As tenon::addOnnxNode() takes it.
struct TenonOnnxNode {
    char const* op;
    char const* domain; ///< May be null, as may the next.
    char const* name;
    int32_t opset; ///< 0: the newest.
    nvinfer1::ITensor* const* inputs;
    int32_t nbInputs;
    TenonOnnxAttribute const* attributes;
    int32_t nbAttributes;
};

/// As tenon::addOnnxNode(). \return null, and the outputs in `outputs`; else what is wrong, in a text that lives until
/// this thread's next call.
TENON_C_FUNCTION char const* tenonAddOnnxNode(nvinfer1::INetworkDefinition* network, TenonOnnxNode const* node,
                                              nvinfer1::ITensor** outputs, int32_t nbOutputs) noexcept;

namespace tenon {
inline namespace TENON_PLUGIN_BASE {

/// Which operator a node is of. A text is one of ONNX's own domain.
class OnnxOperator {
public:
    OnnxOperator(char const* op) : op_(op), opset_(0) {}
    OnnxOperator(std::string op) : op_(std::move(op)), opset_(0) {}

    /// Of another domain, "ai.onnx.preview".
    OnnxOperator& domain(std::string domain) { return domain_ = std::move(domain), *this; }
    /// By the rules of this opset. Without a word they are those of the newest that the library knows, which may change
    /// with it.
    OnnxOperator& opset(int32_t opset) { return opset_ = opset, *this; }
    /// The name of the node: that of its layers (with a number behind it from the second on, and where a layer of the
    /// network has it), and in error texts. Without a word it is the operator's.
    OnnxOperator& named(std::string name) { return name_ = std::move(name), *this; }

    /// Without inputs and attributes. Refers to this object.
    TenonOnnxNode node() const {
        return TenonOnnxNode{op_.c_str(), domain_.c_str(), name_.c_str(), opset_, nullptr, 0, nullptr, 0};
    }

private:
    std::string op_;
    std::string domain_;
    std::string name_;
    int32_t opset_;
};

/// The attributes of a node, by their names. Their types are those that the operator's definition gives them: a list of
/// one number is not a number. Those that are tensors or graphs cannot be given.
class OnnxAttributes {
public:
    OnnxAttributes& integer(std::string name, int64_t value) { return add(std::move(name), kInt, {value}, {}, {}); }
    OnnxAttributes& integers(std::string name, std::vector<int64_t> values) {
        return add(std::move(name), kInts, std::move(values), {}, {});
    }
    OnnxAttributes& real(std::string name, float value) { return add(std::move(name), kFloat, {}, {value}, {}); }
    OnnxAttributes& reals(std::string name, std::vector<float> values) {
        return add(std::move(name), kFloats, {}, std::move(values), {});
    }
    OnnxAttributes& text(std::string name, std::string value) {
        return add(std::move(name), kString, {}, {}, {std::move(value)});
    }
    OnnxAttributes& texts(std::string name, std::vector<std::string> values) {
        return add(std::move(name), kStrings, {}, {}, std::move(values));
    }

private:
    friend class OnnxAttributeList;
    /// The numbers of ONNX's AttributeProto.AttributeType.
    enum Type : int32_t { kFloat = 1, kInt = 2, kString = 3, kFloats = 6, kInts = 7, kStrings = 8 };

    struct Attribute {
        std::string name;
        Type type;
        // one of:
        std::vector<int64_t> integers;
        std::vector<float> reals;
        std::vector<std::string> texts;
    };

    OnnxAttributes& add(std::string name, Type type, std::vector<int64_t> integers, std::vector<float> reals,
                        std::vector<std::string> texts) {
        all_.push_back(Attribute{std::move(name), type, std::move(integers), std::move(reals), std::move(texts)});
        return *this;
    }

    std::vector<Attribute> all_;
};

/// Attributes as the C function takes them. Refers to `attributes`.
class OnnxAttributeList {
public:
    explicit OnnxAttributeList(OnnxAttributes const& attributes) : texts_(attributes.all_.size()) {
        for (size_t i = 0; i < texts_.size(); ++i) add(attributes.all_[i], texts_[i]);
    }

    TenonOnnxAttribute const* data() const { return list_.data(); }
    int32_t size() const { return int32_t(list_.size()); }

private:
    void add(OnnxAttributes::Attribute const& attribute, std::vector<char const*>& texts) {
        for (std::string const& text : attribute.texts) texts.push_back(text.c_str());
        void const* values = texts.data();
        if (!attribute.integers.empty()) values = attribute.integers.data();
        if (!attribute.reals.empty()) values = attribute.reals.data();
        size_t const count = attribute.integers.size() + attribute.reals.size() + texts.size(); // one of them
        list_.push_back({attribute.name.c_str(), attribute.type, int32_t(count), values});
    }

    std::vector<std::vector<char const*>> texts_;
    std::vector<TenonOnnxAttribute> list_;
};

/// Adds a node to a network, as the ONNX parser does for a node of a model: its importer adds layers, one or several,
/// that the program sees as those of its own (getLayer, getName). An operator that has no importer is looked up as a
/// plugin of that name. A network is for one thread at a time.
/// \param network with an explicit batch, and owner of all that is added
/// \param inputs of the network, in the order of the operator's definition; null: left out. Weights are constants, of
///        addConstant(); so is the little that an operator has to know before a run, unless it follows from shapes.
///        Inputs are looked at as they are now: what the program changes in front of them later may not be seen.
/// \param attributes without one, it has the value of the operator's definition
/// \param outputs how many of the operator's outputs are wanted, the first ones
/// \return the outputs, each a tensor of its own, to be named and marked as the program likes; none is null
///
/// Errors: throws std::runtime_error, whose text names node and operator, what was found and what was expected; nothing
/// is logged, and the network is as it was. Refused are inputs of another network, an operator that is not known,
/// inputs that it needs and lacks, attributes of another type, inputs and attributes that it does not have, more
/// outputs than it has, operators with graphs inside of them (If, Loop, Scan: see addIfConditional() and addLoop()),
/// and networks with implicit batch.
inline std::vector<nvinfer1::ITensor*> addOnnxNode(nvinfer1::INetworkDefinition& network, OnnxOperator const& op,
                                                   std::vector<nvinfer1::ITensor*> const& inputs,
                                                   OnnxAttributes const& attributes = OnnxAttributes(),
                                                   int32_t outputs = 1) {
    OnnxAttributeList const list(attributes);
    TenonOnnxNode node = op.node();
    node.inputs = inputs.data();
    node.nbInputs = int32_t(inputs.size());
    node.attributes = list.data();
    node.nbAttributes = list.size();
    std::vector<nvinfer1::ITensor*> made(outputs > 0 ? size_t(outputs) : 0);
    if (char const* const error = tenonAddOnnxNode(&network, &node, made.data(), outputs))
        throw std::runtime_error(error);
    return made;
}

} // namespace TENON_PLUGIN_BASE
} // namespace tenon

#endif // TENON_ONNX_NODE_H
