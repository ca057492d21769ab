// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/plugin_v2_static.h"

#include "trt/convert.h"
#include "trt/plugin_call.h"
#include "trt/plugin_descs.h"
#include "trt/plugin_v2.h"

#include <algorithm>

namespace tenon::trt {
namespace {

using nvinfer1::IPluginV2;
using nvinfer1::IPluginV2Ext;
using nvinfer1::IPluginV2IOExt;
using nvinfer1::PluginTensorDesc;
using nvinfer1::PluginVersion;

template <class T> int32_t countOf(std::vector<T> const& all) { return static_cast<int32_t>(all.size()); }

/// These classes know of a batch, and of the dimensions behind it: the first axis of every input is taken off before
/// the plugin sees it, and the first input's is put in front of every output.
PluginTensorDesc withoutBatch(PluginTensorDesc desc) {
    desc.dims.nbDims = std::max(desc.dims.nbDims - 1, 0);
    std::copy(std::begin(desc.dims.d) + 1, std::end(desc.dims.d), std::begin(desc.dims.d));
    return desc;
}

TensorDescs withoutBatch(TensorDescs descs) {
    for (auto& desc : descs) desc = withoutBatch(desc);
    return descs;
}

/// An input of one sample goes with any batch of the others.
bool isOneSample(Shape const& shape) { return !shape.empty() && shape[0] == DimExpr(1); }

/// Plugins without inputs make one sample.
int32_t largestBatch(PortRanges const& io) {
    int64_t batch = 1;
    for (PortRange const& input : io.inputs) batch = std::max(batch, input.max[0]);
    return static_cast<int32_t>(batch);
}

/// For each tensor, whether it is one sample for a whole batch.
using Flags = std::unique_ptr<bool[]>;

Flags broadcastFlags(std::vector<PortRange> const& ports, bool hasBatch) {
    auto flags = std::make_unique<bool[]>(ports.size());
    for (size_t i = 0; i < ports.size(); ++i) flags[i] = hasBatch && isOneSample(ports[i].shape);
    return flags;
}

bool hasBatch(std::vector<PortRange> const& inputs) {
    return std::ranges::any_of(inputs, [](PortRange const& input) { return !isOneSample(input.shape); });
}

/// What the three classes have in common; what they are asked in different ways is left to them.
class PluginV2Static : public PluginV2Base {
public:
    using PluginV2Base::PluginV2Base;

    PluginTraits traits() const override { return {}; }
    OutputRules outputs(Operands const& in) override;
    std::vector<Variant> variants(PortRanges const& io, std::vector<std::vector<Label>> const& offered,
                                  std::string& refusals) override;
    void configure(PortRanges const& io, Variant const& chosen) override;
    size_t workspace(PortRanges const& io) const override;
    std::unique_ptr<Plugin> clone() const override;
    void attach(PluginResources const&) override {}
    void detach() noexcept override {}
    void shapesChanged(PortDescs const& io) override;
    void enqueue(Pointers const& pointers) override;

protected:
    struct Configuration {
        TensorDescs inputs;
        TensorDescs outputs;
        std::vector<Dims64> inputDims;
        std::vector<Dims64> outputDims;
        Flags inputIsBroadcast;
        Flags outputIsBroadcast;
        int32_t maxBatch;
    };

    virtual nvinfer1::DataType outputType(int output, std::vector<nvinfer1::DataType> const& inputs) const = 0;
    /// Whether port `port` may be as described, given the ports before it.
    virtual bool accepts(size_t port, TensorDescs const& descs, size_t inputs) const = 0;
    virtual void tell(Configuration const& configuration) = 0;
    /// Whether an output is one sample for a whole batch, where those inputs are for which `broadcast` is set.
    virtual bool outputIsOneSample(int, Flags const& /*broadcast*/, int /*inputs*/) const { return false; }

private:
    Dims64 popBatch(Operands const& in, int input) const;

