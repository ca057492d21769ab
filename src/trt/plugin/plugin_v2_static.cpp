// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/plugin/plugin_v2_static.h"

#include "trt/edge/convert.h"
#include "trt/plugin/plugin_call.h"
#include "trt/plugin/plugin_descs.h"
#include "trt/plugin/plugin_v2.h"
#include "trt/plugin/shared_v2.h"

#include <algorithm>

namespace tenon::trt {
namespace {

using nvinfer1::IPluginV2;
using nvinfer1::IPluginV2Ext;
using nvinfer1::IPluginV2IOExt;
using nvinfer1::PluginTensorDesc;
using nvinfer1::PluginVersion;

template <class T> int32_t countOf(std::vector<T> const& all) { return static_cast<int32_t>(all.size()); }

/// These classes have a batch size and the dimensions after it: the first axis of every input is removed before the
/// plugin sees it, and the first input's is inserted before every output.
PluginTensorDesc withoutBatch(PluginTensorDesc desc) {
    desc.dims.nbDims = std::max(desc.dims.nbDims - 1, 0);
    std::copy(std::begin(desc.dims.d) + 1, std::end(desc.dims.d), std::begin(desc.dims.d));
    return desc;
}

TensorDescs withoutBatch(TensorDescs descs) {
    for (auto& desc : descs) desc = withoutBatch(desc);
    return descs;
}

} // namespace

Shape PluginV2Static::popBatch(Operands const& in, int input) const {
    Shape const& shape = in[input].shape;
    if (shape.empty())
        fail(ErrorCode::Unsupported, name(), ": input ", input, " is a scalar, and a plugin of class ", generation(),
             " requires a batch axis as the first axis of its inputs; derive from IPluginV2DynamicExt or IPluginV3");
    return {shape.begin() + 1, shape.end()};
}

/// Shapes after the batch of inputs → of outputs.
std::vector<Dims> PluginV2Static::ask(std::vector<Dims64> const& inputs) {
    std::vector<Dims> outputs;
    for (int i = 0; i < outputCount(); ++i) {
        Dims64 const shape = callPlugin(*this, "getOutputDimensions", [&] {
            return object().getOutputDimensions(i, inputs.data(), countOf(inputs));
        });
        bool const isShape = shape.nbDims >= 0 && shape.nbDims < Dims::kMaxRank &&
                             std::all_of(shape.d, shape.d + shape.nbDims, [](int64_t extent) { return extent >= 0; });
        if (!isShape)
            fail(ErrorCode::Plugin, name(), ": getOutputDimensions(", i, ") returned ", shape.nbDims, " dimensions [",
                 joined(std::span(shape.d, static_cast<size_t>(std::clamp(shape.nbDims, 0, Dims::kMaxRank))), ","),
                 "]; expected 0 to ", Dims::kMaxRank - 1, ", none negative");
        outputs.push_back(fromApi(shape));
    }
    return outputs;
}

/// The class cannot be queried with open extents, so it is queried with two numbers for each. Equal parts of both
/// results are assumed to hold for all (and checked at run time, when it is queried again); the rest stays open.
std::vector<Shape> PluginV2Static::askWithProbes(std::vector<Shape> const& inputs) {
    auto const askAbout = [&](int64_t probe) {
        std::vector<Dims64> dims;
        for (Shape const& shape : inputs) {
            Dims extents;
            for (DimExpr const& extent : shape) extents.push(extent.constantOr(probe));
            dims.push_back(toApi(extents));
        }
        return ask(dims);
    };
    constexpr int64_t kOne = 64; // both have the divisors that image sizes usually have
    constexpr int64_t kOther = 96;
    auto const one = askAbout(kOne);
    auto const other = askAbout(kOther);
    std::vector<Shape> outputs;
    for (size_t i = 0; i < one.size(); ++i) {
        if (one[i].rank() != other[i].rank())
            fail(ErrorCode::Plugin, name(), ": output ", i, " has ", one[i].rank(), " or ", other[i].rank(),
                 " dimensions after the batch, depending on the extents of the inputs; derive from IPluginV2DynamicExt "
                 "or IPluginV3");
        outputs.emplace_back();
        for (int axis = 0; axis < one[i].rank(); ++axis)
            outputs.back().push_back(one[i][axis] == other[i][axis] ? DimExpr(one[i][axis])
                                                                    : DimExpr::symbol(text("call.", i, '.', axis)));
    }
    built.refits = true;
    return outputs;
}

/// The batch is the first axis of the first input, as documented, or in a network with implicit batch, where inputs may
/// be the same for all samples, that of the first input whose first extent is open.
void PluginV2Static::findBatch(Operands const& in) {
    if (!built.implicitBatch) return;
    for (int i = 0; i < in.count(); ++i) {
        if (!in[i].shape[0].isConstant()) {
            built.batchInput = i;
            return;
        }
    }
}

/// Plugins without inputs produce one sample.
int64_t PluginV2Static::batchOf(TensorDescs const& inputs) const {
    return inputs.empty() ? 1 : inputs.at(static_cast<size_t>(built.batchInput)).dims.d[0];
}

bool PluginV2Static::isForWholeBatch(int input, int64_t extent, int64_t batch) const {
    return batch > 1 && extent == 1 && repeatsSample(input);
}

/// Which inputs are the same for all samples of the batch, whether they are repeated or not.
PluginV2Static::Flags PluginV2Static::samplesAmong(Operands const& in, DimExpr const& batch) const {
    auto flags = std::make_unique<bool[]>(static_cast<size_t>(in.count()));
    constexpr int64_t kMany = 2; // if the batch is open
    for (int i = 0; i < in.count(); ++i) {
        int64_t const extent = in[i].shape[0].constantOr(kMany);
        bool const isSample =
            isForWholeBatch(i, extent, batch.constantOr(kMany)) || (built.implicitBatch && extent == 1);
        flags[static_cast<size_t>(i)] = isSample || std::ranges::find(built.repeated, i) != built.repeated.end();
    }
    return flags;
}

OutputRules PluginV2Static::outputs(Operands const& in) {
    std::vector<Shape> shapes;
    std::vector<nvinfer1::DataType> types;
    for (int i = 0; i < in.count(); ++i) {
        shapes.push_back(popBatch(in, i));
        types.push_back(toApi(in[i].type));
    }
    findBatch(in);
    DimExpr const batch = in.count() == 0 ? DimExpr(1) : in[static_cast<int>(built.batchInput)].shape[0];
    auto const broadcast = samplesAmong(in, batch);
    std::vector<Shape> behind;
    if (std::ranges::all_of(shapes, isConstant)) {
        std::vector<Dims64> dims;
        for (Shape const& shape : shapes) dims.push_back(toApi(shape));
        for (Dims const& output : ask(dims)) behind.push_back(toShape(output));
    } else {
        behind = askWithProbes(shapes);
    }
    OutputRules rules;
    for (int i = 0; i < outputCount(); ++i) {
        Shape whole = behind[static_cast<size_t>(i)];
        whole.insert(whole.begin(), outputIsOneSample(i, broadcast, in.count()) ? DimExpr(1) : batch);
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
    std::vector<std::vector<Label>> known = offered;
    for (auto& labels : known) std::erase_if(labels, [&](Label const& label) { return !knows(label.format); });
    for (auto const& labels : acceptedLabels(*this, known, ask, refusals))
        variants.push_back(toVariant(labels, io.inputs.size()));
    return variants;
}

void PluginV2Static::configureFor(TensorDescs const& inputs, TensorDescs const& outputs) {
    int64_t const batch = batchOf(inputs);
    Configuration configuration{withoutBatch(inputs),
                                withoutBatch(outputs),
                                {},
                                {},
                                std::make_unique<bool[]>(inputs.size()),
                                std::make_unique<bool[]>(outputs.size()),
                                static_cast<int32_t>(batch)};
    for (size_t i = 0; i < inputs.size(); ++i)
        configuration.inputIsBroadcast[i] = isForWholeBatch(static_cast<int>(i), inputs[i].dims.d[0], batch);
    for (size_t i = 0; i < outputs.size(); ++i)
        configuration.outputIsBroadcast[i] = batch > 1 && outputs[i].dims.d[0] == 1;
    for (auto const& desc : configuration.inputs) configuration.inputDims.push_back(desc.dims);
    for (auto const& desc : configuration.outputs) configuration.outputDims.push_back(desc.dims);
    if (built.refits) ask(configuration.inputDims); // the plugin's last results were for other shapes
    tell(configuration);
    configuredFor_.clear();
    for (auto const& desc : inputs) configuredFor_.push_back(desc.dims);
}

void PluginV2Static::configure(PortRanges const& io, Variant const& chosen) {
    PortRanges const all = labelled(io, chosen);
    configureFor(describeLargest(all.inputs), describeLargest(all.outputs));
}

/// Configures it for shapes other than those it was configured for.
void PluginV2Static::refit(PortDescs const& io) {
    TensorDescs const inputs = describe(io.inputs);
    bool const fits = std::ranges::equal(inputs, configuredFor_, [](PluginTensorDesc const& desc, Dims64 const& dims) {
        return desc.dims.nbDims == dims.nbDims && std::equal(dims.d, dims.d + dims.nbDims, desc.dims.d);
    });
    if (!fits) configureFor(inputs, describe(io.outputs));
}

size_t PluginV2Static::workspace(PortRanges const& io) const {
    auto const batch = static_cast<int32_t>(batchOf(describeLargest(io.inputs)));
    return callPlugin(*this, "getWorkspaceSize", [&] { return object().getWorkspaceSize(batch); });
}

std::unique_ptr<Plugin> PluginV2Static::clone() const {
    return expectCloned(name(), adaptV2(cloneOf(object(), node, name()), node));
}

void PluginV2Static::shapesChanged(PortDescs const& io) {
    inputs_ = describe(io.inputs);
    outputs_ = describe(io.outputs);
    batch_ = static_cast<int32_t>(batchOf(inputs_));
    if (built.refits) refit(io);
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

std::string_view PluginV2::generation() const { return "IPluginV2"; }

/// From IPluginV2Ext on, each context has a clone. An IPluginV2 is shared by the engine's contexts: its clone() need
/// not keep the configuration, and some plugins lose it.
std::unique_ptr<Plugin> PluginV2::sharedToRun() const {
    if (traits().sharesObject || built.refits) return nullptr;
    return std::make_unique<PluginV2>(shareV2(shared()), node);
}

nvinfer1::DataType PluginV2::outputType(int, std::vector<nvinfer1::DataType> const& inputs) const {
    return inputs.empty() ? nvinfer1::DataType::kFLOAT : inputs[0];
}

bool PluginV2::accepts(size_t port, TensorDescs const& descs, size_t) const {
    auto const& desc = descs[port];
    if (port != 0) return desc.type == descs[0].type && desc.format == descs[0].format;
    return callPlugin(*this, "supportsFormat", [&] { return object().supportsFormat(desc.type, desc.format); });
}

void PluginV2::tell(Configuration const& c) {
    auto const& first = c.inputs.empty() ? c.outputs.front() : c.inputs.front();
    callPlugin(*this, configuring(), [&] {
        object().configureWithFormat(c.inputDims.data(), countOf(c.inputDims), c.outputDims.data(),
                                     countOf(c.outputDims), first.type, first.format, c.maxBatch);
    });
}

namespace {

/// The part that IPluginV2IOExt inherits from IPluginV2Ext.
class PluginV2WithTypes : public PluginV2Static {
public:
    using PluginV2Static::PluginV2Static;
    void attach(PluginResources const& resources) override { attachToContext(user(), resources); }
    void detach() noexcept override { detachFromContext(user()); }
    bool repeatsSample(int input) const override {
        return callPlugin(*this, "canBroadcastInputAcrossBatch",
                          [&] { return user().canBroadcastInputAcrossBatch(input); });
    }

protected:
    nvinfer1::DataType outputType(int output, std::vector<nvinfer1::DataType> const& inputs) const override {
        return callPlugin(*this, "getOutputDataType",
                          [&] { return user().getOutputDataType(output, inputs.data(), countOf(inputs)); });
    }
    bool outputIsOneSample(int output, Flags const& broadcast, int inputs) const override {
        return callPlugin(*this, "isOutputBroadcastAcrossBatch",
                          [&] { return user().isOutputBroadcastAcrossBatch(output, broadcast.get(), inputs); });
    }
    IPluginV2Ext& user() const { return static_cast<IPluginV2Ext&>(object()); }
};

/// A type for each tensor, one format for all of them.
class PluginV2Ext final : public PluginV2WithTypes {
public:
    using PluginV2WithTypes::PluginV2WithTypes;
    std::string_view generation() const override { return "IPluginV2Ext"; }

protected:
    bool accepts(size_t port, TensorDescs const& descs, size_t inputs) const override {
        auto const& desc = descs[port];
        if (desc.format != descs[0].format) return false;
        std::vector<nvinfer1::DataType> types;
        for (size_t i = 0; i < inputs; ++i) types.push_back(descs[i].type);
        if (port >= inputs && desc.type != outputType(static_cast<int>(port - inputs), types)) return false;
        return callPlugin(*this, "supportsFormat", [&] { return object().supportsFormat(desc.type, desc.format); });
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
};

/// Type and format for each tensor.
class PluginV2IOExt final : public PluginV2WithTypes {
public:
    using PluginV2WithTypes::PluginV2WithTypes;
    std::string_view generation() const override { return "IPluginV2IOExt"; }

protected:
    bool knows(Format const&) const override { return true; }
    bool accepts(size_t port, TensorDescs const& descs, size_t inputs) const override {
        return callPlugin(*this, "supportsFormatCombination", [&] {
            return ioUser().supportsFormatCombination(static_cast<int32_t>(port), descs.data(),
                                                      static_cast<int32_t>(inputs),
                                                      static_cast<int32_t>(descs.size() - inputs));
        });
    }
    void tell(Configuration const& c) override {
        callPlugin(*this, "configurePlugin", [&] {
            ioUser().configurePlugin(c.inputs.data(), countOf(c.inputs), c.outputs.data(), countOf(c.outputs));
        });
    }

private:
    IPluginV2IOExt& ioUser() const { return static_cast<IPluginV2IOExt&>(object()); }
};

} // namespace

std::unique_ptr<Plugin> adaptV2Static(OwnedV2 plugin, std::string node) {
    switch (generationOf(*plugin)) {
    case PluginVersion::kV2: return std::make_unique<PluginV2>(std::move(plugin), std::move(node));
    case PluginVersion::kV2_EXT: return std::make_unique<PluginV2Ext>(std::move(plugin), std::move(node));
    case PluginVersion::kV2_IOEXT: return std::make_unique<PluginV2IOExt>(std::move(plugin), std::move(node));
    case PluginVersion::kV2_DYNAMICEXT:
    case PluginVersion::kV2_DYNAMICEXT_PYTHON: break;
    }
    fail(ErrorCode::Internal, node, ": the plugin's class supports dynamic shapes");
}

} // namespace tenon::trt
