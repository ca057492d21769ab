// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"
#include "plan/refit.h"
#include "trt/edge/edge.h"
#include "trt/edge/weights_roles.h"
#include "trt/engine/loaded_engine.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace tenon::trt {

namespace api = nvinfer1;

class EngineFace;

/// IRefitter over Engine::refit: stores the application's values until it requests the refit.
class Refitter final : public api::IRefitter {
public:
    /// \param keepsGiven also after a refit, so that the next one reads the application's memory again: from level 10
    /// on,
    ///     where applications can unset it. Older ones release it after a refit
    Refitter(EngineFace const& engine, Reporter const& reporter, bool keepsGiven);

    /// The refittable weights, by name.
    std::vector<RefitWeights> const& all() const {
        follow();
        return all_;
    }
    /// The constants that the engine was built for, by their names in the model: they cannot be refitted.
    std::map<std::string, Literal, std::less<>> const& decided() const { return decided_; }
    Reporter const& reporter() const { return reporter_; }
    /// The registry of the engine's plugins; null: its runtime is gone, so only the process's registry is left.
    std::shared_ptr<PluginRegistry const> plugins() const { return loaded_->plugins.lock(); }
    /// The names of the plugins in the engine's network.
    std::set<std::string> const& pluginNames() const { return pluginNames_; }
    /// Throws an Error if there are no such weights or the values do not fit.
    void expectFits(std::string_view name, api::Weights const& weights) const;
    /// Stores a copy of the values, which fit.
    void set(std::string const& name, Literal const& value);

    bool setWeights(char const* layerName, api::WeightsRole role, api::Weights weights) noexcept override;
    bool refitCudaEngine() noexcept override;
    int32_t getMissing(int32_t size, char const** layerNames, api::WeightsRole* roles) noexcept override;
    int32_t getAll(int32_t size, char const** layerNames, api::WeightsRole* roles) noexcept override;

    bool setDynamicRange(char const* tensorName, float min, float max) noexcept override;
    float getDynamicRangeMin(char const* tensorName) const noexcept override;
    float getDynamicRangeMax(char const* tensorName) const noexcept override;
    int32_t getTensorsWithDynamicRange(int32_t size, char const** tensorNames) const noexcept override;

    void setErrorRecorder(api::IErrorRecorder* recorder) noexcept override { reporter_.setRecorder(recorder); }
    api::IErrorRecorder* getErrorRecorder() const noexcept override { return reporter_.recorder(); }

    bool setNamedWeights(char const* name, api::Weights weights) noexcept override;
    int32_t getMissingWeights(int32_t size, char const** weightsNames) noexcept override;
    int32_t getAllWeights(int32_t size, char const** weightsNames) noexcept override;
    api::ILogger* getLogger() const noexcept override { return reporter_.logger(); }
    bool setMaxThreads(int32_t maxThreads) noexcept override;
    int32_t getMaxThreads() const noexcept override { return threads_; }
    bool setNamedWeights(char const* name, api::Weights weights, api::TensorLocation location) noexcept override;
    api::Weights getNamedWeights(char const* weightsName) const noexcept override;
    api::TensorLocation getWeightsLocation(char const* weightsName) const noexcept override;
    bool unsetNamedWeights(char const* weightsName) noexcept override;
    void setWeightsValidation(bool weightsValidation) noexcept override { validates_ = weightsValidation; }
    bool getWeightsValidation() const noexcept override { return validates_; }
    bool refitCudaEngineAsync(cudaStream_t stream) noexcept override;
    api::Weights getWeightsPrototype(char const* weightsName) const noexcept override;
    bool releaseRefitResources() noexcept override;

private:
    struct Place {
        WeightsPlace place;
        std::string weights; // their name
    };
    struct Range { // as set by the application; of an engine's scale, symmetric
        float scale, min, max;
    };
    struct Given {
        api::Weights weights;
        api::TensorLocation location;
        Literal owned;           // if they are ours
        bool isInEngine = false; // since the last refit
    };
    using AllGiven = std::map<std::string, Given, std::less<>>; // by the weights' name

    /// Stores the present weights and scales of the engine's network.
    void take(Graph const& network) const;
    /// The same if they have changed: the engine may have another refitter too.
    void follow() const;

    float bound(char const* tensorName, float Range::*which) const noexcept;
    RefitWeights const& named(std::string_view name) const;
    void give(std::string_view name, api::Weights weights, api::TensorLocation location);
    AllGiven::const_iterator givenFor(char const* weightsName) const;
    bool isMissing(std::string const& name) const;
    Refit collected() const;
    Literal valueOf(std::string const& name, Given const& given) const;
    int32_t listPlaces(int32_t size, char const** layerNames, api::WeightsRole* roles, bool onlyMissing) const;
    int32_t listNames(int32_t size, char const** names, bool onlyMissing) const;

    std::shared_ptr<LoadedEngine const> loaded_;
    Reporter reporter_;
    std::map<std::string, Literal, std::less<>> decided_;
    bool keepsGiven_;
    static constexpr int64_t kNotRead = -1;
    mutable int64_t version_ = 0; // Engine::weightsVersion() of these:
    mutable std::vector<RefitWeights> all_;
    mutable std::vector<std::string> ranged_;                  // tensors with a range
    mutable std::map<std::string, Range, std::less<>> ranges_; // of these
    std::vector<Place> places_;
    std::set<std::string> pluginNames_;
    std::map<std::string, Range> newRanges_; // that were set
    AllGiven given_;
    int32_t threads_;
    bool validates_ = true;
};

} // namespace tenon::trt
