// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/network/layer_face.h"

#include "base/utf8.h"
#include "layers/control_edge/control_edge.h"
#include "layers/identity/identity.h"
#include "plugin/plugin_layer.h"
#include "trt/edge/shape_tensors.h"
#include "trt/network/network.h"
#include "trt/network/plugin_faces.h"

namespace tenon::trt {

namespace {

/// A node of a kind that the API has no class for, added by a parser or by fusion.
class PlainFace final : public FaceOf<api::ILayer, Layer, static_cast<api::LayerType>(-1)> {
public:
    using FaceOf::FaceOf;
};

} // namespace

std::unique_ptr<LayerFace> makeFace(Network& network, Node& node) {
    if (node.kind() == PluginLayer::kKind) return makePluginFace(network, node);
    for (FaceEntry const& entry : allFaces()) {
        if (entry.kind == node.kind()) return entry.make(network, node);
    }
    return std::make_unique<PlainFace>(network, node);
}

DataType indicesFromApi(api::DataType type) {
    DataType const indices = fromApi(type);
    if (indices != DataType::Int32 && indices != DataType::Int64)
        fail(ErrorCode::InvalidArgument, "indices of type ", indices, "; expected int32 or int64");
    return indices;
}

Reporter const& LayerFace::reporter() const { return network_.reporter(); }

void LayerFace::changed() const { network_.touch(node_); }

void LayerFace::rename(char const* name) noexcept {
    guarded(reporter(), "ILayer::setName", [&] {
        std::string const wanted = expectText(name, "name");
        for (size_t i = 0; i < node_.outputs().size(); ++i) { // outputs without a name are removed with the layer
            Tensor& output = *converted(static_cast<int32_t>(i));
            if (output.name == text(node_.name, ':', i)) output.name = text(wanted, ':', i);
        }
        node_.name = wanted;
    });
}

void LayerFace::describe(char const* metadata) noexcept {
    guarded(reporter(), "ILayer::setMetadata", [&] {
        std::string const said = expectText(metadata, "metadata");
        expectUtf8(said, "metadata"); // the engine's description is JSON
        node_.metadata = said;
    });
}

int32_t LayerFace::inputCount() const noexcept {
    auto const& inputs = node_.inputs();
    size_t count = inputs.size();
    while (count > 0 && (inputs[count - 1] == nullptr || network_.isWeights(*inputs[count - 1]))) --count;
    return static_cast<int32_t>(count);
}

api::ITensor* LayerFace::inputAt(int32_t index) const noexcept {
    return guarded(reporter(), "ILayer::getInput", [&]() -> api::ITensor* {
        Tensor* input = index < 0 ? nullptr : node_.input(index);
        if (input == nullptr || network_.isWeights(*input)) return nullptr;
        return network_.faceOf(&network_.beforeRepetition(*input));
    });
}

api::ITensor* LayerFace::outputAt(int32_t index) const noexcept {
    return guarded(reporter(), "ILayer::getOutput", [&]() -> api::ITensor* {
        if (index < 0 || index >= outputCount()) return nullptr;
        return network_.faceOf(converted(index));
    });
}

void LayerFace::replaceInput(int32_t index, api::ITensor& tensor) noexcept {
    guarded(reporter(), "ILayer::setInput", [&] {
        constexpr int32_t kMost = 8; // no layer has more optional inputs; its shape rule checks which it accepts
        auto const count = static_cast<int32_t>(node_.inputs().size());
        if (index < 0 || index >= std::max(count, kMost))
            fail(ErrorCode::InvalidArgument, node_, ": there is no input ", index);
        network_.graph().setInput(&node_, index, &network_.tensorOf(tensor));
        changed();
    });
}

Tensor* LayerFace::converted(int32_t index) const {
    return isConverted(index) ? conversions_[static_cast<size_t>(index)]->output() : node_.output(index);
}

bool LayerFace::isConverted(int32_t index) const noexcept {
    return index >= 0 && static_cast<size_t>(index) < conversions_.size() &&
           conversions_[static_cast<size_t>(index)] != nullptr;
}

bool LayerFace::hasOutputType(int32_t index) const noexcept {
    return index >= 0 && static_cast<size_t>(index) < types_.size() && types_[static_cast<size_t>(index)].asked;
}

LayerFace::OutputTypes& LayerFace::typesOf(int32_t index) {
    if (index < 0 || index >= outputCount()) fail(ErrorCode::InvalidArgument, node_, ": there is no output ", index);
    types_.resize(node_.outputs().size());
    return types_[static_cast<size_t>(index)];
}

bool LayerFace::keepsIts(Tensor const& output, DataType wanted) const {
    if (node_.kind() == Identity::kKind || node_.kind() == ControlEdge::kKind) return false;
    return wanted == DataType::Int8 ? isFloat(output.type) : isFloat(wanted) && output.type == DataType::Float32;
}

/// Applications request int8 of all layers, also those that compute shapes; the API ignores it for these, with an
/// error.
static void expectStillShapes(Graph const& graph, Tensor const& output, DataType to) {
    bool const remains = to == output.type || to == DataType::Int32 || to == DataType::Int64;
    if (remains || isFloat(output.type) || !decidesShapes(graph).contains(&output)) return;
    fail(ErrorCode::InvalidArgument, output.name, ": is a shape tensor; it stays ", output.type,
         " and is not converted to ", to);
}

void LayerFace::convertOutput(int32_t index, api::DataType type) noexcept {
    guarded(reporter(), "ILayer::setOutputType", [&] {
        OutputTypes& types = typesOf(index);
        DataType const to = fromApi(type);
        expectWeaklyTyped("the type of an output");
        network_.refresh(node_.output(index));
        expectStillShapes(network_.graph(), *node_.output(index), to);
        types.asked = to;
        settleOutputType(index);
    });
}

void LayerFace::bindOutput(int32_t index, DataType type) {
    expectWeaklyTyped("the type of an output");
    typesOf(index).bound = type;
    settleOutputType(index);
}

void LayerFace::forgetOutputTypes(int32_t index) {
    typesOf(index) = {};
    settleOutputType(index);
}

/// The type that the output must be converted to, since a build cannot store it in the type that the application reads.
std::optional<DataType> LayerFace::conversionFor(int32_t index) {
    OutputTypes const& types = typesOf(index);
    auto const type = types.bound ? types.bound : types.asked;
    return type && !keepsIts(*node_.output(index), *type) ? type : std::nullopt;
}

void LayerFace::settleOutputType(int32_t index) {
    if (isConverted(index)) network_.removeConversion(std::exchange(conversions_[static_cast<size_t>(index)], {}));
    Tensor& output = *node_.output(index);
    network_.tensorFaceOf(output).setOuterType(std::nullopt);
    OutputTypes const& types = typesOf(index);
    if (!types.asked && !types.bound) return;
    network_.refresh(&output);
    if (auto const to = conversionFor(index)) {
        conversions_.resize(node_.outputs().size());
        conversions_[static_cast<size_t>(index)] = network_.addConversion(output, *to);
    } else {
        network_.tensorFaceOf(output).setOuterType(types.bound);
    }
}

void LayerFace::settleOutputTypes() {
    for (int32_t i = 0; i < outputCount(); ++i) {
        node_.output(i)->askedType.reset();
        if (isConverted(i) != conversionFor(i).has_value()) settleOutputType(i);
        auto const asked = typesOf(i).asked;
        if (asked) (keepsIts(*node_.output(i), *asked) ? node_.output(i) : converted(i))->askedType = asked;
    }
}

void LayerFace::resetOutput(int32_t index) noexcept {
    guarded(reporter(), "ILayer::resetOutputType", [&] {
        if (!hasOutputType(index)) return;
        typesOf(index).asked.reset();
        settleOutputType(index);
    });
}

api::DataType LayerFace::outputType(int32_t index) const noexcept {
    return guarded(reporter(), "ILayer::getOutputType", [&] {
        if (index < 0 || index >= outputCount())
            fail(ErrorCode::InvalidArgument, node_, ": there is no output ", index);
        if (hasOutputType(index)) return toApi(*types_[static_cast<size_t>(index)].asked);
        network_.refresh(converted(index));
        return toApi(network_.outerType(*converted(index)).value_or(converted(index)->type));
    });
}

void LayerFace::wishPrecision(api::DataType type) noexcept {
    guarded(reporter(), "ILayer::setPrecision", [&] {
        DataType const wanted = fromApi(type);
        expectWeaklyTyped("the type that it computes in");
        node_.askedType = wanted;
    });
}

void LayerFace::expectWeaklyTyped(std::string_view what) const {
    if (network_.getFlag(api::NetworkDefinitionCreationFlag::kSTRONGLY_TYPED))
        fail(ErrorCode::InvalidState, node_, ": in a strongly typed network a layer's inputs determine ", what,
             "; convert them with addCast");
}

int64_t LayerFace::checkedRanks(int32_t ranks) {
    if (ranks < 1) fail(ErrorCode::InvalidArgument, ranks, " ranks; expected 1 or more");
    return ranks;
}

bool LayerFace::acceptRanks(int32_t ranks) noexcept {
    return guarded(reporter(), "ILayer::setNbRanks", [&] {
        if (ranks != 1)
            fail(ErrorCode::InvalidArgument, node_, " runs on one device, not on ", ranks,
                 "; only layers of addDistCollective, and attentions by IAttention::setNbRanks, exchange data with "
                 "others");
        return true;
    });
}

Shape const& LayerFace::shapeOf(Tensor const& tensor) const { return network_.shapeOf(tensor); }

Axes LayerFace::inputAxes(int32_t index) const {
    Tensor const* input = node_.input(index);
    if (input == nullptr) fail(ErrorCode::InvalidState, node_, ": input ", index, " is not set");
    return network_.axesOf(shapeOf(*input));
}

Axes LayerFace::outputAxes(int32_t index) const { return network_.axesOf(shapeOf(*node_.output(index))); }

api::Weights LayerFace::weightsAt(int32_t input) const noexcept {
    Tensor const* tensor = node_.input(input);
    return network_.weightsOf(tensor ? tensor->literal() : nullptr);
}

} // namespace tenon::trt
