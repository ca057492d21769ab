// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInfer.h"
#include "graph/graph.h"
#include "trt/edge/convert.h"
#include "trt/edge/edge.h"
#include "trt/edge/link.h"
#include "trt/edge/weights_roles.h"
#include "trt/network/layer_face.h"
#include "trt/network/tensor_face.h"

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tenon {
struct Window;
}

namespace tenon::trt {

struct OwnRegistry;

using api::ITensor;
using api::Weights;
using api::tenonAbi::Windowed;

/// Returned to the application by addLoop() and addIfConditional(): not a layer, but kept with the network.
class Control {
public:
    virtual ~Control() = default;
};

/// The builder that made a network. It may be deleted before the network: getBuilder() then makes another one.
struct Origin {
    Link<api::IBuilder> builder;
    std::shared_ptr<OwnRegistry> registry;
    std::unique_ptr<api::IBuilder> (*makeBuilder)(api::ILogger*, std::shared_ptr<OwnRegistry> const&);
    int32_t version; // NV_TENSORRT_VERSION of the application
};

/// The weights of a network that may be refitted in an engine.
enum class Refittable { None, Marked, All };

/// INetworkDefinition over a Graph. Tensors and layers of the API are faces of the graph's tensors and nodes, created
/// on demand, so that layers that a parser wrote directly into the graph look like layers added here.
class Network final : public api::INetworkDefinition {
public:
    Network(Origin origin, Reporter const& reporter, uint64_t flags);
    ~Network() override;

    Link<Network> const& link() const { return linked_.link(); }
    /// An empty one by the same builder and with the same flags, but with explicit batch. It copies weights, so that
    /// the code that adds layers to it need not outlive it.
    std::unique_ptr<Network> another() const { return another(reporter_); }
    /// The same, which reports there.
    std::unique_ptr<Network> another(Reporter const& reporter) const;
    /// The registry in which its parsers look up plugins.
    std::shared_ptr<OwnRegistry> const& registry() const { return origin_.registry; }
    /// Of the application, as PlanSettings::apiVersion: NV_TENSORRT_VERSION, whose digits before 10.0 had another
    /// meaning.
    int64_t apiVersion() const {
        int64_t const version = origin_.version;
        return version >= 100'000 ? version : version / 1000 * 10'000 + version % 1000;
    }
    /// The application is of a version with 64-bit integers.
    bool knowsInt64() const { return origin_.version >= 9000; }
    /// The application is of a version with weights without values, which a refitter sets.
    bool takesPlaceholders() const { return origin_.version >= NV_TENSORRT_VERSION_INT(11, 0, 0); }

    Graph& graph() noexcept { return graph_; }
    Graph const& graph() const noexcept { return graph_; }
    Reporter const& reporter() const noexcept { return reporter_; }
    /// The first axis of each tensor is the batch, which is hidden from the application.
    bool hasImplicitBatch() const noexcept;
    /// The number of leading axes that are hidden from the application.
    int hiddenAxes() const noexcept { return hasImplicitBatch() ? 1 : 0; }
    /// The batch's extent, one symbol for all inputs, so that they are known to be equal.
    static DimExpr const& batch();
    /// Tensors that are kept after fusion may be shown to a debug listener.
    bool debugsUnfused() const noexcept { return debugUnfused_; }

    /// A layer of a plugin of the first generation; null on error, which is reported.
    api::ILayer* addV1(std::vector<ITensor*> const& inputs, api::IPlugin& plugin, bool isExt) noexcept {
        return addPlugin_(inputs.data(), static_cast<int32_t>(inputs.size()), &plugin, isExt);
    }

    // ---- for the layers

