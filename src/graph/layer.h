// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/dim_expr.h"
#include "graph/fields.h"

#include <memory>
#include <optional>

namespace tenon {

/// One input as a shape rule sees it.
struct Operand {
    bool present = true; // false: a missing optional input
    DataType type = DataType::Float32;
    Shape shape;
    std::optional<Shape> values;      // of an integer tensor whose elements are known, perhaps as symbols
    Literal const* literal = nullptr; // the elements themselves, if they are known
};

/// One output as a shape rule describes it.
struct Result {
    DataType type = DataType::Float32;
    Shape shape;
    std::optional<Shape> values = {}; // of a small integer tensor, if the rule knows them
};

/// A data-dependent extent: `symbol` represents it in the output shapes, and output `output` (a scalar integer) holds
/// the number after the run.
struct SizeTensor {
    std::string symbol;
    int64_t output = 0;
    DimExpr opt;
    DimExpr upper; // memory is planned for it

    DimExpr dim() const { return DimExpr::symbol(symbol); }
};

/// The inputs from which the elements of a layer's only output are taken, unchanged: reordered, repeated or left out.
struct MovedInputs {
    int count = 0;          // the first inputs of the node; 0: the layer computes
    bool addsZeros = false; // zeros are inserted too
    bool inOrder = false;   // the output equals input 0 if their shapes are equal

    /// The inputs, if the output has no other elements.
    int alone() const { return addsZeros ? 0 : count; }
};

/// The role of an input that contains weights.
enum class WeightsRole : uint8_t { Kernel, Bias, Shift, Scale };

/// The properties of the inputs of a graph inside a layer, one each. Where shapes or values differ between its runs,
/// these are bounds of them.
struct BodyInputs {
    std::vector<Operand> least;
    std::vector<Operand> most;
    std::vector<int> from; // the node's input that it is in every run, or -1: the layer computes it
};

class Graph;
class Layer;

/// The inputs of a node as its rules see them, with checks that read as sentences:
/// `in.expectCount(2, 3).expectRank(0, 3, 5).expectSameType(0, 1)`. Checks throw an Error that the caller prefixes
/// with the node.
class Operands {
public:
    /// `node` names unknown extents, `layer` its inputs.
    Operands(std::vector<Operand> operands, std::string node, Layer const* layer = nullptr)
        : all_(std::move(operands)), node_(std::move(node)), layer_(layer) {}

    int count() const { return static_cast<int>(all_.size()); }
    Operand const& operator[](int i) const { return all_[static_cast<size_t>(i)]; }
    bool has(int i) const { return i < count() && (*this)[i].present; }
    int rank(int i) const { return static_cast<int>((*this)[i].shape.size()); }
    /// The name of an input in texts: "axes", "input 0".
    std::string nameOf(int i) const;

    Operands const& expectCount(int least, int most) const;
    Operands const& expectRank(int input, int least, int most) const;
    Operands const& expectOneElement(int input) const; // of rank 0 or 1
    Operands const& expectSameType(int a, int b) const;
    Operands const& expectFloat(int input) const;
    Operands const& expectInteger(int input) const; // int32 or int64
    Operands const& expectNumbers(int input) const; // floating point or integer types that layers compute with

    /// An extent that is known at run time only.
    DimExpr unknown(std::string_view what) const;
    /// The elements of an integer input that decides the shape: known, symbolic, or (one new symbol each) unknown. An
    /// Error if its length is not known.
    Shape valuesOf(int input, std::string_view what) const;

private:
    std::vector<Operand> all_;
    std::string node_;
    Layer const* layer_;
};

/// The computation of a node. Fields are plain data, set before the layer is put into a graph or through the API.
/// Layers do not depend on devices: kernels are found by `kind()`.
class Layer {
public:
    virtual ~Layer() = default;

    virtual std::string_view kind() const = 0; // "Softmax"
    virtual std::unique_ptr<Layer> clone() const = 0;
    virtual void fields(Fields& fields) = 0;

    /// The type rule and the shape rule. Must accept constants and symbols alike.
    virtual std::vector<Result> infer(Operands const& in) const = 0;
    /// The reference: simple and correct, dense row-major, types as inferred by `infer`. A missing optional input has
    /// null data. Inputs are only read.
    virtual void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const = 0;

    /// The name of an input in messages, where ONNX or the API number it differently: "axes".
    virtual std::string inputName(int input) const;

    /// The elements of this input, not only its type and shape, decide the results of `infer`; it is computed on the
    /// host.
    virtual bool readsValuesOf(int /*input*/) const { return false; }
    /// Only the shape of this input matters; its elements are never read.
    virtual bool readsShapeOnly(int /*input*/) const { return false; }
    /// Equal inputs give different outputs in another run (random numbers, data from other devices), so they are never
    /// computed before the run.
    virtual bool varies() const { return false; }
    /// False: only a kernel can compute it; reference() throws. True for all layers but plugins.
    virtual bool hasReference() const { return true; }
    /// Which inputs it moves rather than computes with.
    virtual MovedInputs moved(Operands const& /*in*/) const { return {}; }
    /// The role of an input among the weights of the layer; none for other inputs.
    virtual std::optional<WeightsRole> weightsRole(int /*input*/) const { return std::nullopt; }
    /// The layer that replaces this one once its only output is known to be `value`; null: a plain constant.
    virtual std::unique_ptr<Layer> folded(Operands const& /*in*/, Literal const& /*value*/) const { return nullptr; }
    /// The data-dependent extents of the outputs.
    virtual std::vector<SizeTensor> sizes(Operands const& /*in*/) const { return {}; }
    /// The graphs inside it, which it runs depending on its inputs.
    virtual std::vector<Graph*> bodies() { return {}; }
    /// For each of them, the properties of its inputs.
    virtual std::vector<BodyInputs> bodyInputs(Operands const& /*in*/) const { return {}; }
    /// The value of a constant; null for all other layers.
    virtual Literal const* constant() const { return nullptr; }
};

/// Gives a layer its kind and clone(): struct Softmax : LayerOf<Softmax> { static constexpr auto kKind = "Softmax"; …
/// }.
template <class T> class LayerOf : public Layer {
public:
    std::string_view kind() const override { return T::kKind; }
    std::unique_ptr<Layer> clone() const override { return std::make_unique<T>(static_cast<T const&>(*this)); }
};

/// The layer as a T, or null.
template <class T> T const* as(Layer const& layer) {
    return layer.kind() == T::kKind ? static_cast<T const*>(&layer) : nullptr;
}
template <class T> T* as(Layer& layer) { return layer.kind() == T::kKind ? static_cast<T*>(&layer) : nullptr; }

/// Registry entry of a layer kind, used by the plan reader. src/layers/<name>/<name>.cpp defines `LayerEntry
/// tenon::layers::<name>Layer() { return entryOf<T>(); }`; the folder's name is the registration.
struct LayerEntry {
    std::string_view kind;
    std::unique_ptr<Layer> (*make)();
};

template <class T> constexpr LayerEntry entryOf() {
    return {T::kKind, [] { return std::unique_ptr<Layer>(std::make_unique<T>()); }};
}

/// All layer kinds; written by the build from the folders of src/layers.
std::span<LayerEntry const> allLayers();
/// A layer of this kind with default fields; an Error names the kind if there is none.
std::unique_ptr<Layer> makeLayer(std::string_view kind);

} // namespace tenon
