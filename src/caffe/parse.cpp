// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "caffe/parse.h"

#include "base/error.h"
#include "base/text.h"
#include "caffe/blobs.h"

#include <algorithm>
#include <set>

namespace tenon::caffe {
namespace {

constexpr size_t kMostAxes = Dims::kMaxRank;

/// The importers by the type of layer.
Importer const* find(std::span<ImporterList const> lists, std::string_view type) {
    for (ImporterList const& list : lists) {
        auto const found = std::ranges::find(list, type, &Importer::type);
        if (found != list.end()) return &*found;
    }
    return nullptr;
}

/// Whether a rule is about a network that is tested, at level 0 and without stages.
bool isMet(proto::Phase const& rule) {
    return rule.phase.value_or(proto::kTest) == proto::kTest && rule.leastLevel.value_or(0) <= 0 &&
           rule.mostLevel.value_or(0) >= 0 && rule.stage.empty();
}

/// Layers that only training has, or a stage of it, are not.
bool isForTest(proto::Layer const& layer) {
    if (!layer.include.empty()) return std::ranges::any_of(layer.include, isMet);
    return std::ranges::none_of(layer.exclude, isMet);
}

class Parser final {
public:
    Parser(Weights const& weights, Graph& graph, ParseOptions const& options)
        : weights_(weights), graph_(graph), options_(options) {}

    Blobs run(proto::Net const& net) {
        if (net.oldLayers)
            fail(ErrorCode::Unsupported,
                 "the network is written with 'layers', as before 2014; bring it to 'layer' with "
                 "Caffe's upgrade_net_proto_text");
        if (!net.name.empty()) graph_.name = net.name;
        addInputs(net);
        for (size_t i = 0; i < net.layer.size(); ++i) {
            proto::Layer const& layer = net.layer[i];
            if (!isForTest(layer)) continue;
            locate(
                [&] { return text("layer ", layer.name.empty() ? text('#', i) : layer.name, " (", layer.type, ')'); },
                [&] { addLayer(layer); });
        }
        nameTensors();
        return std::move(blobs_);
    }

private:
    class Reader;

    void addInputs(proto::Net const& net) {
        bool const hasShapes = !net.inputShape.empty();
        size_t const shapes = hasShapes ? net.inputShape.size() : net.inputDim.size() / 4;
        if (shapes != net.input.size() || (!hasShapes && net.inputDim.size() % 4 != 0))
            fail(ErrorCode::InvalidModel, "there are ", net.input.size(), " inputs and ",
                 hasShapes ? text(net.inputShape.size(), " input_shape") : text(net.inputDim.size(), " input_dim"),
                 "; expected ", hasShapes ? "one" : "four", " for each");
        for (size_t i = 0; i < net.input.size(); ++i) {
            auto const at = net.inputDim.begin() + static_cast<std::ptrdiff_t>(i * 4);
            locate(
                [&] { return text("input ", net.input[i]); },
                [&] { addInput(net.input[i], hasShapes ? net.inputShape[i].dim : std::vector<int64_t>(at, at + 4)); });
        }
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
        if (options_.batch) shape[0] = *options_.batch;
        if (blobs_.contains(name)) fail(ErrorCode::InvalidModel, "there is a blob of that name already");
        blobs_[name] = graph_.addInput(name, DataType::Float32, std::move(shape));
        inputs_.insert(name);
    }

    void addLayer(proto::Layer const& layer);

    std::vector<Tensor*> importLayer(Reader& reader);

    /// Blobs get the names that they have in the file; the last one that does, of those that layers change in place.
    void nameTensors() {
        std::set<Tensor const*> named;
        for (auto const& [name, tensor] : blobs_) {
            if (named.insert(tensor).second && !inputs_.contains(name)) tensor->name = name;
        }
    }

    Weights const& weights_;
    Graph& graph_;
    ParseOptions const& options_;
    Blobs blobs_;
    std::set<std::string, std::less<>> inputs_;
    std::set<std::string, std::less<>> names_; // of layers
};

class Parser::Reader final : public LayerReader {
public:
    Reader(Parser& parser, proto::Layer const& layer)
        : parser_(parser), layer_(layer), numbers_(parser.weights_.find(layer)) {}

    proto::Layer const& layer() const override { return layer_; }

    Tensor* bottom(size_t i) const override {
        if (i >= layer_.bottom.size())
            fail(ErrorCode::InvalidModel, "has ", layer_.bottom.size(), " bottoms; expected at least ", i + 1);
        auto const found = parser_.blobs_.find(layer_.bottom[i]);
        if (found == parser_.blobs_.end())
            fail(ErrorCode::InvalidModel, "bottom '", layer_.bottom[i], "' is a blob that no layer before it makes");
        return found->second;
    }

