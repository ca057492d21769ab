// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Operators of one's own in ONNX models, without a plugin: a function that adds the layers which compute a node.
///
///     tenon::OnnxImporter const scaled("ScaledTanh", "com.example", {1, 3},
///         [](tenon::OnnxModelNode const& node, nvinfer1::INetworkDefinition& network) {
///             auto* layer = network.addActivation(node.input(0), nvinfer1::ActivationType::kSCALED_TANH);
///             layer->setAlpha(node.real("alpha", 1));
///             layer->setBeta(node.real("beta", 1));
///             return std::vector<nvinfer1::ITensor*>{layer->getOutput(0)};
///         });
///
/// It holds for the process while that object lives: for the ONNX parser, its questions about support, the refitter of
/// models, and addOnnxNode() of tenon/onnx_node.h. A static object of a program or of a plugin library registers it
/// with that.
///
/// C++11 and later, with exceptions, at every level of the API; what uses it links nothing but libtenon.
#ifndef TENON_ONNX_H
#define TENON_ONNX_H

#include "tenon/onnx_node.h"

#include <functional>
#include <initializer_list>
#include <memory>
#include <type_traits>

/// A node whose layers are being added. Of the library.
struct TenonOnnxModelNode;

/// Adds the layers of a node to `network`. Throws nothing; says how it ended by tenonGiveOnnxOutputs() or
/// tenonRefuseOnnxNode(). \param importer TenonOnnxImporter::importer
using TenonImportOnnxNode = void (*)(void const* importer, TenonOnnxModelNode* node,
                                     nvinfer1::INetworkDefinition* network);

/// As tenon::OnnxImporter gives it.
struct TenonOnnxImporter {
    char const* op;
    char const* domain; ///< May be null: ONNX's own.
    int32_t firstOpset;
    int32_t lastOpset;
    TenonImportOnnxNode import; ///< Of the library that registers it.
    void const* importer;       ///< What `import` is given, and by which it is removed.
};

/// What is known of a node without asking its inputs and attributes. The texts live as long as the node.
struct TenonOnnxNodeFacts {
    char const* op;
    char const* domain;
    char const* name;
    int32_t opset;
    int32_t nbInputs;
    int32_t nbOutputs;
    int32_t nbAttributes;
};

/// A constant. What it points to lives as long as the node.
struct TenonOnnxTensor {
    nvinfer1::Weights weights;
    int64_t const* extents;
    int32_t nbExtents;
    int32_t elementType;
};

/// \return null, else what is wrong, in a text that lives until this thread's next call.
TENON_C_FUNCTION char const* tenonAddOnnxImporter(TenonOnnxImporter const* importer) noexcept;
/// Waits for calls of it by other threads.
TENON_C_FUNCTION void tenonRemoveOnnxImporter(void const* importer) noexcept;

// For a TenonImportOnnxNode. Those that return a text return null where all is well, else what is wrong, in a text that
// lives until this thread's next call.
TENON_C_FUNCTION void tenonOnnxNodeFacts(TenonOnnxModelNode const* node, TenonOnnxNodeFacts* facts) noexcept;
/// \param input null afterwards where it is left out
TENON_C_FUNCTION char const* tenonOnnxInput(TenonOnnxModelNode* node, int32_t index,
                                            nvinfer1::ITensor** input) noexcept;
/// \param isNeeded whether it is an error where the input is not known before a run; else `elementType` is 0 then
TENON_C_FUNCTION char const* tenonOnnxConstant(TenonOnnxModelNode* node, int32_t index, bool isNeeded,
                                               TenonOnnxTensor* constant) noexcept;
TENON_C_FUNCTION char const* tenonOnnxInputType(TenonOnnxModelNode* node, int32_t index, int32_t* elementType) noexcept;
TENON_C_FUNCTION char const* tenonSetOnnxElementType(TenonOnnxModelNode* node, nvinfer1::ITensor const* output,
                                                     int32_t elementType) noexcept;
TENON_C_FUNCTION bool tenonHasOnnxOutput(TenonOnnxModelNode const* node, int32_t index) noexcept;
/// \param type that it must have \param found its values, a TenonOnnxTensor where it is one; `type` 0: the node has
/// none of the name
TENON_C_FUNCTION char const* tenonOnnxAttribute(TenonOnnxModelNode* node, char const* name, int32_t type,
                                                TenonOnnxAttribute* found) noexcept;
/// The same of any type, without values of those that tenonAddOnnxNode() does not take.
TENON_C_FUNCTION char const* tenonOnnxAttributeAt(TenonOnnxModelNode* node, int32_t index,
                                                  TenonOnnxAttribute* found) noexcept;
