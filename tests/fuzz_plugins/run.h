// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "fuzz_plugins/memory.h"
#include "fuzz_plugins/shapes.h"

namespace tenon::test {

/// The log, and whether all errors say what is wrong.
class Log final : public nvinfer1::ILogger {
public:
    void log(Severity severity, char const* message) noexcept override;
    /// The errors logged since the last call; throws std::runtime_error if there are none, or if one does not begin
    /// with the plugin's name or is a text of the standard library.
    std::string takeRefusal(PluginDefinition const& definition);
    std::string take();

private:
    std::string errors_;
};

constexpr int64_t kMostElements = 100'000; // of a tensor, if a plugin is run

struct TensorOf {
    nvinfer1::Dims dims;
    nvinfer1::DataType type;

    int64_t count() const; ///< -1 if it is too large to be run.
    size_t bytes() const;  ///< Of the elements.
};

nvinfer1::Dims dimsOf(Extents const& extents);
nvinfer1::DimsExprs expressionsOf(Extents const& extents, bool isOpen, Expressions& builder);
/// Random numbers of all kinds; many of them absurd.
void fill(Guarded& memory, nvinfer1::DataType type, Random& random);

/// A plugin of either generation, made from random fields, and its tests. Throws std::runtime_error with the finding,
/// if there is one.
class Subject {
public:
    Subject(PluginDefinition const& definition, Log& log, Random& random);
    ~Subject();
    Subject(Subject const&) = delete;
    Subject& operator=(Subject const&) = delete;

    explicit operator bool() const { return plugin_ != nullptr || pluginV3_ != nullptr; }
    /// Makes another from its saved state, and from a damaged state; the latter if the creator accepts it.
    void reload();
    /// Invalid shapes, and queries of outputs that do not exist.
    void askNonsense();
    /// Finds supported shapes and types; returns whether there are any.
    bool findShapes();
    /// Runs the plugin directly, if possible, for a few shapes, in guarded memory.
    /// \return whether it ran, and did not refuse the inputs' elements
    bool run();
    bool isNetwork() const { return isNetwork_; }

    std::vector<TensorOf> const& inputs() const { return inputs_; }
    /// Random elements for the shape inputs; none if it has none.
    std::vector<std::vector<int64_t>> shapeValues();
    nvinfer1::IPluginV2* plugin() { return plugin_; }
    nvinfer1::IPluginV3* pluginV3() { return pluginV3_; }
    Random& random() { return random_; }
    Log& log() { return log_; }
    PluginDefinition const& definition() const { return definition_; }
    bool isSmall() const;

private:
    nvinfer1::IPluginV2* created(std::vector<unsigned char> const& bytes);
    std::vector<unsigned char> saved() const;
    void takeSignature();
    std::string askShapes(std::vector<Extents> const& inputs, bool isOpen);
    std::string askShapesV2(std::vector<nvinfer1::DimsExprs> const& inputs, Expressions& builder);
    std::string askShapesV3(std::vector<nvinfer1::DimsExprs> const& inputs, Expressions& builder);
    std::string takeOutputs(std::vector<nvinfer1::DimsExprs> const& outputs);
    void askAboutTensors(std::vector<Extents> const& inputs);
    bool findTypes();
    bool accepts(int32_t position, std::vector<nvinfer1::DynamicPluginTensorDesc> const& tensors);
    std::vector<nvinfer1::DynamicPluginTensorDesc> tensors() const;
    void configure(std::vector<nvinfer1::DynamicPluginTensorDesc> const& all);
    bool runOnce();
    int32_t enqueue(std::vector<void const*> const& inputs, std::vector<void*> const& outputs);

    PluginDefinition const& definition_;
    Log& log_;
    Random& random_;
    nvinfer1::IPluginV2DynamicExt* plugin_ = nullptr;
    nvinfer1::IPluginV3* pluginV3_ = nullptr;
    bool isNetwork_ = false, isSlow_ = false;
    std::unique_ptr<Shapes> shapes_;
    std::vector<TensorOf> inputs_, outputs_;
    std::vector<bool> isSized_; // outputs of data-dependent size
};

/// Runs the plugin in an engine for the shapes of the last query. Throws std::runtime_error as Subject does.
/// \return whether it ran
bool runInEngine(Subject& subject);

} // namespace tenon::test