    /// An add method: adds a layer wrapped in a face of class F. On error null, reported as "method: text".
    template <class F>
    F* add(char const* method, std::vector<ITensor*> const& inputs, typename F::Kind layer) noexcept {
        return guarded(reporter_, method, [&] { return addFace<F>(inputs, std::move(layer)); });
    }
    /// The same inside an add method that guards itself; optional inputs may be null. If `complete` is false, the layer
    /// still lacks fields or inputs and is checked later.
    template <class F>
    F* addFace(std::vector<ITensor*> const& inputs, typename F::Kind layer, bool complete = true, int outputs = 1) {
        return addNode<F>(tensorsOf(inputs), std::move(layer), complete, outputs);
    }
    template <class F>
    F* addNode(std::vector<Tensor*> inputs, typename F::Kind layer, bool complete = true, int outputs = 1) {
        for (Tensor const* input : inputs) refresh(input);
        auto owned = std::make_unique<typename F::Kind>(std::move(layer));
        if (complete) inputs = fittedTo(*owned, std::move(inputs));
        Node& node = complete ? *graph_.add(std::move(owned), std::move(inputs))
                              : *graph_.addUnchecked(std::move(owned), std::move(inputs), outputs);
        if (!complete) touch(node);
        auto face = std::make_unique<F>(*this, node);
        F* added = face.get();
        faces_[&node] = std::move(face);
        return added;
    }
    /// The graph's tensor of one of the API; an Error if it belongs to another network.
    Tensor& tensorOf(ITensor const& tensor) const;
    /// `count` tensors of the application; an Error names a null one.
    static std::vector<ITensor*> listOf(ITensor* const* tensors, int32_t count, std::string_view what);
    Shape const& shapeOf(Tensor const& tensor);
    Axes axesOf(ITensor const& tensor) { return axesOf(shapeOf(tensorOf(tensor))); }
    Axes axesOf(Shape const& shape) const { return {static_cast<int>(shape.size()), hiddenAxes()}; }
    /// Dimensions as the application sees them ↔ those of the graph's tensor, whose batch becomes `batch`.
    Dims64 shown(Dims64 const& dims) const { return hasImplicitBatch() ? behindBatch(dims) : dims; }
    Dims64 whole(Dims64 const& dims, int64_t batch = 1) const {
        return hasImplicitBatch() ? withBatch(batch, dims) : dims;
    }
    /// The shape in the graph of an input with these dimensions.
    Shape wholeShape(std::string const& name, Dims64 const& dimensions, DimensionNames const& names) const;
    /// Throws an Error in a network with implicit batch.
    void expectExplicitBatch(std::string_view what) const;
    /// In a network with implicit batch, for layers that do not broadcast: if some tensors have a batch and others
    /// extent 1, adds nodes that repeat the latter, except for inputs of which `repeatsItself` is true. Returns which
    /// tensors were replaced.
    std::vector<int64_t> repeatSamples(std::vector<Tensor*>& tensors,
                                       std::function<bool(int32_t)> const& repeatsItself = {});
    /// The tensor that such a node repeats, or that is widened (mixed_types.cpp); for other tensors the tensor itself.
    Tensor& beforeRepetition(Tensor& tensor) const;
    /// The face of a tensor; null for null.
    ITensor* faceOf(Tensor* tensor);
    TensorFace& tensorFaceOf(Tensor& tensor);
    /// The face of a layer's output or a network input, after its conversion if it has one; null if it is removed.
    ITensor* outputOf(Tensor const* made);
    /// Hides the node from the application.
    Node* hide(Node* node) { return hidden_.insert(node), node; }
    /// A node that is hidden from the application, whose fields and inputs are checked later.
    Node* addHidden(std::unique_ptr<Layer> layer, std::vector<Tensor*> inputs) {
        return hide(graph_.addUnchecked(std::move(layer), std::move(inputs), 0));
    }
    /// Its loops and conditionals, by number.
    std::vector<std::unique_ptr<Control>>& controls() { return controls_; }
    /// Refers to the values, or has copied them.
    Literal valuesOf(Weights const& weights, Dims const& dims) const;
    bool isPlaceholder(Literal const& value) const;
    /// As the application sees them: a placeholder has no values. Null: empty weights.
    Weights weightsOf(Literal const* value) const;
    /// Whether a layer has no weights. A count without values is a placeholder if the network accepts these, else an
    /// error.
    static bool areLeftOut(Weights const& weights) { return weights.count == 0; }
    /// Adds weights as a constant that is hidden from the application; null for empty weights.
    Tensor* addWeights(Weights const& weights, Dims const& dims);
    /// The same, replacing the node's input.
    void replaceWeights(Node& node, int input, Weights const& weights, Dims const& dims);
    /// The same with a value that we own.
    void replaceConstant(Node& node, int input, Literal value);
    /// Adds or removes outputs; an Error if a removed one is used.
    void resizeOutputs(Node& node, int count);
    bool isHidden(Node const* node) const { return hidden_.contains(node); }
    /// A constant that the application passed as weights.
    bool isWeights(Tensor const& tensor) const { return tensor.literal() && isHidden(tensor.producer()); }
    /// Adds a hidden conversion after an output, for all its readers, or removes it again.
    Node* addConversion(Tensor& output, DataType type);
    void removeConversion(Node* conversion);
    /// The layer's output of which `tensor` is the conversion; else `tensor`.
    Tensor& beforeConversion(Tensor& tensor) const;
    api::ILayer& layerOf(Node& node);
    LayerFace& faceOf(Node& node) const;

