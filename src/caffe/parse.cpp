// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "caffe/parse.h"

#include "base/error.h"
#include "base/text.h"
#include "caffe/blobs.h"
#include "caffe/state.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace tenon::caffe {
namespace {

constexpr size_t kMostAxes = Dims::kMaxRank;

/// The importers by layer type.
Importer const* find(std::span<ImporterList const> lists, std::string_view type) {
    for (ImporterList const& list : lists) {
        auto const found = std::ranges::find(list, type, &Importer::type);
        if (found != list.end()) return &*found;
    }
    return nullptr;
}

/// Names for the layers of a graph: those of the file; where one layer becomes several or a name occurs twice, names
/// that the file does not have.
class Names {
public:
    explicit Names(proto::Net const& net) {
        for (proto::Layer const& layer : net.layer) taken_.insert(layer.name);
    }

    /// The name in the file, the first time; then free names, with a number appended.
    std::string next(std::string const& name) {
        auto const [found, isFirst] = numbers_.try_emplace(name, 2);
        if (isFirst) return name;
        for (;;) {
            std::string const made = text(name, '_', found->second++);
            if (taken_.insert(made).second) return made;
        }
    }

private:
    std::unordered_set<std::string> taken_;
    std::unordered_map<std::string, int64_t> numbers_; // the next number for a name
};

class Parser final {
public:
    Parser(Weights const& weights, Graph& graph, ParseOptions const& options, proto::Net const& net)
        : weights_(weights), graph_(graph), options_(options), net_(net), names_(net), state_(stateOf(net)) {}

    Blobs run() {
        if (net_.oldLayers)
            fail(ErrorCode::Unsupported,
                 "the network is written with 'layers', as before 2014; convert it to 'layer' with "
                 "Caffe's upgrade_net_proto_text");
        if (!net_.name.empty()) graph_.name = net_.name;
        addInputs();
        for (size_t i = 0; i < net_.layer.size(); ++i) {
            proto::Layer const& layer = net_.layer[i];
            auto const name = [&] {
                return text("layer ", layer.name.empty() ? text('#', i) : layer.name, " (", layer.type, ')');
            };
            locate(name, [&] {
                if (auto const rule = whyLeftOut(layer, state_)) {
                    leaveOut(layer, text(name(), " is left out: ", *rule));
                } else {
                    addLayer(layer);
                }
            });
        }
        nameTensors();
        if (options_.leftOut) *options_.leftOut = std::move(leftOut_);
        return std::move(blobs_);
    }

private:
    class Reader;

    void addInputs() {
        bool const hasShapes = !net_.inputShape.empty();
        size_t const shapes = hasShapes ? net_.inputShape.size() : net_.inputDim.size() / 4;
        if (shapes != net_.input.size() || (!hasShapes && net_.inputDim.size() % 4 != 0))
            fail(ErrorCode::InvalidModel, "there are ", net_.input.size(), " inputs and ",
                 hasShapes ? text(net_.inputShape.size(), " input_shape") : text(net_.inputDim.size(), " input_dim"),
                 "; expected ", hasShapes ? "one" : "four", " for each");
        for (size_t i = 0; i < net_.input.size(); ++i) {
            auto const at = net_.inputDim.begin() + static_cast<std::ptrdiff_t>(i * 4);
            locate([&] { return text("input ", net_.input[i]); },
                   [&] {
                       addInput(net_.input[i], hasShapes ? net_.inputShape[i].dim : std::vector<int64_t>(at, at + 4));
                   });
        }
    }

    void addInputs(proto::Layer const& layer) {
        if (layer.input.shape.size() != layer.top.size() && layer.input.shape.size() != 1)
            fail(ErrorCode::InvalidModel, "has ", layer.top.size(), " tops and ", layer.input.shape.size(),
                 " shapes; expected one for each");
        for (size_t i = 0; i < layer.top.size(); ++i)
            addInput(layer.top[i], layer.input.shape[std::min(i, layer.input.shape.size() - 1)].dim);
    }

