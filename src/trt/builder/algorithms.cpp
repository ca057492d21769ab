// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/builder/algorithms.h"

#include "plan/kernels/workspace.h"
#include "plan/shapes/profile_shapes.h"
#include "plugin/plugin_layer.h"
#include "trt/edge/call_program.h"
#include "trt/edge/convert.h"
#include "trt/edge/strides.h"

#include <memory>
#include <set>

namespace tenon::trt {
namespace {

/// The view that an application has of a node: the inputs except weights, then the outputs.
struct Port {
    Tensor const* tensor;
    size_t index; // among the node's inputs or outputs
    bool isInput;
};

std::vector<Port> portsOf(Node const& node) {
    std::vector<Port> ports;
    for (size_t i = 0; i < node.inputs().size(); ++i) {
        Tensor const* const input = node.inputs()[i];
        if (input && !input->literal()) ports.push_back({input, i, true});
    }
    for (size_t i = 0; i < node.outputs().size(); ++i) ports.push_back({node.outputs()[i], i, false});
    return ports;
}

class Context final : public api::IAlgorithmContext {
public:
    Context(Node const& node, std::vector<Port> ports, ProfileShapes const& shapes)
        : name_(node.name), ports_(std::move(ports)) {
        for (auto point : {ProfilePoint::Min, ProfilePoint::Opt, ProfilePoint::Max}) {
            auto const inputs = shapes.dimsOf(node.inputs(), point);
            auto const outputs = shapes.dimsOf(node.outputs(), point);
            auto& dims = dims_.emplace_back();
            for (Port const& port : ports_) dims.push_back(toApi((port.isInput ? inputs : outputs)[port.index]));
        }
    }

    char const* getName() const noexcept override { return name_.c_str(); }
    int32_t getNbInputs() const noexcept override {
        return static_cast<int32_t>(std::ranges::count(ports_, true, &Port::isInput));
    }
    int32_t getNbOutputs() const noexcept override { return static_cast<int32_t>(ports_.size()) - getNbInputs(); }

protected:
    api::tenonAbi::Dims64 getDimensions_(int32_t index, api::OptProfileSelector select) const noexcept override {
        auto const point = static_cast<size_t>(select); // kMIN, kOPT, kMAX
        bool const isThere = point < dims_.size() && index >= 0 && static_cast<size_t>(index) < ports_.size();
        return isThere ? dims_[point][static_cast<size_t>(index)] : noDims();
    }

private:
    std::string name_;
    std::vector<Port> ports_;
    std::vector<std::vector<api::tenonAbi::Dims64>> dims_; // by point, then port
};

class IoInfo final : public api::IAlgorithmIOInfo {
public:
    IoInfo(Label const& label, Dims const& dims) : label_(label), dims_(dims) {}