    /// The node has changed: its outputs are inferred again when requested.
    void touch(Node& node) { stale_.insert(&node); }
    /// The output extents of a layer with a window by the application's IOutputDimensionsFormula; empty if it has none.
    std::vector<int64_t> outputsByFormula(Node const& node, Windowed layers, Window const& window,
                                          std::span<int64_t const> kernel) const;
    /// Infers changed nodes that `tensor` (may be null) depends on; an Error names the layer that does not fit.
    void refresh(Tensor const* tensor) { refresh(std::span(&tensor, 1)); }

    // ---- for builds

    /// Calls LayerFace::complete() of all layers.
    void complete();
    /// The formats that the application allows for an input or output; empty: any.
    std::optional<api::TensorFormats> allowedFormats(Tensor const& tensor) const;
    /// The type of an input or output for the application, if the network computes in another.
    std::optional<DataType> outerType(Tensor const& tensor) const;
    std::vector<LayerFace*> const& layers() const;
    /// Gives the refittable constants their names in the engine.
    void nameWeights(Refittable which);
    bool hasPlaceholders() const { return !placeholders().empty(); }
    /// The names, by nameWeights(), of the weights without values.
    std::set<std::string> placeholders() const;

    // ---- the API; src/layers/<name>/<name>_trt.cpp defines the add method of its layer

    void markOutput(ITensor& tensor) noexcept override;
    void unmarkOutput(ITensor& tensor) noexcept override;
    void removeTensor(ITensor& tensor) noexcept override;
    int32_t getNbLayers() const noexcept override;
    api::ILayer* getLayer(int32_t index) const noexcept override;
    int32_t getNbInputs() const noexcept override;
    ITensor* getInput(int32_t index) const noexcept override;
    int32_t getNbOutputs() const noexcept override;
    ITensor* getOutput(int32_t index) const noexcept override;
    void setName(char const* name) noexcept override;
    char const* getName() const noexcept override { return graph_.name.c_str(); }
    bool markOutputForShapes(ITensor& tensor) noexcept override;
    bool unmarkOutputForShapes(ITensor& tensor) noexcept override;
    bool setWeightsName(Weights weights, char const* name) noexcept override;
    void setErrorRecorder(api::IErrorRecorder* recorder) noexcept override { reporter_.setRecorder(recorder); }
    api::IErrorRecorder* getErrorRecorder() const noexcept override { return reporter_.recorder(); }
    api::IBuilder& getBuilder() const noexcept override;
    bool markDebug(ITensor& tensor) noexcept override;
    bool unmarkDebug(ITensor& tensor) noexcept override;
    bool isDebugTensor(ITensor const& tensor) const noexcept override;
    bool markUnfusedTensorsAsDebugTensors() noexcept override;
    bool unmarkUnfusedTensorsAsDebugTensors() noexcept override;
    bool markWeightsRefittable(char const* name) noexcept override;
    bool unmarkWeightsRefittable(char const* name) noexcept override;
    bool areWeightsMarkedRefittable(char const* name) const noexcept override;