    int32_t batch_ = 1;
    TensorDescs inputs_; // for messages
    TensorDescs outputs_;
};

Dims64 PluginV2Static::popBatch(Operands const& in, int input) const {
    Shape const& shape = in[input].shape;
    if (shape.empty())
        fail(ErrorCode::Unsupported, name(), ": input ", input, " is a scalar, and a plugin of class ", generation(),
             " computes batches: its inputs have a batch axis first; derive from IPluginV2DynamicExt or IPluginV3");
    Shape const behind(shape.begin() + 1, shape.end());
    if (!isConstant(behind))
        fail(ErrorCode::Unsupported, name(), ": a plugin of class ", generation(),
             " takes no dynamic shapes behind the batch axis, and input ", input, " is ", shape,
             "; derive from IPluginV2DynamicExt or IPluginV3");
    return toApi(behind);
}

/// The extent of the batch: the first input's that is not one sample for all of it.
Shape batchOf(Operands const& in) {
    for (int i = 0; i < in.count(); ++i) {
        if (!isOneSample(in[i].shape)) return {in[i].shape[0]};
    }
    return {1};
}

OutputRules PluginV2Static::outputs(Operands const& in) {
    std::vector<Dims64> dims;
    std::vector<nvinfer1::DataType> types;
    for (int i = 0; i < in.count(); ++i) {
        dims.push_back(popBatch(in, i));
        types.push_back(toApi(in[i].type));
    }
    Shape const batch = batchOf(in);
    auto broadcast = std::make_unique<bool[]>(static_cast<size_t>(in.count()));
    for (int i = 0; i < in.count(); ++i)
        broadcast[static_cast<size_t>(i)] = !isOneSample(batch) && isOneSample(in[i].shape);
    OutputRules rules;
    for (int i = 0; i < outputCount(); ++i) {
        Dims64 const shape = callPlugin(*this, "getOutputDimensions",
                                        [&] { return object().getOutputDimensions(i, dims.data(), in.count()); });
        bool const isShape = shape.nbDims >= 0 && shape.nbDims < Dims::kMaxRank &&
                             std::all_of(shape.d, shape.d + shape.nbDims, [](int64_t extent) { return extent >= 0; });
        if (!isShape)
            fail(ErrorCode::Plugin, name(), ": getOutputDimensions(", i, ") returned ", shape.nbDims, " dimensions [",
                 joined(std::span(shape.d, static_cast<size_t>(std::clamp(shape.nbDims, 0, Dims::kMaxRank))), ","),
                 "]; expected 0 to ", Dims::kMaxRank - 1, ", none negative");
        Shape whole = toShape(fromApi(shape));
        whole.insert(whole.begin(), outputIsOneSample(i, broadcast, in.count()) ? DimExpr(1) : batch[0]);
        rules.outputs.push_back({fromApi(outputType(i, types)), std::move(whole)});
    }
    return rules;
}

std::vector<Variant> PluginV2Static::variants(PortRanges const& io, std::vector<std::vector<Label>> const& offered,
                                              std::string& refusals) {
    TensorDescs descs;
    for (auto const& range : describeAll(io)) descs.push_back(range.desc);
    auto const ask = [&](size_t port, std::vector<Label> const& labels) {
        for (size_t i = 0; i < descs.size(); ++i) setLabel(descs[i], labels[i]);
        return accepts(port, withoutBatch(descs), io.inputs.size());
    };
    std::vector<Variant> variants;
    for (auto const& labels : acceptedLabels(offered, traits().formatLimit, ask, refusals))
        variants.push_back(toVariant(labels, io.inputs.size()));
    return variants;
}

void PluginV2Static::configure(PortRanges const& io, Variant const& chosen) {
    PortRanges const all = labelled(io, chosen);
    Configuration configuration{withoutBatch(describeLargest(all.inputs)),
                                withoutBatch(describeLargest(all.outputs)),
                                {},
                                {},
                                broadcastFlags(all.inputs, hasBatch(all.inputs)),
                                broadcastFlags(all.outputs, hasBatch(all.inputs)),
                                largestBatch(all)};
    for (auto const& desc : configuration.inputs) configuration.inputDims.push_back(desc.dims);
    for (auto const& desc : configuration.outputs) configuration.outputDims.push_back(desc.dims);
    tell(configuration);
}

size_t PluginV2Static::workspace(PortRanges const& io) const {
    return callPlugin(*this, "getWorkspaceSize", [&] { return object().getWorkspaceSize(largestBatch(io)); });
}

std::unique_ptr<Plugin> PluginV2Static::clone() const {
    auto* copy = expectObject(*this, "clone", callPlugin(*this, "clone", [&] { return object().clone(); }));
    auto adapted = adaptV2Static(*copy, node);
    adapted->built = built;
    return adapted;
}

void PluginV2Static::shapesChanged(PortDescs const& io) {
    int64_t batch = 1;
    for (PortDesc const& input : io.inputs) batch = std::max(batch, input.dims[0]);
    batch_ = static_cast<int32_t>(batch);
    inputs_ = describe(io.inputs);
    outputs_ = describe(io.outputs);
}

void PluginV2Static::enqueue(Pointers const& pointers) {
    callEnqueue(
        *this, cuda_, pointers.stream,
        [&] {
            return object().enqueue(batch_, pointers.inputs, pointers.outputs, pointers.workspace,
                                    static_cast<cudaStream_t>(pointers.stream));
        },
        [&] { return text("inputs ", print(inputs_), "; outputs ", print(outputs_)); });
}

/// One type and one format for all tensors.
class PluginV2 final : public PluginV2Static {
public:
    using PluginV2Static::PluginV2Static;
    std::string_view generation() const override { return "IPluginV2"; }

protected:
    nvinfer1::DataType outputType(int, std::vector<nvinfer1::DataType> const& inputs) const override {
        return inputs.empty() ? nvinfer1::DataType::kFLOAT : inputs[0];
    }
    bool accepts(size_t port, TensorDescs const& descs, size_t) const override {
        auto const& desc = descs[port];
        if (port != 0) return desc.type == descs[0].type && desc.format == descs[0].format;
        return callPlugin(*this, "supportsFormat", [&] { return object().supportsFormat(desc.type, desc.format); });
    }
    void tell(Configuration const& c) override {
        auto const& first = c.inputs.empty() ? c.outputs.front() : c.inputs.front();
        callPlugin(*this, "configureWithFormat", [&] {
            object().configureWithFormat(c.inputDims.data(), countOf(c.inputDims), c.outputDims.data(),
                                         countOf(c.outputDims), first.type, first.format, c.maxBatch);
        });
    }
};

bool canBroadcast(Plugin const& plugin, IPluginV2Ext& user, int input) {
    return callPlugin(plugin, "canBroadcastInputAcrossBatch", [&] { return user.canBroadcastInputAcrossBatch(input); });
}

bool isBroadcast(Plugin const& plugin, IPluginV2Ext& user, int output, Flags const& broadcast, int inputs) {
    return callPlugin(plugin, "isOutputBroadcastAcrossBatch",
                      [&] { return user.isOutputBroadcastAcrossBatch(output, broadcast.get(), inputs); });
}

/// A type for each tensor, one format for all of them.
class PluginV2Ext final : public PluginV2Static {
public:
    using PluginV2Static::PluginV2Static;
    std::string_view generation() const override { return "IPluginV2Ext"; }
    void attach(PluginResources const& resources) override { attachToContext(user(), resources); }
    void detach() noexcept override { detachFromContext(user()); }

