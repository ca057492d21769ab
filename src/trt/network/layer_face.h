// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInfer.h"
#include "graph/graph.h"
#include "trt/edge/convert.h"
#include "trt/edge/edge.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tenon::trt {

namespace api = nvinfer1;

class Network;

/// The common part of all layers of the API, over a node of the graph. FaceOf below adds the class of the API.
class LayerFace {
public:
    LayerFace(Network& network, Node& node) : network_(network), node_(node) {}
    virtual ~LayerFace() = default;

    virtual api::ILayer& shown() = 0;
    /// Called before shapes are inferred, when everything before the layer is known.
    virtual void settle() {}
    /// Called when a build begins: completes settings that had to wait for the last setter.
    virtual void complete() {}
    /// Called when a build begins and types are known: requests the types that the application set for outputs, or
    /// converts to them.
    void settleOutputTypes();
    /// The type of an output for the application, whatever type the layer produces (ITensor::setType).
    void bindOutput(int32_t index, DataType type);
    /// Resets both types that the application set for an output.
    void forgetOutputTypes(int32_t index);
    Network& network() const { return network_; }
    Node& node() const { return node_; }
    std::string const& metadata() const { return node_.metadata; }

protected:
    Reporter const& reporter() const;
    /// The node's fields or inputs have changed.
    void changed() const;

    void rename(char const* name) noexcept;
    void describe(char const* metadata) noexcept;
    /// The number of inputs without weights, which are also inputs of the node.
    int32_t inputCount() const noexcept;
    /// The number of outputs that the application sees, the first of the node's; all, unless the last ones are size
    /// tensors, which the API does not have.
    virtual int32_t outputCount() const noexcept { return static_cast<int32_t>(node_.outputs().size()); }
    api::ITensor* inputAt(int32_t index) const noexcept;
    api::ITensor* outputAt(int32_t index) const noexcept;
    void replaceInput(int32_t index, api::ITensor& tensor) noexcept;
    /// The tensor that readers of the output see: after the conversion, if there is one.
    Tensor* converted(int32_t index) const;
    void convertOutput(int32_t index, api::DataType type) noexcept;
    void resetOutput(int32_t index) noexcept;
    bool isConverted(int32_t index) const noexcept;
    /// The output is unchanged in the network if a build can store it in the requested type; else a conversion follows
    /// it. For identity layers that is the purpose; values of loops and conditionals are stored in their own type.
    bool keepsIts(Tensor const& output, DataType wanted) const;
    /// The application requested a type of the output (ILayer::setOutputType).
    bool hasOutputType(int32_t index) const noexcept;
    api::DataType outputType(int32_t index) const noexcept;
    void wishPrecision(api::DataType type) noexcept;
    bool acceptRanks(int32_t ranks) noexcept;
    /// Sets the number of devices among which a layer exchanges data; an Error below 1.
    static int64_t checkedRanks(int32_t ranks);
    /// Throws an Error in a strongly typed network.
    void expectWeaklyTyped(std::string_view what) const;
    /// Shapes as far as they are known; an Error if earlier layers do not fit together.
    Shape const& shapeOf(Tensor const& tensor) const;
    Axes inputAxes(int32_t index = 0) const;
    Axes outputAxes(int32_t index = 0) const;
    /// The weights at this input, if the application passed them as weights.
    api::Weights weightsAt(int32_t input) const noexcept;

private:
    /// The types that the application set for an output.
    struct OutputTypes {
        std::optional<DataType> asked; // of the layer: the type that it produces
        std::optional<DataType> bound; // of the network's output: the type that the application reads
    };
    OutputTypes& typesOf(int32_t index);
    std::optional<DataType> conversionFor(int32_t index);
    void settleOutputType(int32_t index);

    Network& network_;
    Node& node_;
    std::vector<OutputTypes> types_; // for each output
    std::vector<Node*> conversions_; // for each output, or null
};

/// The type that an application requests for indices; an Error unless it is kINT32 or kINT64.
DataType indicesFromApi(api::DataType type);

/// A layer of the API: its class `Interface`, the layer `K` of the graph that it wraps, and the value of getType().
template <class Interface, class K, api::LayerType type> class FaceOf : public Interface, public LayerFace {
public:
    using Kind = K;
    using LayerFace::LayerFace;

    api::ILayer& shown() override { return *this; }

    void setName(char const* name) noexcept override { rename(name); }
    char const* getName() const noexcept override { return node().name.c_str(); }
    int32_t getNbInputs() const noexcept override { return inputCount(); }
    api::ITensor* getInput(int32_t index) const noexcept override { return inputAt(index); }
    int32_t getNbOutputs() const noexcept override { return outputCount(); }
    api::ITensor* getOutput(int32_t index) const noexcept override { return outputAt(index); }
    void setInput(int32_t index, api::ITensor& tensor) noexcept override { replaceInput(index, tensor); }
    void setPrecision(api::DataType wish) noexcept override { wishPrecision(wish); }
    api::DataType getPrecision() const noexcept override { return toApi(node().askedType.value_or(DataType::Float32)); }
    bool precisionIsSet() const noexcept override { return node().askedType.has_value(); }
    void resetPrecision() noexcept override { node().askedType.reset(); }
    void setOutputType(int32_t index, api::DataType to) noexcept override { convertOutput(index, to); }
    api::DataType getOutputType(int32_t index) const noexcept override { return outputType(index); }
    bool outputTypeIsSet(int32_t index) const noexcept override { return hasOutputType(index); }
    void resetOutputType(int32_t index) noexcept override { resetOutput(index); }
    void setMetadata(char const* text) noexcept override { describe(text); }
    char const* getMetadata() const noexcept override { return metadata().c_str(); }
    bool setNbRanks(int32_t ranks) noexcept override { return acceptRanks(ranks); }
    int32_t getNbRanks() const noexcept override { return 1; }

protected:
    K const& layer() const { return static_cast<K const&>(*node().layer); }

    /// A setter: `body` changes the layer's fields, or throws before: an exception is reported, and nothing changes.
    template <class Body> bool edit(char const* method, Body&& body) noexcept {
        return guarded(reporter(), method, [&] {
            locate([&] { return text(node()); }, [&] { body(static_cast<K&>(*node().layer)); });
            changed();
            return true;
        });
    }

    /// A getter that may find nothing.
    template <class Body> auto ask(char const* method, Body&& body) const noexcept {
        return guarded(reporter(), method, [&] { return body(layer()); });
    }

    int32_t getType_() const noexcept override { return static_cast<int32_t>(type); }
};

/// Makes the face of a node that a parser added. src/layers/<name>/<name>_trt.cpp defines
/// `FaceEntry tenon::trt::<name>Face() { return faceEntry<ItsFace>(); }`; the file's name is the registration.
struct FaceEntry {
    std::string_view kind;
    std::unique_ptr<LayerFace> (*make)(Network& network, Node& node);
};

template <class F> FaceEntry faceEntry() {
    return {F::Kind::kKind, [](Network& network, Node& node) -> std::unique_ptr<LayerFace> {
                return std::make_unique<F>(network, node);
            }};
}

/// All of them; generated by the build from those files.
std::span<FaceEntry const> allFaces();
/// The face of a node that has none yet, whatever its kind.
std::unique_ptr<LayerFace> makeFace(Network& network, Node& node);

} // namespace tenon::trt
