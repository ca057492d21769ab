// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/plugin/plugin_v1.h"

#include "plugin/plugin_layer.h"
#include "trt/edge/convert.h"
#include "trt/plugin/plugin_call.h"
#include "trt/plugin/plugin_v2_static.h"
#include "trt/plugin/shared_v2.h"

#include <span>

namespace tenon::trt {
namespace {

using nvinfer1::Dims64;
using nvinfer1::IPlugin;
using nvinfer1::IPluginExt;
using nvinfer1::tenonAbi::Converted;
using nvinfer1::tenonAbi::Dims32;

/// An IPlugin or IPluginExt as an IPluginV2, which has the same methods and names in addition. It is shared: there is
/// one user's object, whose configuration it stores.
class AsV2 final : public nvinfer1::IPluginV2 {
public:
    AsV2(IPlugin& user, ClassV1 type) : user_(user), type_(type) {}

    IPlugin& user() const { return user_; }
    IPluginExt* ext() const { return type_ == ClassV1::IPluginExt ? static_cast<IPluginExt*>(&user_) : nullptr; }

    char const* getPluginType() const override { return ext() ? "IPluginExt" : "IPlugin"; }
    char const* getPluginVersion() const override { return ""; }
    char const* getPluginNamespace() const override { return ""; }
    void setPluginNamespace(char const*) override {}
    nvinfer1::IPluginV2* clone() const override { return nullptr; }
    void destroy() override { delete this; }

    int32_t getNbOutputs() const override { return user_.getNbOutputs(); }

    Dims64 getOutputDimensions(int32_t index, Dims64 const* inputs, int32_t count) override {
        Converted<Dims32> const in(inputs, count);
        return dims64(user_.getOutputDimensions(index, in, count));
    }

    bool supportsFormat(nvinfer1::DataType type, nvinfer1::PluginFormat format) const override {
        if (ext()) return ext()->supportsFormat(type, format);
        return type == nvinfer1::DataType::kFLOAT && format == nvinfer1::PluginFormat::kLINEAR;
    }

    void configureWithFormat(Dims64 const* inputDims, int32_t inputs, Dims64 const* outputDims, int32_t outputs,
                             nvinfer1::DataType type, nvinfer1::PluginFormat format, int32_t maxBatch) override;
    int32_t initialize() override;
    void terminate() override;
    size_t getWorkspaceSize(int32_t maxBatch) const override { return user_.getWorkspaceSize(maxBatch); }

    int32_t enqueue(int32_t batch, void const* const* inputs, nvinfer1::tenonAbi::BatchOutputs outputs, void* workspace,
                    cudaStream_t stream) override {
        return user_.enqueue(batch, inputs, const_cast<void**>(outputs), workspace, stream);
    }
    size_t getSerializationSize() const override { return user_.getSerializationSize(); }
    void serialize(void* buffer) const override { user_.serialize(buffer); }

private:
    IPlugin& user_;
    ClassV1 type_;
    int users_ = 0;             // that initialized it
    std::string configuredFor_; // its configuration; empty: none yet
};

std::string print(Dims64 const* dims, int32_t count) {
    std::string all;
    for (auto const& one : std::span(dims, static_cast<size_t>(count)))
        all += text(" [", joined(std::span(one.d, static_cast<size_t>(one.nbDims))), ']');
    return all;
}

/// The same configuration is not passed on again: some plugins can be configured only once.
void AsV2::configureWithFormat(Dims64 const* inputDims, int32_t inputs, Dims64 const* outputDims, int32_t outputs,
                               nvinfer1::DataType type, nvinfer1::PluginFormat format, int32_t maxBatch) {
    std::string told = text(static_cast<int32_t>(type), ' ', static_cast<int32_t>(format), ' ', maxBatch,
                            print(inputDims, inputs), " to", print(outputDims, outputs));
    if (configuredFor_ == told) return;
    configuredFor_ = std::move(told);
    Converted<Dims32> const in(inputDims, inputs);
    Converted<Dims32> const out(outputDims, outputs);
    if (ext()) return ext()->configureWithFormat(in, inputs, out, outputs, type, format, maxBatch);
    user_.configure(in, inputs, out, outputs, maxBatch);
}

int32_t AsV2::initialize() {
    int32_t const status = users_ == 0 ? user_.initialize() : 0;
    if (status == 0) ++users_;
    return status;
}

/// Some plugins drop their configuration there.
void AsV2::terminate() {
    if (--users_ != 0) return;
    configuredFor_.clear();
    user_.terminate();
}

class PluginV1 final : public PluginV2 {
public:
    /// `sharing` passes calls on to `user`.
    PluginV1(std::shared_ptr<AsV2> user, OwnedV2 sharing, std::string nodeName)
        : PluginV2(std::move(sharing), std::move(nodeName)), user_(std::move(user)) {}