    api::IActivationLayer* addActivation(ITensor& input, api::ActivationType type) noexcept override;
    api::IParametricReLULayer* addParametricReLU(ITensor& input, ITensor& slope) noexcept override;
    api::IUnaryLayer* addUnary(ITensor& input, api::UnaryOperation operation) noexcept override;
    api::IElementWiseLayer* addElementWise(ITensor& input1, ITensor& input2,
                                           api::ElementWiseOperation op) noexcept override;
    api::IScaleLayer* addScale(ITensor& input, api::ScaleMode mode, Weights shift, Weights scale,
                               Weights power) noexcept override;
    api::IScaleLayer* addScaleNd(ITensor& input, api::ScaleMode mode, Weights shift, Weights scale, Weights power,
                                 int32_t channelAxis) noexcept override;
    api::ISoftMaxLayer* addSoftMax(ITensor& input) noexcept override;
    api::IRaggedSoftMaxLayer* addRaggedSoftMax(ITensor& input, ITensor& bounds) noexcept override;
    api::IReduceLayer* addReduce(ITensor& input, api::ReduceOperation operation, uint32_t reduceAxes,
                                 bool keepDimensions) noexcept override;
    api::ITopKLayer* addTopK(ITensor& input, api::TopKOperation op, int32_t k, uint32_t reduceAxes) noexcept override;
    api::ITopKLayer* addTopK(ITensor& input, api::TopKOperation op, int32_t k, uint32_t reduceAxes,
                             api::DataType indicesType) noexcept override;
    api::IMatrixMultiplyLayer* addMatrixMultiply(ITensor& input0, api::MatrixOperation op0, ITensor& input1,
                                                 api::MatrixOperation op1) noexcept override;
    api::IEinsumLayer* addEinsum(ITensor* const* inputs, int32_t nbInputs, char const* equation) noexcept override;
    api::ICumulativeLayer* addCumulative(ITensor& input, ITensor& axis, api::CumulativeOperation operation,
                                         bool exclusive, bool reverse) noexcept override;
    api::ILRNLayer* addLRN(ITensor& input, int64_t window, float alpha, float beta, float k) noexcept override;
    api::IResizeLayer* addResize(ITensor& input) noexcept override;
    api::IGridSampleLayer* addGridSample(ITensor& input, ITensor& grid) noexcept override;
    api::INormalizationLayer* addNormalization(ITensor& input, ITensor& scale, ITensor& bias,
                                               uint32_t axesMask) noexcept override;
    api::INormalizationLayer* addNormalizationV2(ITensor& input, ITensor& scale, ITensor& bias,
                                                 uint32_t axesMask) noexcept override;
    api::IConcatenationLayer* addConcatenation(ITensor* const* inputs, int32_t nbInputs) noexcept override;
    api::IShuffleLayer* addShuffle(ITensor& input) noexcept override;
    api::IShapeLayer* addShape(ITensor& input) noexcept override;
    api::ISqueezeLayer* addSqueeze(ITensor& input, ITensor& axes) noexcept override;
    api::ISqueezeLayer* addSqueeze(ITensor& input, ITensor* axes) noexcept override;
    api::IUnsqueezeLayer* addUnsqueeze(ITensor& input, ITensor& axes) noexcept override;
    api::IGatherLayer* addGather(ITensor& data, ITensor& indices, int32_t axis) noexcept override;
    api::IGatherLayer* addGatherV2(ITensor& data, ITensor& indices, api::GatherMode mode) noexcept override;
    api::IScatterLayer* addScatter(ITensor& data, ITensor& indices, ITensor& updates,
                                   api::ScatterMode mode) noexcept override;
    api::IOneHotLayer* addOneHot(ITensor& indices, ITensor& values, ITensor& depth, int32_t axis) noexcept override;
    api::INonZeroLayer* addNonZero(ITensor& input) noexcept override;
    api::INonZeroLayer* addNonZero(ITensor& input, api::DataType indicesType) noexcept override;
    api::IReverseSequenceLayer* addReverseSequence(ITensor& input, ITensor& sequenceLens) noexcept override;
    api::ISelectLayer* addSelect(ITensor& condition, ITensor& thenInput, ITensor& elseInput) noexcept override;
    api::IIdentityLayer* addIdentity(ITensor& input) noexcept override;
    api::ICastLayer* addCast(ITensor& input, api::DataType toType) noexcept override;
    api::IAssertionLayer* addAssertion(ITensor& condition, char const* message) noexcept override;
    api::INMSLayer* addNMS(ITensor& boxes, ITensor& scores, ITensor& maxOutputBoxesPerClass) noexcept override;
    api::INMSLayer* addNMS(ITensor& boxes, ITensor& scores, ITensor& maxOutputBoxesPerClass,
                           api::DataType indicesType) noexcept override;
    api::IQuantizeLayer* addQuantize(ITensor& input, ITensor& scale) noexcept override;
    api::IQuantizeLayer* addQuantize(ITensor& input, ITensor& scale, api::DataType outputType) noexcept override;
    api::IDequantizeLayer* addDequantize(ITensor& input, ITensor& scale) noexcept override;
    api::IDequantizeLayer* addDequantize(ITensor& input, ITensor& scale, api::DataType outputType) noexcept override;
    api::IDynamicQuantizeLayer* addDynamicQuantize(ITensor& input, int32_t axis, int32_t blockSize,
                                                   api::DataType outputType, api::DataType scaleType) noexcept override;
    api::ILoop* addLoop() noexcept override;
    api::IIfConditional* addIfConditional() noexcept override;
    api::IPluginV2Layer* addPluginV2(ITensor* const* inputs, int32_t nbInputs,
                                     api::IPluginV2& plugin) noexcept override;
    api::IPluginV3Layer* addPluginV3(ITensor* const* inputs, int32_t nbInputs, ITensor* const* shapeInputs,
                                     int32_t nbShapeInputs, api::IPluginV3& plugin) noexcept override;
    api::IAttention* addAttention(ITensor& query, ITensor& key, ITensor& value, api::AttentionNormalizationOp normOp,
                                  bool causal) noexcept override;
    api::IRotaryEmbeddingLayer* addRotaryEmbedding(ITensor& input, ITensor& cosCache, ITensor& sinCache,
                                                   bool interleaved, int32_t rotaryEmbeddingDim) noexcept override;
    api::IKVCacheUpdateLayer* addKVCacheUpdate(ITensor& cache, ITensor& update, ITensor& writeIndices,
                                               api::KVCacheMode cacheMode) noexcept override;
    api::IMoELayer* addMoE(ITensor& hiddenStates, ITensor& selectedExpertsForTokens,
                           ITensor& scoresForSelectedExperts) noexcept override;
    api::IDistCollectiveLayer* addDistCollective(ITensor& input, api::CollectiveOperation distCollectiveOp,
                                                 api::ReduceOperation reduceOp, int64_t root, int64_t* groups,
                                                 int64_t groupSize) noexcept override;

protected:
    uint64_t getFlags_() const noexcept override { return flags_; }
    bool hasImplicitBatchDimension_() const noexcept override { return hasImplicitBatch(); }
    api::IAttention* addAttentionV2_(ITensor& query, ITensor& key, ITensor& value, api::AttentionNormalizationOp normOp,
                                     api::CausalMaskKind causalKind) noexcept override;
    api::IShapeLayer* addShapeOf_(ITensor& input, api::DataType type) noexcept override;
    ITensor* addInput_(char const* name, api::DataType type, Dims64 const& dimensions) noexcept override;
    api::IConstantLayer* addConstant_(Dims64 const& dimensions, Weights weights) noexcept override;
    api::IConvolutionLayer* addConvolutionNd_(ITensor& input, int64_t nbOutputMaps, Dims64 const& kernelSize,
                                              Weights kernelWeights, Weights biasWeights) noexcept override;
    api::IDeconvolutionLayer* addDeconvolutionNd_(ITensor& input, int64_t nbOutputMaps, Dims64 const& kernelSize,
                                                  Weights kernelWeights, Weights biasWeights) noexcept override;
    api::IPoolingLayer* addPoolingNd_(ITensor& input, api::PoolingType type,
                                      Dims64 const& windowSize) noexcept override;
    api::IPaddingLayer* addPaddingNd_(ITensor& input, Dims64 const& prePadding,
                                      Dims64 const& postPadding) noexcept override;
    api::ISliceLayer* addSlice_(ITensor& input, Dims64 const& start, Dims64 const& size,
                                Dims64 const& stride) noexcept override;
    api::IFillLayer* addFill_(Dims64 const& dimensions, api::FillOperation op,
                              api::DataType outputType) noexcept override;
    api::IDynamicQuantizeLayer* addDynamicQuantizeV2_(ITensor& input, Dims64 const& blockShape,
                                                      api::DataType outputType,
                                                      api::DataType scaleType) noexcept override;
    api::ILayer* addFullyConnected_(ITensor& input, int32_t nbOutputs, Weights kernelWeights,
                                    Weights biasWeights) noexcept override;
    api::ILayer* addPlugin_(ITensor* const* inputs, int32_t nbInputs, void* plugin, bool isExt) noexcept override;
    void setOutputFormula_(Windowed layers, void* formula) noexcept override;
    void* getOutputFormula_(Windowed layers) const noexcept override {
        return outputFormulas_[static_cast<size_t>(layers)];
    }
    api::ILayer* addRnn_(ITensor& input, int32_t layerCount, int64_t hiddenSize, int32_t maxSeqLen, int32_t op,
                         bool isV2) noexcept override;

private:
    void refresh(std::span<Tensor const* const> tensors);
    void moveFace(Tensor& from, Tensor& to);
    void putWeights(Node& node, int input, Tensor* replacement);
    void removeInput(Tensor& input);
    Tensor* repeated(Tensor* sample, Tensor* batch);
    /// The same numbers in float32: for weights other weights, else after a hidden conversion.
    Tensor* widened(Tensor& tensor);
    /// The inputs in types that the layer accepts, and the same for an existing node.
    std::vector<Tensor*> fittedTo(Layer const& layer, std::vector<Tensor*> inputs);
    void inferFitting(Node& node);