    void addInput(std::string const& name, std::vector<int64_t> const& extents) {
        if (extents.empty() || extents.size() > kMostAxes)
            fail(ErrorCode::InvalidModel, "has ", extents.size(), " extents; expected 1 to ", kMostAxes);
        Shape shape;
        for (int64_t extent : extents) {
            if (extent < 1 || extent > INT32_MAX)
                fail(ErrorCode::InvalidModel, "has the extent ", extent, "; expected a number from 1 on");
            shape.push_back(extent);
        }
        if (!options_.batch && extents[0] != 1)
            say(options_.log, Severity::Warning,
                text("input ", name, ": the batch is ", extents[0],
                     " in the deploy file and 1 in a network with explicit batch; give it another with "
                     "setDimensions()"));
        shape[0] = options_.batch.value_or(1);
        if (blobs_.contains(name)) fail(ErrorCode::InvalidModel, "a blob of that name already exists");
        blobs_[name] = graph_.addInput(name, DataType::Float32, std::move(shape));
        inputs_.insert(name);
    }

    void addLayer(proto::Layer const& layer);

    std::vector<Tensor*> importLayer(Reader& reader, bool isCustom);

    void leaveOut(proto::Layer const& layer, std::string const& why) {
        say(options_.log, Severity::Info, why);
        for (std::string const& top : layer.top) leftOut_.emplace(top, why);
    }

    /// Blobs get their names in the file; for layers that compute in place, the last blob does.
    void nameTensors() {
        std::set<Tensor const*> named;
        for (auto const& [name, tensor] : blobs_) {
            if (named.insert(tensor).second && !inputs_.contains(name)) tensor->name = name;
        }
    }

    Weights const& weights_;
    Graph& graph_;
    ParseOptions const& options_;
    proto::Net const& net_;
    Names names_;
    proto::State state_;
    Blobs blobs_;
    LeftOut leftOut_;
    std::set<std::string, std::less<>> inputs_;
};

class Parser::Reader final : public LayerReader {
public:
    Reader(Parser& parser, proto::Layer const& layer)
        : parser_(parser), layer_(layer), numbers_(parser.weights_.find(layer)) {}

    proto::Layer const& layer() const override { return layer_; }

    Tensor* bottom(size_t i) const override {
        if (i >= layer_.bottom.size())
            fail(ErrorCode::InvalidModel, "has ", layer_.bottom.size(), " bottoms; expected at least ", i + 1);
        std::string const& name = layer_.bottom[i];
        if (auto const found = parser_.blobs_.find(name); found != parser_.blobs_.end()) return found->second;
        auto const leftOut = parser_.leftOut_.find(name);
        fail(ErrorCode::InvalidModel, "bottom '", name, "' is a blob that no layer before it makes",
             leftOut == parser_.leftOut_.end() ? "" : "; ", leftOut == parser_.leftOut_.end() ? "" : leftOut->second);
    }

    std::optional<size_t> blobCount() const override {
        if (isMadeUp()) return {};
        return numbers_ ? numbers_->size() : 0;
    }

    Literal rounded(Literal numbers, std::string_view what) const override {
        return parser_.options_.half ? roundedToHalf(numbers, what) : numbers;
    }

    Literal exactBlob(size_t i, Dims const& dims, std::string_view what, MadeUp kind) const override {
        if (isMadeUp()) return madeUp(layer_.name, i, dims, kind);
        if (!numbers_ || i >= numbers_->size())
            fail(ErrorCode::InvalidModel, "the weights file has ", numbers_ ? numbers_->size() : 0,
                 " blobs for it; expected ", what, " in blob ", i);
        Literal const found = weightsOf((*numbers_)[i], what);
        if (found.dims().volume() != dims.volume())
            fail(ErrorCode::InvalidModel, "the weights file has ", found.dims().volume(), ' ', what, "; expected ",
                 dims.volume(), ", of ", dims);
        return found.reshaped(dims);
    }

    std::vector<Literal> blobs() const {
        std::vector<Literal> all;
        for (size_t i = 0; numbers_ && i < numbers_->size(); ++i)
            all.push_back(weightsOf((*numbers_)[i], text("blob ", i)));
        return all;
    }

