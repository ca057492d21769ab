// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"
#include "plugin/plugin.h"
#include "trt/plugin/plugin_descs.h"
#include "trt/plugin/plugin_v2.h"

#include <memory>

namespace tenon::trt {

/// The core's plugin over a user's object of a class without dynamic shapes: IPluginV2, IPluginV2Ext or IPluginV2IOExt.
/// It sees the dimensions after the batch, and gets the batch size. The batch is the first axis of its first input, or
/// in a network with implicit batch, where inputs may be the same for all samples, that of the first input that has a
/// batch.
std::unique_ptr<Plugin> adaptV2Static(OwnedV2 plugin, std::string node);

/// The common part of the three classes; calls in which they differ are virtual.
class PluginV2Static : public PluginV2Base {
public:
    /// For each tensor, whether it is the same for all samples of a batch (broadcast).
    using Flags = std::unique_ptr<bool[]>;
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
        std::vector<nvinfer1::Dims64> inputDims;
        std::vector<nvinfer1::Dims64> outputDims;
        Flags inputIsBroadcast;
        Flags outputIsBroadcast;
        int32_t maxBatch;
    };

    virtual nvinfer1::DataType outputType(int output, std::vector<nvinfer1::DataType> const& inputs) const = 0;
    /// Whether port `port` may have this description, given the earlier ports.
    virtual bool accepts(size_t port, TensorDescs const& descs, size_t inputs) const = 0;
    virtual void tell(Configuration const& configuration) = 0;
    /// The classes of TensorRT 5 are not offered later formats: a plugin that inspects the type only would compute
    /// wrong results in them.
    virtual bool knows(Format const& format) const {
        return format.isLinear() || format == Format::blocked(2) || format == Format::nhwc(8);
    }
    /// Whether an output is the same for all samples, if the inputs are for which `broadcast` is set.
    virtual bool outputIsOneSample(int, Flags const& /*broadcast*/, int /*inputs*/) const { return false; }

private:
    Shape popBatch(Operands const& in, int input) const;
    void findBatch(Operands const& in);
    Flags samplesAmong(Operands const& in, DimExpr const& batch) const;
    int64_t batchOf(TensorDescs const& inputs) const;
    /// Whether an input of this extent along the first axis is the same for all samples of the batch.
    bool isForWholeBatch(int input, int64_t extent, int64_t batch) const;
    std::vector<Dims> ask(std::vector<nvinfer1::Dims64> const& inputs);
    std::vector<Shape> askWithProbes(std::vector<Shape> const& inputs);
    void configureFor(TensorDescs const& inputs, TensorDescs const& outputs);
    void refit(PortDescs const& io);

    int32_t batch_ = 1;
    std::vector<nvinfer1::Dims64> configuredFor_; // inputs; empty: not known
    TensorDescs inputs_;                          // for messages
    TensorDescs outputs_;
};

/// One type and one format for all tensors.
class PluginV2 : public PluginV2Static {
public:
    using PluginV2Static::PluginV2Static;
    std::string_view generation() const override;
    std::unique_ptr<Plugin> sharedToRun() const override;

protected:
    nvinfer1::DataType outputType(int output, std::vector<nvinfer1::DataType> const& inputs) const override;
    bool accepts(size_t port, TensorDescs const& descs, size_t inputs) const override;
    void tell(Configuration const& configuration) override;
    /// The name of the method that tell() calls, for messages.
    virtual std::string_view configuring() const { return "configureWithFormat"; }
};

} // namespace tenon::trt
