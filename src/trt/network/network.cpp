// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/network/network.h"

#include "layers/cast/cast.h"
#include "layers/constant/constant.h"
#include "trt/edge/convert.h"

#include <algorithm>

namespace tenon::trt {

using api::ILayer;

Network::Network(Origin origin, Reporter const& reporter, uint64_t flags)
    : origin_(std::move(origin)), reporter_(reporter), flags_(flags) {}

Network::~Network() = default;

std::unique_ptr<Network> Network::another(Reporter const& reporter) const {
    auto network = std::make_unique<Network>(origin_, reporter, flags_ | kExplicitBatch);
    network->copiesWeights_ = true;
    return network;
}

api::IBuilder& Network::getBuilder() const noexcept {
    if (api::IBuilder* const builder = origin_.builder.get()) return *builder;
    if (!ownBuilder_) ownBuilder_ = origin_.makeBuilder(reporter_.logger(), origin_.registry);
    return *ownBuilder_;
}

namespace {

/// Before a node is removed: a later one makes the number of nodes equal again.
void forget(std::vector<LayerFace*>& layers, size_t& known) {
    layers.clear();
    known = 0;
}

} // namespace

// ---- for the layers

Tensor& Network::tensorOf(ITensor const& tensor) const {
    auto const& face = static_cast<TensorFace const&>(tensor);
    if (&face.network() != this)
        fail(ErrorCode::InvalidArgument, "tensor ", face.getName(), " belongs to another network");
    return face.tensor();
}

std::vector<Tensor*> Network::tensorsOf(std::vector<ITensor*> const& inputs) const {
    std::vector<Tensor*> tensors;
    for (ITensor const* input : inputs) tensors.push_back(input ? &tensorOf(*input) : nullptr);
    return tensors;
}

std::vector<ITensor*> Network::listOf(ITensor* const* tensors, int32_t count, std::string_view what) {
    if (count < 0 || (count > 0 && tensors == nullptr))
        fail(ErrorCode::InvalidArgument, count, ' ', what, "s at address ", tensors ? "given" : "null");
    std::vector<ITensor*> list(tensors, tensors + count);
    auto const missing = std::ranges::find(list, nullptr);
    if (missing != list.end()) fail(ErrorCode::InvalidArgument, what, ' ', missing - list.begin(), " is null");
    return list;
}

Shape const& Network::shapeOf(Tensor const& tensor) {
    refresh(&tensor);
    return tensor.shape;
}

ITensor* Network::faceOf(Tensor* tensor) { return tensor == nullptr ? nullptr : &tensorFaceOf(*tensor); }

TensorFace& Network::tensorFaceOf(Tensor& tensor) {
    auto& face = tensors_[&tensor];
    if (!face) face = std::make_unique<TensorFace>(*this, tensor);
    return *face;
}

ITensor* Network::outputOf(Tensor const* made) {
    for (auto const& tensor : graph_.tensors()) {
        if (tensor.get() != made) continue;
        Node* const producer = tensor->producer();
        return producer ? layerOf(*producer).getOutput(tensor->producerIndex()) : faceOf(tensor.get());
    }
    return nullptr;
}

Literal Network::valuesOf(Weights const& weights, Dims const& dims) const {
    bool const isGiven = weights.values != nullptr || weights.count == 0 || !takesPlaceholders();
    if (!isGiven && weights.count == dims.volume()) return placeholder(fromApi(weights.type), dims);
    Literal const given = fromApi(weights, dims);
    return copiesWeights_ ? Literal::copyOf(given.type(), dims, weights.values) : given;
}

Tensor* Network::addWeights(Weights const& weights, Dims const& dims) {
    if (areLeftOut(weights)) return nullptr;
    Node* const node = graph_.add(std::make_unique<Constant>(valuesOf(weights, dims)), {});
    return hide(node)->output();
}

void Network::replaceWeights(Node& node, int input, Weights const& weights, Dims const& dims) {
    putWeights(node, input, addWeights(weights, dims));
}

void Network::replaceConstant(Node& node, int input, Literal value) {
    putWeights(node, input, hide(graph_.add(std::make_unique<Constant>(std::move(value)), {}))->output());
}

void Network::putWeights(Node& node, int input, Tensor* replacement) {
    Tensor* replaced = node.input(input);
    graph_.setInput(&node, input, replacement);
    touch(node);
    if (replaced && isHidden(replaced->producer()) && replaced->readers().empty()) {
        hidden_.erase(replaced->producer());
        forget(layers_, layersKnown_);
        graph_.remove(replaced->producer());
    }
}

void Network::resizeOutputs(Node& node, int count) {
    auto const& outputs = node.outputs();
    for (size_t i = static_cast<size_t>(count); i < outputs.size(); ++i) {
        if (!outputs[i]->readers().empty() || graph_.isOutput(outputs[i]))
            fail(ErrorCode::InvalidState, "output ", i, " would be removed, but ", outputs[i]->name, " is used");
    }
    for (size_t i = static_cast<size_t>(count); i < outputs.size(); ++i) tensors_.erase(outputs[i]);
    graph_.resizeOutputs(&node, count);
}

void Network::complete() {
    auto const refreshOutputs = [&] {
        std::vector<Tensor const*> ends(graph_.outputs().begin(), graph_.outputs().end());
        for (auto const& node : graph_.nodes()) { // inputs of an assertion or of the edge of a loop
            if (node->outputs().empty()) ends.insert(ends.end(), node->inputs().begin(), node->inputs().end());
        }
        refresh(ends);
    };
    for (LayerFace* layer : layers()) layer->complete();
    refreshOutputs(); // types, and output formulas that have not been called yet
    for (LayerFace* layer : layers()) layer->settleOutputTypes();
    refreshOutputs();
}

/// Moves the face, with the name, range and debug mark that the application set, to another tensor.
void Network::moveFace(Tensor& from, Tensor& to) {
    std::swap(from.name, to.name);
    std::swap(from.isDebug, to.isDebug);
    std::swap(from.onHost, to.onHost);
    to.quantum = from.quantum;
    if (auto face = tensors_.extract(&from)) {
        face.mapped()->moveTo(to);
        face.key() = &to;
        tensors_.insert(std::move(face));
    }
}

Node* Network::addConversion(Tensor& output, DataType type) {
    Cast cast;
    cast.to = type;
    Node* conversion = graph_.addUnchecked(std::make_unique<Cast>(cast), {}, 1, output.name + " (conversion)");
    Tensor* converted = conversion->output();
    graph_.replaceUses(&output, converted);
    graph_.setInput(conversion, 0, &output);
    moveFace(output, *converted);
    hidden_.insert(conversion);
    touch(*conversion);
    return conversion;
}

void Network::removeConversion(Node* conversion) {
    Tensor* converted = conversion->output();
    Tensor* output = conversion->input(0);
    graph_.replaceUses(converted, output);
    for (Node* reader : output->readers()) touch(*reader);
    moveFace(*converted, *output);
    stale_.erase(conversion);
    hidden_.erase(conversion);
    forget(layers_, layersKnown_);
    graph_.remove(conversion);
}

Tensor& Network::beforeConversion(Tensor& tensor) const {
    Node const* producer = tensor.producer();
    return producer && isHidden(producer) && producer->kind() == Cast::kKind ? *producer->input(0) : tensor;
}

namespace {

using Nodes = std::unordered_set<Node const*>;

/// Nodes and all that depend on them: few if an application queries shapes while it adds layers.
Nodes withDependents(Nodes nodes) {
    std::vector<Node const*> open(nodes.begin(), nodes.end());
    while (!open.empty()) {
        Node const* const node = open.back();
        open.pop_back();
        for (Tensor const* output : node->outputs()) {
            for (Node const* reader : output->readers()) {
                if (nodes.insert(reader).second) open.push_back(reader);
            }
        }
    }
    return nodes;
}

/// The nodes among some that tensors (some may be null) depend on, each after its dependencies. Empty if there is a
/// cycle.
class Sources {
public:
    explicit Sources(Nodes const& among) : among_(among) {}