    bool repeatsSample(int input) const override { return canBroadcast(*this, user(), input); }

protected:
    nvinfer1::DataType outputType(int output, std::vector<nvinfer1::DataType> const& inputs) const override {
        return callPlugin(*this, "getOutputDataType",
                          [&] { return user().getOutputDataType(output, inputs.data(), countOf(inputs)); });
    }
    bool outputIsOneSample(int output, Flags const& broadcast, int inputs) const override {
        return isBroadcast(*this, user(), output, broadcast, inputs);
    }
    bool accepts(size_t port, TensorDescs const& descs, size_t inputs) const override {
        auto const& desc = descs[port];
        if (desc.format != descs[0].format) return false;
        if (port < inputs)
            return callPlugin(*this, "supportsFormat", [&] { return object().supportsFormat(desc.type, desc.format); });
        std::vector<nvinfer1::DataType> types;
        for (size_t i = 0; i < inputs; ++i) types.push_back(descs[i].type);
        return desc.type == outputType(static_cast<int>(port - inputs), types);
    }
    void tell(Configuration const& c) override {
        std::vector<nvinfer1::DataType> inputTypes;
        std::vector<nvinfer1::DataType> outputTypes;
        for (auto const& desc : c.inputs) inputTypes.push_back(desc.type);
        for (auto const& desc : c.outputs) outputTypes.push_back(desc.type);
        auto const format = c.inputs.empty() ? c.outputs.front().format : c.inputs.front().format;
        callPlugin(*this, "configurePlugin", [&] {
            user().configurePlugin(c.inputDims.data(), countOf(c.inputDims), c.outputDims.data(), countOf(c.outputDims),
                                   inputTypes.data(), outputTypes.data(), c.inputIsBroadcast.get(),
                                   c.outputIsBroadcast.get(), format, c.maxBatch);
        });
    }

private:
    IPluginV2Ext& user() const { return static_cast<IPluginV2Ext&>(object()); }
};

/// Type and format for each tensor.
class PluginV2IOExt final : public PluginV2Static {
public:
    using PluginV2Static::PluginV2Static;
    std::string_view generation() const override { return "IPluginV2IOExt"; }
    void attach(PluginResources const& resources) override { attachToContext(user(), resources); }
    void detach() noexcept override { detachFromContext(user()); }