    /// Weights as the application knows them.
    struct WeightsKey {
        void const* values;
        DataType type;
        int64_t count;
        auto operator<=>(WeightsKey const&) const = default;
    };
    static WeightsKey keyOf(Literal const& value);
    void expectOneAtAddress(WeightsKey const& weights) const;
    std::vector<NamedConstant> namedWeights() const;
    bool hasWeights(std::string_view name) const;
    bool isPlaceholder(std::string_view name) const;
    Literal placeholder(DataType type, Dims const& dims) const;

    std::vector<Tensor*> tensorsOf(std::vector<ITensor*> const& inputs) const;

    Origin origin_;
    mutable std::unique_ptr<api::IBuilder> ownBuilder_; // if the application has deleted the other
    Reporter reporter_;
    static constexpr uint64_t kExplicitBatch = 1; // the neutral number of NetworkDefinitionCreationFlag's
    uint64_t flags_;
    bool copiesWeights_ = false;
    Graph graph_;
    std::unordered_set<Node const*> stale_;
    std::unordered_set<Node const*> hidden_;
    std::unordered_set<Node const*> widenings_; // the hidden ones before an input
    mutable std::unordered_map<Node const*, std::unique_ptr<LayerFace>> faces_;
    mutable std::vector<LayerFace*> layers_; // in the order of the graph's nodes
    std::vector<std::unique_ptr<Control>> controls_;
    std::array<api::IOutputDimensionsFormula*, 3> outputFormulas_{}; // by Windowed
    bool debugUnfused_ = false;
    mutable size_t layersKnown_ = 0; // nodes of the graph when layers_ was made
    std::unordered_map<Tensor const*, std::unique_ptr<TensorFace>> tensors_;
    std::map<WeightsKey, std::string> weightsNames_;
    std::set<std::string, std::less<>> refittable_; // names that were marked
    mutable std::vector<Literal> placeholders_;     // weights without values
    Linked<Network> linked_{this};
};

} // namespace tenon::trt