    std::optional<size_t> blobCount() const override {
        if (isMadeUp()) return {};
        return numbers_ ? numbers_->size() : 0;
    }

    Literal rounded(Literal numbers) const override { return parser_.options_.half ? roundedToHalf(numbers) : numbers; }

    Literal exactBlob(size_t i, Dims const& dims, std::string_view what, MadeUp kind) const override {
        if (isMadeUp()) return madeUp(layer_.name, i, dims, kind);
        if (!numbers_ || i >= numbers_->size())
            fail(ErrorCode::InvalidModel, "the file of weights has ", numbers_ ? numbers_->size() : 0,
                 " blobs for it; expected ", what, " in blob ", i);
        Literal const found = numbersOf((*numbers_)[i], what);
        if (found.dims().volume() != dims.volume())
            fail(ErrorCode::InvalidModel, "the file of weights has ", found.dims().volume(), ' ', what, "; expected ",
                 dims.volume(), ", of ", dims);
        return found.reshaped(dims);
    }

    std::vector<Literal> blobs() const {
        std::vector<Literal> all;
        for (size_t i = 0; numbers_ && i < numbers_->size(); ++i)
            all.push_back(rounded(numbersOf((*numbers_)[i], text("blob ", i))));
        return all;
    }

    Graph& graph() override { return parser_.graph_; }

    Node* addLayer(std::unique_ptr<Layer> layer, std::vector<Tensor*> inputs) override {
        std::string name = layer_.name;
        for (int i = 2; !parser_.names_.insert(name).second; ++i) name = text(layer_.name, '_', i);
        return parser_.graph_.add(std::move(layer), std::move(inputs), std::move(name));
    }

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
    if (layer.type == "Input") {
        if (layer.input.shape.size() != layer.top.size() && layer.input.shape.size() != 1)
            fail(ErrorCode::InvalidModel, "has ", layer.top.size(), " tops and ", layer.input.shape.size(),
                 " shapes; expected one for each");
        for (size_t i = 0; i < layer.top.size(); ++i)
            addInput(layer.top[i], layer.input.shape[std::min(i, layer.input.shape.size() - 1)].dim);
        return;
    }
    std::set<std::string_view> tops;
    for (std::string const& top : layer.top) {
        bool const isInPlace = std::ranges::find(layer.bottom, top) != layer.bottom.end();
        if (!tops.insert(top).second || (blobs_.contains(top) && !isInPlace && !inputs_.contains(top)))
            fail(ErrorCode::InvalidModel, "top '", top, "' is a blob that there is already");
        if (inputs_.contains(top))
            fail(ErrorCode::Unsupported, "top '", top,
                 "' is an input of the network, which a layer cannot change; give "
                 "the top another name");
    }
    Reader reader(*this, layer);
    std::vector<Tensor*> const made = importLayer(reader);
    if (made.size() < layer.top.size())
        fail(ErrorCode::InvalidModel, "has ", layer.top.size(), " tops; the layer makes ", made.size());
    for (size_t i = 0; i < layer.top.size(); ++i) {
        Shape const& shape = made[i]->shape;
        if (options_.batch && (shape.empty() || !(shape[0] == *options_.batch)))
            fail(ErrorCode::Unsupported, "changes the batch, axis 0, which the network does not show: top '",
                 layer.top[i], "' is ", shape, "; make the network with explicit batch");
        blobs_[layer.top[i]] = made[i];
    }
}

std::vector<Tensor*> Parser::importLayer(Reader& reader) {
    proto::Layer const& layer = reader.layer();
    if (options_.custom && options_.custom->has(layer.name)) {
        std::vector<Tensor*> bottoms;
        for (size_t i = 0; i < layer.bottom.size(); ++i) bottoms.push_back(reader.bottom(i));
        return options_.custom->add(layer, bottoms, reader.blobs());
    }
    if (Importer const* const importer = find(options_.importers, layer.type)) return importer->import(reader);
    fail(ErrorCode::Unsupported,
         "there is no layer of this type; a plugin factory, set before the parser reads, makes it "
         "where its isPlugin… answers true for this name");
}

} // namespace

Blobs parse(std::string_view deploy, std::optional<std::span<std::byte const>> weights, Graph& graph,
            ParseOptions const& options) {
    proto::Net net;
    locate([] { return "the deploy file"; }, [&] { pb::readText(deploy, pb::target(net)); });
    if (net.layer.empty() && !net.oldLayers) fail(ErrorCode::InvalidModel, "the deploy file has no layers");
    Weights const numbers(weights);
    return Parser(numbers, graph, options).run(net);
}

} // namespace tenon::caffe