    bool repeatsSample(int input) const override { return canBroadcast(*this, user(), input); }

protected:
    nvinfer1::DataType outputType(int output, std::vector<nvinfer1::DataType> const& inputs) const override {
        return callPlugin(*this, "getOutputDataType",
                          [&] { return user().getOutputDataType(output, inputs.data(), countOf(inputs)); });
    }
    bool outputIsOneSample(int output, Flags const& broadcast, int inputs) const override {
        return isBroadcast(*this, user(), output, broadcast, inputs);
    }
    bool accepts(size_t port, TensorDescs const& descs, size_t inputs) const override {
        return callPlugin(*this, "supportsFormatCombination", [&] {
            return user().supportsFormatCombination(static_cast<int32_t>(port), descs.data(),
                                                    static_cast<int32_t>(inputs),
                                                    static_cast<int32_t>(descs.size() - inputs));
        });
    }
    void tell(Configuration const& c) override {
        callPlugin(*this, "configurePlugin", [&] {
            user().configurePlugin(c.inputs.data(), countOf(c.inputs), c.outputs.data(), countOf(c.outputs));
        });
    }

private:
    IPluginV2IOExt& user() const { return static_cast<IPluginV2IOExt&>(object()); }
};

} // namespace

std::unique_ptr<Plugin> adaptV2Static(IPluginV2& plugin, std::string node) {
    std::unique_ptr<IPluginV2, DestroyPlugin> owned(&plugin);
    switch (generationOf(plugin)) {
    case PluginVersion::kV2: return std::make_unique<PluginV2>(*owned.release(), std::move(node));
    case PluginVersion::kV2_EXT: return std::make_unique<PluginV2Ext>(*owned.release(), std::move(node));
    case PluginVersion::kV2_IOEXT: return std::make_unique<PluginV2IOExt>(*owned.release(), std::move(node));
    case PluginVersion::kV2_DYNAMICEXT:
    case PluginVersion::kV2_DYNAMICEXT_PYTHON: break;
    }
    fail(ErrorCode::Internal, node, ": the plugin's class takes dynamic shapes");
}

} // namespace tenon::trt