TENON_C_FUNCTION void tenonIgnoreOnnxAttribute(TenonOnnxModelNode* node, char const* name) noexcept;
TENON_C_FUNCTION void tenonGiveOnnxOutputs(TenonOnnxModelNode* node, nvinfer1::ITensor* const* outputs,
                                           int32_t nbOutputs) noexcept;
/// \param why may be null
TENON_C_FUNCTION void tenonRefuseOnnxNode(TenonOnnxModelNode* node, char const* why) noexcept;

/// The elements of weights of any type of integers, or of any type, as these.
TENON_C_FUNCTION char const* tenonWeightsAsIntegers(nvinfer1::Weights const* weights, int64_t* elements) noexcept;
TENON_C_FUNCTION char const* tenonWeightsAsReals(nvinfer1::Weights const* weights, float* elements) noexcept;

namespace tenon {
inline namespace TENON_PLUGIN_BASE {

/// A tensor whose elements are known: a constant input of a node, or an attribute. What it refers to lives until the
/// importer returns; layers to which weights are given copy them.
class OnnxTensor {
public:
    explicit OnnxTensor(TenonOnnxTensor const& tensor) : tensor_(tensor) {}

    /// In the type that a network has for the model's: docs/onnx.md has the table. Level 7 has no names for some of
    /// them, such as that of 64-bit integers, which its networks take all the same.
    nvinfer1::Weights weights() const { return tensor_.weights; }
    nvinfer1::Dims dims() const {
        nvinfer1::Dims dims{};
        dims.nbDims = tensor_.nbExtents;
        for (int32_t i = 0; i < dims.nbDims; ++i)
            dims.d[i] = static_cast<typename std::remove_reference<decltype(dims.d[0])>::type>(tensor_.extents[i]);
        return dims;
    }
    std::vector<int64_t> extents() const {
        return std::vector<int64_t>(tensor_.extents, tensor_.extents + tensor_.nbExtents);
    }
    int64_t count() const { return tensor_.weights.count; }
    /// The type in the model, by ONNX's numbers (TensorProto.DataType).
    int32_t elementType() const { return tensor_.elementType; }
    /// The elements, of integers of whatever size, or booleans; throws std::runtime_error where they are others.
    std::vector<int64_t> integers() const {
        std::vector<int64_t> elements(static_cast<size_t>(count()));
        expectNone(tenonWeightsAsIntegers(&tensor_.weights, elements.data()));
        return elements;
    }
    /// The elements, of whatever type, as the nearest floats.
    std::vector<float> reals() const {
        std::vector<float> elements(static_cast<size_t>(count()));
        expectNone(tenonWeightsAsReals(&tensor_.weights, elements.data()));
        return elements;
    }

private:
    static void expectNone(char const* error) {
        if (error) throw std::runtime_error(error);
    }

    TenonOnnxTensor tensor_;
};

/// One node of a model, as its importer sees it. Good until the importer returns, for the thread that called it. What
/// is asked for and is not there, or is something else, is thrown as a std::runtime_error; the importer lets it
/// through, and the parser reports it with the node.
///
/// An attribute that an importer neither reads nor ignores is an error, since its effect would be lost; so is an input
/// that it does not ask for.
class OnnxModelNode {
public:
    explicit OnnxModelNode(TenonOnnxModelNode* node) : node_(node) { tenonOnnxNodeFacts(node, &facts_); }

    char const* op() const { return facts_.op; }
    /// "" for ONNX's own.
    char const* domain() const { return facts_.domain; }
    /// That of the model, or one that the parser made.
    char const* name() const { return facts_.name; }
    /// The version of the domain that the model is written for.
    int32_t opset() const { return facts_.opset; }

    /// Up to the last one that is not left out.
    int32_t inputCount() const { return facts_.nbInputs; }
    int32_t outputCount() const { return facts_.nbOutputs; }
    /// False for an optional one that is left out.
    bool hasInput(int32_t index) const { return optionalInput(index) != nullptr; }
    /// False where nobody reads it.
    bool hasOutput(int32_t index) const { return tenonHasOnnxOutput(node_, index); }

    /// An input in the importer's network, of the type and shape that it has in the model; open extents are -1 there,
    /// and known to be equal where they are. Constants are constants. \throws where it is left out
    nvinfer1::ITensor& input(int32_t index) const {
        if (nvinfer1::ITensor* const found = optionalInput(index)) return *found;
        throw std::runtime_error("input " + std::to_string(index) + " is missing");
    }
    /// Null where it is left out.
    nvinfer1::ITensor* optionalInput(int32_t index) const {
        nvinfer1::ITensor* found = nullptr;
        expectNone(tenonOnnxInput(node_, index, &found));
        return found;
    }
    /// Whether the elements of an input are known before a run. \throws where it is left out
    bool isConstant(int32_t index) const { return constantAt(index, false).elementType != 0; }
    /// The elements of an input. \throws where they are not known before a run
    OnnxTensor constant(int32_t index) const { return OnnxTensor(constantAt(index, true)); }

    /// The type of an input in the model, by ONNX's numbers (TensorProto.DataType), for which a network may have a
    /// wider one: 21 of a UINT4, which is kUINT8 here as a UINT8 is.
    int32_t elementType(int32_t index) const {
        int32_t type = 0;
        expectNone(tenonOnnxInputType(node_, index, &type));
        return type;
    }
    /// Says that of an output, for the nodes that read it. Without a word it is that of an input which is of the same
    /// type here, else that of the network.
    void setElementType(nvinfer1::ITensor const& output, int32_t elementType) const {
        expectNone(tenonSetOnnxElementType(node_, &output, elementType));
    }

    // ---- attributes. With a default: what an absent one means. Without: it must be there.

    bool has(char const* name) const {
        for (int32_t i = 0; i < facts_.nbAttributes; ++i) {
            if (std::string(at(i).name) == name) return ignore({name}), true;
        }
        return false;
    }
    int64_t integer(char const* name) const { return first<int64_t>(needed(name, kInt)); }
    int64_t integer(char const* name, int64_t otherwise) const {
        TenonOnnxAttribute const found = find(name, kInt);
        return found.type ? first<int64_t>(found) : otherwise;
    }
    float real(char const* name) const { return first<float>(needed(name, kFloat)); }
    float real(char const* name, float otherwise) const {
        TenonOnnxAttribute const found = find(name, kFloat);
        return found.type ? first<float>(found) : otherwise;
    }
    std::string text(char const* name) const { return first<char const*>(needed(name, kString)); }
    std::string text(char const* name, std::string otherwise) const {
        TenonOnnxAttribute const found = find(name, kString);
        return found.type ? first<char const*>(found) : otherwise;
    }
    std::vector<int64_t> integers(char const* name) const { return all<int64_t>(needed(name, kInts)); }
    std::vector<int64_t> integers(char const* name, std::vector<int64_t> otherwise) const {
        TenonOnnxAttribute const found = find(name, kInts);
        return found.type ? all<int64_t>(found) : otherwise;
    }
    std::vector<float> reals(char const* name) const { return all<float>(needed(name, kFloats)); }
    std::vector<float> reals(char const* name, std::vector<float> otherwise) const {
        TenonOnnxAttribute const found = find(name, kFloats);
        return found.type ? all<float>(found) : otherwise;
    }
    std::vector<std::string> texts(char const* name) const { return textsOf(needed(name, kStrings)); }
    std::vector<std::string> texts(char const* name, std::vector<std::string> otherwise) const {
        TenonOnnxAttribute const found = find(name, kStrings);
        return found.type ? textsOf(found) : otherwise;
    }
    OnnxTensor tensor(char const* name) const { return OnnxTensor(first<TenonOnnxTensor>(needed(name, kTensor))); }

    /// All attributes but tensors and graphs, to be given to another operator with addOnnxNode(): they count as read.
    OnnxAttributes attributes() const {
        OnnxAttributes given;
        for (int32_t i = 0; i < facts_.nbAttributes; ++i) {
            TenonOnnxAttribute const one = at(i);
            if (one.type == kInt) given.integer(one.name, integer(one.name));
            if (one.type == kFloat) given.real(one.name, real(one.name));
            if (one.type == kString) given.text(one.name, text(one.name));
            if (one.type == kInts) given.integers(one.name, integers(one.name));
            if (one.type == kFloats) given.reals(one.name, reals(one.name));
            if (one.type == kStrings) given.texts(one.name, texts(one.name));
        }
        return given;
    }
    /// For attributes that change nothing here, whether the node has them or not.
    void ignore(std::initializer_list<char const*> names) const {
        for (char const* name : names) tenonIgnoreOnnxAttribute(node_, name);
    }

private:
    /// The numbers of ONNX's AttributeProto.AttributeType.
    enum Type : int32_t { kFloat = 1, kInt = 2, kString = 3, kTensor = 4, kFloats = 6, kInts = 7, kStrings = 8 };

    static void expectNone(char const* error) {
        if (error) throw std::runtime_error(error);
    }
    template <class T> static T first(TenonOnnxAttribute const& found) { return *static_cast<T const*>(found.values); }
    template <class T> static std::vector<T> all(TenonOnnxAttribute const& found) {
        T const* const values = static_cast<T const*>(found.values);
        return std::vector<T>(values, values + found.count);
    }
    static std::vector<std::string> textsOf(TenonOnnxAttribute const& found) {
        char const* const* const values = static_cast<char const* const*>(found.values);
        return std::vector<std::string>(values, values + found.count);
    }

    TenonOnnxTensor constantAt(int32_t index, bool isNeeded) const {
        TenonOnnxTensor constant{};
        expectNone(tenonOnnxConstant(node_, index, isNeeded, &constant));
        return constant;
    }
    TenonOnnxAttribute at(int32_t index) const {
        TenonOnnxAttribute found{};
        expectNone(tenonOnnxAttributeAt(node_, index, &found));
        return found;
    }
    TenonOnnxAttribute find(char const* name, Type type) const {
        TenonOnnxAttribute found{};
        expectNone(tenonOnnxAttribute(node_, name, type, &found));
        return found;
    }
    TenonOnnxAttribute needed(char const* name, Type type) const {
        TenonOnnxAttribute const found = find(name, type);
        if (found.type == 0) throw std::runtime_error("attribute '" + std::string(name) + "' is missing");
        return found;
    }

    TenonOnnxModelNode* node_;
    TenonOnnxNodeFacts facts_;
};

/// Adds the layers that compute a node. Called on the thread that reads the model, each time that a model with such a
/// node is read, asked about or refitted from, and for several threads at once where several read models.
/// \param network for this node alone, with explicit batch and without layers; what is added to it is put where the
/// node
///        stands, in loops and branches too, with the node's name and '/' in front of the layers' names. It copies
///        weights. Not to be kept, and given neither inputs nor outputs. Where a call to it fails, so does the node
/// \return a tensor of `network` for each of node.outputCount() outputs; null only where node.hasOutput() is false
///
/// What it throws is reported with the node. In its calls of addOnnxNode() it is not asked itself: an importer of an
/// operator of ONNX can add the operator as the library knows it.
using ImportOnnxNode =
    std::function<std::vector<nvinfer1::ITensor*>(OnnxModelNode const& node, nvinfer1::INetworkDefinition& network)>;

/// Versions of an operator's domain.
struct OnnxOpsets {
    OnnxOpsets(int32_t first, int32_t last) : first(first), last(last) {}
    /// This one and all later ones.
    static OnnxOpsets from(int32_t first) { return OnnxOpsets(first, INT32_MAX); }

    int32_t first;
    int32_t last;
};

namespace TENON_PLUGIN_HOSTING {

/// Hidden, so that its address lies in the library whose importer it calls.
inline void importOnnxNode(void const* importer, TenonOnnxModelNode* node, nvinfer1::INetworkDefinition* network) {
    try {
        auto const outputs = (*static_cast<ImportOnnxNode const*>(importer))(OnnxModelNode(node), *network);
        tenonGiveOnnxOutputs(node, outputs.data(), static_cast<int32_t>(outputs.size()));
    } catch (std::exception const& error) {
        tenonRefuseOnnxNode(node, error.what());
    } catch (...) {
        tenonRefuseOnnxNode(node, nullptr);
    }
}

} // namespace TENON_PLUGIN_HOSTING

/// An importer of one operator, registered while this object lives. It goes before the library's own importer of the
/// operator, and before a plugin of that name unless the parser's flag kENABLE_PLUGIN_OVERRIDE is set; among importers
/// of an operator the one that was registered last. A model of an opset that is not among its own goes on to the next
/// of these. Any thread; an importer that is being called is destroyed when that has ended.
class OnnxImporter {
public:
    /// \param domain "" for ONNX's own
    /// \throws std::runtime_error where op, opsets or import are empty, or the same program or library has registered
    /// an importer of this operator for one of these opsets already. While IPluginRegistry::loadLibrary() opens the
    /// library it does not throw: loadLibrary() says it. \param function not for callers: that of the program or
    /// library that the caller is in
    OnnxImporter(std::string const& op, std::string const& domain, OnnxOpsets opsets, ImportOnnxNode import,
                 TenonImportOnnxNode function = hosting::importOnnxNode)
        : import_(new ImportOnnxNode(std::move(import))) {
        TenonOnnxImporter const importer{
            op.c_str(), domain.c_str(), opsets.first, opsets.last, *import_ ? function : nullptr, import_.get()};
        if (char const* const error = tenonAddOnnxImporter(&importer)) throw std::runtime_error(error);
    }
    ~OnnxImporter() {
        if (import_) tenonRemoveOnnxImporter(import_.get());
    }
    OnnxImporter(OnnxImporter&&) = default;
    OnnxImporter& operator=(OnnxImporter&&) = delete;

private:
    std::unique_ptr<ImportOnnxNode> import_;
};

} // namespace TENON_PLUGIN_BASE
} // namespace tenon

#endif // TENON_ONNX_H