    std::string_view generation() const override { return user_->getPluginType(); }
    PluginTraits traits() const override {
        PluginTraits traits;
        traits.sharesObject = true;
        return traits;
    }
    OutputRules outputs(Operands const& in) override;
    std::unique_ptr<Plugin> clone() const override {
        return std::make_unique<PluginV1>(user_, cloneOf(object(), node, name()), node);
    }
    void* userObject() const override { return &user_->user(); }

protected:
    std::string_view configuring() const override { return user_->ext() ? PluginV2::configuring() : "configure"; }

private:
    std::shared_ptr<AsV2> user_;
};

/// One object serves all contexts, so it cannot be configured for the shapes of each.
OutputRules PluginV1::outputs(Operands const& in) {
    for (int i = 0; i < in.count(); ++i) {
        DataType const type = in[i].type;
        Shape const& shape = in[i].shape;
        if (type != DataType::Float32 && type != DataType::Float16 && type != DataType::Int8)
            fail(ErrorCode::Unsupported, name(), ": input ", i, " is ", type, ", and a plugin of class ", generation(),
                 " computes with ", user_->ext() ? "float32, float16 or int8" : "float32",
                 "; convert the input, or derive from IPluginV2IOExt");
        if (!shape.empty() && !isConstant({shape.begin() + 1, shape.end()}))
            fail(ErrorCode::Unsupported, name(), ": a plugin of class ", generation(),
                 " does not support dynamic shapes after the batch axis, and input ", i, " is ", shape,
                 "; derive from IPluginV2DynamicExt or IPluginV3");
    }
    return PluginV2::outputs(in);
}

bool isFirstGeneration(PluginLayer const& layer) {
    return layer.generation() == "IPlugin" || layer.generation() == "IPluginExt";
}

/// The Error for mistakes of the user's factory.
class FactoryCall {
public:
    FactoryCall(nvinfer1::IPluginFactory& factory, Node const& node)
        : factory_(factory), node_(node), layer_(*as<PluginLayer>(*node.layer)) {
        if (layer_.state().size() != 1)
            fail(ErrorCode::InvalidPlan, layer_.name(), ": the engine contains ", layer_.state().size(),
                 " values for it; expected one");
    }

    std::unique_ptr<Plugin> make(PluginPhase phase) {
        auto const& bytes = layer_.state().front().bytes;
        auto* const made = callUser(node_.name, layer_.name(), "IPluginFactory::createPlugin", [&] {
            return factory_.createPlugin(node_.name.c_str(), bytes.data(), bytes.size());
        });
        if (made == nullptr) refuse("returned null; expected the plugin of that layer, made from these bytes");
        auto const type = layer_.generation() == "IPlugin" ? ClassV1::IPlugin : ClassV1::IPluginExt;
        auto plugin = adaptV1(*made, type, node_.name);
        expectOutputs(*plugin);
        if (phase == PluginPhase::Runtime && type == ClassV1::IPluginExt)
            expectFormats(static_cast<IPluginExt&>(*made));
        return plugin;
    }

private:
    template <class... Parts> [[noreturn]] void refuse(Parts const&... parts) const {
        fail(ErrorCode::Plugin, layer_.name(), ": IPluginFactory::createPlugin(\"", node_.name, "\", ",
             layer_.state().front().bytes.size(), " bytes) ", parts...);
    }

    void expectOutputs(Plugin& plugin) const {
        auto const expected = node_.outputs().size();
        if (static_cast<size_t>(plugin.outputCount()) != expected)
            refuse("made a plugin with ", plugin.outputCount(), " outputs; the layer was built with ", expected,
                   kMakeTheOne);
        Operands const in = operandsOf(node_);
        auto const built = layer_.infer(in);
        auto const found = plugin.outputs(in).outputs;
        for (size_t i = 0; i < expected; ++i) {
            if (found[i].shape != built[i].shape)
                refuse("made a plugin whose output ", i, " is ", found[i].shape, "; the layer was built with ",
                       built[i].shape, kMakeTheOne);
        }
    }

    void expectFormats(IPluginExt const& plugin) const {
        for (auto const* tensors : {&node_.inputs(), &node_.outputs()}) {
            for (Tensor const* tensor : *tensors) {
                Label const& label = tensor->label;
                auto const format = toApi(label.format, static_cast<int>(tensor->shape.size()));
                bool const taken = format && callUser(node_.name, layer_.name(), "supportsFormat", [&] {
                                       return plugin.supportsFormat(toApi(label.type), *format);
                                   });
                if (!taken)
                    refuse("made a plugin that does not support ", label.type, ' ', label.format,
                           "; the layer was built with that", kMakeTheOne);
            }
        }
    }

    static constexpr std::string_view kMakeTheOne = "; make the plugin whose serialize() wrote these bytes";

    nvinfer1::IPluginFactory& factory_;
    Node const& node_;
    PluginLayer const& layer_;
};

} // namespace

std::unique_ptr<Plugin> adaptV1(IPlugin& plugin, ClassV1 type, std::string node) {
    auto user = std::shared_ptr<AsV2>(std::make_unique<AsV2>(plugin, type).release(), EndPlugin());
    auto sharing = shareV2(user);
    return std::make_unique<PluginV1>(std::move(user), std::move(sharing), std::move(node));
}

PluginSource sourceOf(nvinfer1::IPluginFactory* factory) {
    return [factory](Node const& node, PluginPhase phase) -> std::unique_ptr<Plugin> {
        auto const& layer = *as<PluginLayer>(*node.layer);
        if (!isFirstGeneration(layer)) return nullptr;
        if (factory == nullptr)
            fail(ErrorCode::Plugin, "its plugin is of class ", layer.generation(),
                 ", which the application makes, not a registry; pass deserializeCudaEngine(blob, size, pluginFactory) "
                 "an IPluginFactory whose createPlugin(\"",
                 node.name, "\", data, size) makes it");
        return FactoryCall(*factory, node).make(phase);
    };
}

} // namespace tenon::trt