    api::DataType getDataType() const noexcept override { return toApi(label_.type); }
    int64_t getVectorizedDim() const noexcept override {
        return label_.format.block == 1 ? -1 : int64_t{label_.format.axis};
    }
    int64_t getComponentsPerElement() const noexcept override { return label_.format.block; }
    api::TensorFormat getTensorFormat_() const noexcept override {
        return toApi(label_.format, dims_.rank()).value_or(api::TensorFormat::kLINEAR);
    }

protected:
    api::tenonAbi::Dims64 getStrides_() const noexcept override { return toApi(stridesOf(dims_, label_.format)); }

private:
    Label label_;
    Dims dims_;
};

/// FNV-1a: the same number for a name in every build.
int64_t numberOf(std::string_view name) {
    uint64_t hash = 0xcbf29ce484222325U;
    for (char const c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return static_cast<int64_t>(hash >> 1U);
}

std::string nameOf(Assignment const& way) {
    auto const* const plugin = as<PluginLayer>(*way.node->layer);
    if (plugin) return text(plugin->name());
    return way.kernel ? std::string(way.kernel->name()) : std::string(way.node->kind());
}

/// The name, and properties of a variant that the API does not show: the order of weights, and formats without a name
/// in the API. Implementation, tactic, types and formats together distinguish each variant from all others, as the API
/// documents.
std::string implementationOf(Assignment const& way, std::vector<Port> const& ports, NodeDims const& dims) {
    std::string name = nameOf(way);
    Variant const& variant = way.variant;
    for (size_t i = 0; i < variant.inputs.size(); ++i) {
        bool const isPort = std::ranges::any_of(ports, [&](Port const& p) { return p.isInput && p.index == i; });
        if (!isPort) name += text(' ', variant.inputs[i]);
    }
    for (Port const& port : ports) {
        Format const& format = (port.isInput ? variant.inputs : variant.outputs)[port.index].format;
        int const rank = (port.isInput ? dims.inputs : dims.outputs)[port.index].rank();
        if (!toApi(format, rank)) name += text(' ', format);
    }
    return name + text(' ', variant.compute, variant.view ? " view" : "");
}

class Way final : public api::IAlgorithm, api::IAlgorithmVariant {
public:
    Way(Assignment const& way, std::vector<Port> const& ports, NodeDims const& dims, size_t workspace)
        : implementation_(numberOf(implementationOf(way, ports, dims))), tactic_(way.variant.tactic),
          milliseconds_(static_cast<float>(way.variant.cost * 1e-6)), workspace_(workspace) {
        for (Port const& port : ports) {
            auto const& labels = port.isInput ? way.variant.inputs : way.variant.outputs;
            io_.push_back(
                std::make_unique<IoInfo>(labels[port.index], (port.isInput ? dims.inputs : dims.outputs)[port.index]));
        }
    }

    api::IAlgorithmVariant const& getAlgorithmVariant() const noexcept override { return *this; }
    float getTimingMSec() const noexcept override { return milliseconds_; }
    size_t getWorkspaceSize() const noexcept override { return workspace_; }
    api::IAlgorithmIOInfo const* getAlgorithmIOInfoByIndex(int32_t index) const noexcept override {
        bool const isThere = index >= 0 && static_cast<size_t>(index) < io_.size();
        return isThere ? io_[static_cast<size_t>(index)].get() : nullptr;
    }
    int64_t getImplementation() const noexcept override { return implementation_; }
    int64_t getTactic() const noexcept override { return tactic_; }

private:
    int64_t implementation_;
    int64_t tactic_;
    float milliseconds_;
    size_t workspace_;
    std::vector<std::unique_ptr<IoInfo>> io_;
};

std::vector<size_t> checked(Node const& node, std::vector<int32_t> const& selection, int32_t count) {
    auto const most = static_cast<int32_t>(selection.size());
    if (count < 0 || count > most)
        fail(ErrorCode::InvalidArgument, node, ": IAlgorithmSelector::selectAlgorithms returned ", count,
             " algorithms; expected 0 to ", most);
    std::set<size_t> chosen;
    for (int32_t i = 0; i < count; ++i) {
        int32_t const index = selection[static_cast<size_t>(i)];
        if (index < 0 || index >= most)
            fail(ErrorCode::InvalidArgument, node, ": IAlgorithmSelector::selectAlgorithms selected algorithm ", index,
                 "; expected 0 to ", most - 1);
        chosen.insert(static_cast<size_t>(index));
    }
    return {chosen.begin(), chosen.end()};
}

} // namespace

std::vector<size_t> SelectorCall::select(Plan const& plan, Candidates const& candidates) {
    Node const& node = *candidates.node;
    ProfileShapes const shapes(plan.graph, plan.profiles.front());
    auto const ports = portsOf(node);
    NodeDims const dims = shapes.dimsFor(node);
    Context const context(node, ports, shapes);
    std::vector<std::unique_ptr<Way>> ways;
    std::vector<api::IAlgorithm const*> choices;
    for (Assignment const& choice : candidates.choices) {
        ways.push_back(std::make_unique<Way>(choice, ports, dims, 0));
        choices.push_back(ways.back().get());
    }
    std::vector<int32_t> selection(choices.size(), -1);
    int32_t const count = callProgram("IAlgorithmSelector::selectAlgorithms", [&] {
        return selector_.selectAlgorithms(context, choices.data(), static_cast<int32_t>(choices.size()),
                                          selection.data());
    });
    if (count == 0 && rejectsEmpty_)
        fail(ErrorCode::InvalidArgument, node, ": IAlgorithmSelector::selectAlgorithms selected none of ",
             choices.size(), " algorithms, and BuilderFlag::kREJECT_EMPTY_ALGORITHMS is set");
    return checked(node, selection, count);
}

void SelectorCall::report(Plan const& plan) const {
    std::vector<std::unique_ptr<Context>> contexts;
    std::vector<std::unique_ptr<Way>> ways;
    forEachPlan(plan, [&](Plan const& one) {
        ProfileShapes const shapes(one.graph, one.profiles.front());
        for (Assignment const& assignment : one.nodes) {
            if (!assignment.bodies.empty()) continue;
            auto const ports = portsOf(*assignment.node);
            contexts.push_back(std::make_unique<Context>(*assignment.node, ports, shapes));
            size_t const workspace = assignment.kernel ? workspaceBytes(one, assignment) : 0;
            ways.push_back(std::make_unique<Way>(assignment, ports, shapes.dimsFor(*assignment.node), workspace));
        }
    });
    std::vector<api::IAlgorithmContext const*> algoContexts;
    std::vector<api::IAlgorithm const*> algoChoices;
    for (auto const& context : contexts) algoContexts.push_back(context.get());
    for (auto const& way : ways) algoChoices.push_back(way.get());
    callProgram("IAlgorithmSelector::reportAlgorithms", [&] {
        selector_.reportAlgorithms(algoContexts.data(), algoChoices.data(), static_cast<int32_t>(ways.size()));
    });
}

} // namespace tenon::trt