    std::optional<std::vector<Node*>> of(std::span<Tensor const* const> tensors) {
        for (Tensor const* tensor : tensors) {
            enter(tensor);
            while (!path_.empty() && !hasCycle_) step();
        }
        return hasCycle_ ? std::nullopt : std::optional(std::move(ordered_));
    }

private:
    struct Visit {
        Node* node;
        size_t input = 0;
    };

    void enter(Tensor const* tensor) {
        Node* const producer = tensor ? tensor->producer() : nullptr;
        if (producer == nullptr || !among_.contains(producer)) return;
        auto const [known, isNew] = isOnPath_.emplace(producer, true);
        if (isNew) path_.push_back({producer});
        if (!isNew && known->second) hasCycle_ = true;
    }

    void step() {
        Visit& last = path_.back();
        if (last.input < last.node->inputs().size()) return enter(last.node->inputs()[last.input++]);
        isOnPath_[last.node] = false;
        ordered_.push_back(last.node);
        path_.pop_back();
    }

    Nodes const& among_;
    std::unordered_map<Node const*, bool> isOnPath_; // of those that were entered
    std::vector<Visit> path_;
    std::vector<Node*> ordered_;
    bool hasCycle_ = false;
};

} // namespace

/// Only nodes that the tensor depends on: another incomplete layer reports its error when its own output is requested.
void Network::refresh(std::span<Tensor const* const> tensors) {
    if (stale_.empty()) return;
    Nodes const among = withDependents(stale_);
    auto const sources = Sources(among).of(tensors);
    if (!sources) static_cast<void>(graph_.order()); // names the cycle
    for (Node* node : sources.value_or(std::vector<Node*>())) {
        if (!stale_.contains(node)) continue;
        if (auto const face = faces_.find(node); face != faces_.end() && face->second)
            locate([&] { return text(*node); }, [&] { face->second->settle(); });
        inferFitting(*node); // if this throws, the node stays stale and is inferred again
        stale_.erase(node);
        for (Tensor const* output : node->outputs()) stale_.insert(output->readers().begin(), output->readers().end());
    }
}

std::optional<api::TensorFormats> Network::allowedFormats(Tensor const& tensor) const {
    auto const face = tensors_.find(&tensor);
    return face == tensors_.end() ? std::nullopt : face->second->allowedFormats();
}

std::optional<DataType> Network::outerType(Tensor const& tensor) const {
    auto const face = tensors_.find(&tensor);
    return face == tensors_.end() ? std::nullopt : face->second->outerType();
}

// ---- layers and tensors of the API

LayerFace& Network::faceOf(Node& node) const {
    auto& face = faces_[&node];
    if (!face) face = makeFace(const_cast<Network&>(*this), node);
    return *face;
}

ILayer& Network::layerOf(Node& node) { return faceOf(node).shown(); }

std::vector<LayerFace*> const& Network::layers() const {
    if (layersKnown_ == graph_.nodes().size()) return layers_;
    layers_.clear();
    for (auto const& node : graph_.nodes()) {
        if (isHidden(node.get())) continue;
        layers_.push_back(&faceOf(*node));
    }
    layersKnown_ = graph_.nodes().size();
    return layers_;
}

int32_t Network::getNbLayers() const noexcept {
    return guarded(reporter_, "getNbLayers", [&] { return static_cast<int32_t>(layers().size()); });
}

ILayer* Network::getLayer(int32_t index) const noexcept {
    return guarded(reporter_, "getLayer", [&]() -> ILayer* {
        auto const count = static_cast<int32_t>(layers().size());
        if (index < 0 || index >= count)
            fail(ErrorCode::InvalidArgument, "layer ", index, " of a network of ", count, " layers");
        return &layers()[static_cast<size_t>(index)]->shown();
    });
}

namespace {

Tensor* elementAt(std::vector<Tensor*> const& tensors, int32_t index, std::string_view what) {
    if (index < 0 || index >= static_cast<int32_t>(tensors.size()))
        fail(ErrorCode::InvalidArgument, what, ' ', index, " of a network of ", tensors.size(), ' ', what, 's');
    return tensors[static_cast<size_t>(index)];
}

} // namespace

int32_t Network::getNbInputs() const noexcept { return static_cast<int32_t>(graph_.inputs().size()); }

ITensor* Network::getInput(int32_t index) const noexcept {
    return guarded(reporter_, "getInput",
                   [&] { return const_cast<Network*>(this)->faceOf(elementAt(graph_.inputs(), index, "input")); });
}

int32_t Network::getNbOutputs() const noexcept { return static_cast<int32_t>(graph_.outputs().size()); }

ITensor* Network::getOutput(int32_t index) const noexcept {
    return guarded(reporter_, "getOutput",
                   [&] { return const_cast<Network*>(this)->faceOf(elementAt(graph_.outputs(), index, "output")); });
}

ITensor* Network::addInput_(char const* name, api::DataType type, Dims64 const& dimensions) noexcept {
    return guarded(reporter_, "addInput", [&] {
        std::string const wanted = expectText(name, "name");
        if (wanted.empty()) fail(ErrorCode::InvalidArgument, "the name is empty");
        for (Tensor const* input : graph_.inputs()) {
            if (input->name == wanted)
                fail(ErrorCode::InvalidArgument, "the network has an input ", wanted, " already");
        }
        Shape const checked = wholeShape(wanted, dimensions, {});
        return faceOf(graph_.addInput(wanted, fromApi(type), checked));
    });
}

void Network::markOutput(ITensor& tensor) noexcept {
    guarded(reporter_, "markOutput", [&] { graph_.markOutput(&tensorOf(tensor)); });
}

void Network::unmarkOutput(ITensor& tensor) noexcept {
    guarded(reporter_, "unmarkOutput", [&] {
        Tensor& marked = tensorOf(tensor);
        graph_.unmarkOutput(&marked);
        marked.onHost = false;
    });
}

static void expectForShapes(Tensor const& tensor) {
    if (!tensor.producer())
        fail(ErrorCode::InvalidArgument, "input ", tensor.name,
             " cannot be marked as an output for shapes; mark the output of a layer that reads it");
    bool const isLength = tensor.type == DataType::Int32 || tensor.type == DataType::Int64;
    if (!isLength || tensor.shape.size() > 1)
        fail(ErrorCode::InvalidArgument, tensor.name, " is ", tensor.type, ' ', tensor.shape,
             "; expected int32 or int64 with at most one axis");
}

bool Network::markOutputForShapes(ITensor& tensor) noexcept {
    return guarded(reporter_, "markOutputForShapes", [&] {
        Tensor& marked = tensorOf(tensor);
        refresh(&marked);
        expectForShapes(marked);
        if (graph_.isOutput(&marked)) return false;
        graph_.markOutput(&marked);
        return marked.onHost = true;
    });
}

bool Network::unmarkOutputForShapes(ITensor& tensor) noexcept {
    return guarded(reporter_, "unmarkOutputForShapes", [&] {
        Tensor& marked = tensorOf(tensor);
        if (!graph_.isOutput(&marked) || !marked.onHost) return false;
        graph_.unmarkOutput(&marked);
        marked.onHost = false;
        return true;
    });
}

void Network::removeTensor(ITensor& tensor) noexcept {
    guarded(reporter_, "removeTensor", [&] {
        Tensor const& seen = tensorOf(tensor);
        if (!seen.readers().empty())
            fail(ErrorCode::InvalidState, "tensor ", seen.name, " is read by ", *seen.readers()[0]);
        if (graph_.isOutput(&seen))
            fail(ErrorCode::InvalidState, "tensor ", seen.name, " is an output of the network: unmark it first");
        Tensor& removed = beforeConversion(tensorOf(tensor));
        Node* producer = removed.producer();
        if (producer == nullptr) return removeInput(removed);
        if (producer->outputs().size() != 1)
            fail(ErrorCode::InvalidArgument, "tensor ", seen.name, " is one of the ", producer->outputs().size(),
                 " outputs of ", *producer, ", which cannot be removed separately");
        faceOf(*producer).forgetOutputTypes(0); // a conversion goes with it
        stale_.erase(producer);
        tensors_.erase(&removed);
        faces_.erase(producer);
        forget(layers_, layersKnown_);
        graph_.remove(producer);
    });
}

void Network::removeInput(Tensor& input) {
    tensors_.erase(&input);
    graph_.removeInput(&input);
}

void Network::setName(char const* name) noexcept {
    guarded(reporter_, "INetworkDefinition::setName", [&] { graph_.name = expectText(name, "name"); });
}

// ---- debugging

bool Network::markDebug(ITensor& tensor) noexcept {
    return guarded(reporter_, "markDebug", [&] { return tensorOf(tensor).isDebug = true; });
}

bool Network::unmarkDebug(ITensor& tensor) noexcept {
    return guarded(reporter_, "unmarkDebug", [&] { return tensorOf(tensor).isDebug = false, true; });
}

bool Network::isDebugTensor(ITensor const& tensor) const noexcept {
    return guarded(reporter_, "isDebugTensor", [&] { return tensorOf(tensor).isDebug; });
}

bool Network::markUnfusedTensorsAsDebugTensors() noexcept { return debugUnfused_ = true; }

bool Network::unmarkUnfusedTensorsAsDebugTensors() noexcept {
    debugUnfused_ = false;
    return true;
}

} // namespace tenon::trt