    Graph& graph() override { return parser_.graph_; }

    Node* addLayer(std::unique_ptr<Layer> layer, std::vector<Tensor*> inputs) override {
        return parser_.graph_.add(std::move(layer), std::move(inputs), name());
    }

    /// Of the next layer of the graph.
    std::string name() { return parser_.names_.next(layer_.name); }

    Tensor* weights(Literal numbers) override {
        Tensor* const added = constant(std::move(numbers));
        if (parser_.options_.weights) parser_.options_.weights->push_back(added->producer());
        return added;
    }

    std::vector<Tensor*> addPlugin(std::string const& type, std::vector<PluginField> const& fields,
                                   std::vector<Tensor*> inputs) override {
        if (!parser_.options_.custom) fail(ErrorCode::Unsupported, "there is no registry of plugins for ", type);
        return addLayer(parser_.options_.custom->make(layer_.name, type, fields), std::move(inputs))->outputs();
    }

private:
    bool isMadeUp() const { return !numbers_ && !parser_.weights_.areThere(); }

    Parser& parser_;
    proto::Layer const& layer_;
    std::vector<proto::Blob> const* numbers_;
};

void Parser::addLayer(proto::Layer const& layer) {
    if (layer.type.empty()) fail(ErrorCode::InvalidModel, "has no type");
    bool const isCustom = options_.custom && options_.custom->has(layer.name);
    if (layer.type == "Input" && !isCustom) return addInputs(layer);
    std::set<std::string_view> tops;
    for (std::string const& top : layer.top) {
        bool const isInPlace = std::ranges::find(layer.bottom, top) != layer.bottom.end();
        if (!tops.insert(top).second || (blobs_.contains(top) && !isInPlace && !inputs_.contains(top)))
            fail(ErrorCode::InvalidModel, "top '", top, "' is a blob that already exists");
        if (inputs_.contains(top))
            fail(ErrorCode::Unsupported, "top '", top,
                 "' is an input of the network, which a layer cannot change; give "
                 "the top another name");
    }
    Reader reader(*this, layer);
    std::vector<Tensor*> const made = importLayer(reader, isCustom);
    if (made.size() < layer.top.size())
        fail(ErrorCode::InvalidModel, "has ", layer.top.size(), " tops; the layer makes ", made.size());
    for (size_t i = 0; i < layer.top.size(); ++i) {
        Shape const& shape = made[i]->shape;
        if (options_.batch && (shape.empty() || !(shape[0] == *options_.batch)))
            fail(ErrorCode::Unsupported, "changes the batch, axis 0, which is implicit in the network: top '",
                 layer.top[i], "' is ", shape, "; make the network with explicit batch");
        blobs_[layer.top[i]] = made[i];
    }
}

std::vector<Tensor*> Parser::importLayer(Reader& reader, bool isCustom) {
    proto::Layer const& layer = reader.layer();
    if (isCustom) {
        std::vector<Tensor*> bottoms;
        for (size_t i = 0; i < layer.bottom.size(); ++i) bottoms.push_back(reader.bottom(i));
        return options_.custom->add(layer, reader.name(), bottoms, reader.blobs());
    }
    if (Importer const* const importer = find(options_.importers, layer.type)) return importer->import(reader);
    fail(ErrorCode::Unsupported, "there is no layer of this type; a plugin factory, set before the parser reads, makes "
                                 "it if its isPlugin… returns true for this name");
}

} // namespace

Blobs parse(std::string_view deploy, std::optional<std::span<std::byte const>> weights, Graph& graph,
            ParseOptions const& options) {
    proto::Net net;
    locate([] { return "the deploy file"; }, [&] { pb::readText(deploy, pb::target(net)); });
    if (net.layer.empty() && !net.oldLayers) fail(ErrorCode::InvalidModel, "the deploy file has no layers");
    Weights const numbers(weights);
    return Parser(numbers, graph, options, net).run();
}

} // namespace tenon::caffe
