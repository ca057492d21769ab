// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/engine/refitter.h"

#include "base/parallel.h"
#include "graph/body.h"
#include "layers/constant/constant.h"
#include "plugin/plugin_layer.h"
#include "trt/edge/convert.h"
#include "trt/edge/shape_tensors.h"
#include "trt/engine/engine_face.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tenon::trt {

Refitter::Refitter(EngineFace const& engine, Reporter const& reporter, bool keepsGiven)
    : loaded_(engine.loaded()), reporter_(reporter), keepsGiven_(keepsGiven), threads_(loaded_->threads) {
    Plan const& plan = loaded_->core->plan();
    if (!plan.settings.refits)
        fail(ErrorCode::InvalidArgument, "the engine was built without BuilderFlag::kREFIT, kREFIT_IDENTICAL or "
                                         "kREFIT_INDIVIDUAL, so its weights are fixed");
    Graph const network = plan.network();
    auto const deciding = decidingConstants(network);
    for (auto const& [node, name] : nameConstants(network, byModel)) {
        if (deciding.contains(node->output())) decided_.emplace(name, *node->layer->constant());
    }
    forEachWeights(network, [&](Node const& node, std::vector<WeightsPlace> const& places) {
        std::string const& name = as<Constant>(*node.layer)->weights;
        if (name.empty()) return;
        for (WeightsPlace const& place : places) places_.push_back({place, name});
    });
    forEachNode(network, [&](Node& node) {
        if (auto const* plugin = as<PluginLayer>(*node.layer)) pluginNames_.insert(plugin->name().name);
    });
    take(network);
}

void Refitter::take(Graph const& network) const {
    all_ = refitWeights(network);
    auto const was = std::exchange(ranges_, {});
    ranged_.clear();
    for (auto const& tensor : network.tensors()) {
        float const scale = tensor->quantum.scale;
        Range range{scale, -rangeOfScale(scale), rangeOfScale(scale)};
        if (auto const set = was.find(tensor->name); set != was.end() && set->second.scale == scale)
            range = set->second;
        if (scale == 0 || !ranges_.emplace(tensor->name, range).second) continue;
        ranged_.push_back(tensor->name);
    }
    version_ = loaded_->core->weightsVersion();
}

void Refitter::follow() const {
    if (version_ != loaded_->core->weightsVersion()) take(loaded_->core->plan().network());
}

// ---- setting

RefitWeights const& Refitter::named(std::string_view name) const {
    follow();
    auto const found = std::ranges::find(all_, name, &RefitWeights::name);
    if (found == all_.end() && decided_.contains(name))
        fail(ErrorCode::InvalidArgument, "weights ", name,
             " determine how the engine computes and cannot be exchanged; build the engine again with other weights");
    if (found == all_.end())
        fail(ErrorCode::InvalidArgument, "the engine has no refittable weights called ", name,
             "; getAllWeights lists the ", all_.size(), " that it has");
    return *found;
}

void Refitter::expectFits(std::string_view name, api::Weights const& weights) const {
    Literal const& now = named(name).value;
    int64_t const count = now.dims().volume();
    if (weights.values == nullptr || weights.count != count || fromApi(weights.type) != now.type())
        fail(ErrorCode::InvalidArgument, "weights ", name, " are ", count, " values of ", now.type(), "; found ",
             weights.count, " of ", fromApi(weights.type), weights.values ? "" : " at address null");
}

void Refitter::give(std::string_view name, api::Weights weights, api::TensorLocation location) {
    expectFits(name, weights);
    given_[std::string(name)] = {weights, location, {}, false};
}

void Refitter::set(std::string const& name, Literal const& value) {
    Literal const own = Literal::copyOf(value.type(), value.dims(), value.data());
    given_[name] = {toApi(&own), api::TensorLocation::kHOST, own, false};
}

bool Refitter::setWeights(char const* layerName, api::WeightsRole role, api::Weights weights) noexcept {
    return guarded(reporter_, "IRefitter::setWeights", [&] {
        expectText(layerName, "layerName");
        auto const found = std::ranges::find_if(
            places_, [&](Place const& one) { return one.place.layer == layerName && one.place.role == role; });
        if (found == places_.end())
            fail(ErrorCode::InvalidArgument, "no layer ", std::string_view(layerName),
                 " has refittable weights of role ", static_cast<int32_t>(role), "; getAll lists all of them");
        return give(found->weights, weights, api::TensorLocation::kHOST), true;
    });
}

bool Refitter::setNamedWeights(char const* name, api::Weights weights) noexcept {
    return setNamedWeights(name, weights, api::TensorLocation::kHOST);
}

bool Refitter::setNamedWeights(char const* name, api::Weights weights, api::TensorLocation location) noexcept {
    return guarded(reporter_, "IRefitter::setNamedWeights",
                   [&] { return give(expectText(name, "name"), weights, location), true; });
}

/// Throws an Error if nothing was set.
Refitter::AllGiven::const_iterator Refitter::givenFor(char const* weightsName) const {
    auto const found = given_.find(std::string_view(expectText(weightsName, "weightsName")));
    if (found == given_.end())
        fail(ErrorCode::InvalidArgument, "nothing is set for weights ", std::string_view(weightsName),
             "; expected a name passed to setNamedWeights");
    return found;
}

bool Refitter::unsetNamedWeights(char const* weightsName) noexcept {
    return guarded(reporter_, "IRefitter::unsetNamedWeights",
                   [&] { return given_.erase(givenFor(weightsName)), true; });
}

api::Weights Refitter::getNamedWeights(char const* weightsName) const noexcept {
    return guardedOr({api::DataType::kFLOAT, nullptr, 0}, reporter_, "IRefitter::getNamedWeights",
                     [&] { return givenFor(weightsName)->second.weights; });
}

api::TensorLocation Refitter::getWeightsLocation(char const* weightsName) const noexcept {
    return guardedOr(api::TensorLocation::kHOST, reporter_, "IRefitter::getWeightsLocation",
                     [&] { return givenFor(weightsName)->second.location; });
}

api::Weights Refitter::getWeightsPrototype(char const* weightsName) const noexcept {
    return guardedOr({api::DataType::kFLOAT, nullptr, -1}, reporter_, "IRefitter::getWeightsPrototype", [&] {
        Literal const& now = named(expectText(weightsName, "weightsName")).value;
        return api::Weights{toApi(now.type()), nullptr, now.dims().volume()};
    });
}

// ---- lists

bool Refitter::isMissing(std::string const& name) const {
    return named(name).value.isAbsent() && !given_.contains(name);
}

int32_t Refitter::listNames(int32_t size, char const** names, bool onlyMissing) const {
    follow();
    int32_t count = 0;
    for (RefitWeights const& weights : all_) {
        if (onlyMissing && !isMissing(weights.name)) continue;
        if (count < size && names) names[count] = loaded_->lastingText(weights.name);
        ++count;
    }
    return count;
}

int32_t Refitter::listPlaces(int32_t size, char const** layerNames, api::WeightsRole* roles, bool onlyMissing) const {
    follow();
    int32_t count = 0;
    for (auto const& [place, weights] : places_) {
        if (onlyMissing && !isMissing(weights)) continue;
        if (count < size && layerNames) layerNames[count] = loaded_->lastingText(place.layer);
        if (count < size && roles) roles[count] = place.role;
        ++count;
    }
    return count;
}

int32_t Refitter::getAll(int32_t size, char const** layerNames, api::WeightsRole* roles) noexcept {
    return guarded(reporter_, "IRefitter::getAll", [&] { return listPlaces(size, layerNames, roles, false); });
}
int32_t Refitter::getMissing(int32_t size, char const** layerNames, api::WeightsRole* roles) noexcept {
    return guarded(reporter_, "IRefitter::getMissing", [&] { return listPlaces(size, layerNames, roles, true); });
}
int32_t Refitter::getAllWeights(int32_t size, char const** weightsNames) noexcept {
    return guarded(reporter_, "IRefitter::getAllWeights", [&] { return listNames(size, weightsNames, false); });
}
int32_t Refitter::getMissingWeights(int32_t size, char const** weightsNames) noexcept {
    return guarded(reporter_, "IRefitter::getMissingWeights", [&] { return listNames(size, weightsNames, true); });
}

// ---- ranges

bool Refitter::setDynamicRange(char const* tensorName, float min, float max) noexcept {
    return guarded(reporter_, "IRefitter::setDynamicRange", [&] {
        expectText(tensorName, "tensorName");
        if (!ranges_.contains(tensorName))
            fail(ErrorCode::InvalidArgument, "the engine has no tensor ", std::string_view(tensorName),
                 " with a range; getTensorsWithDynamicRange lists them");
        newRanges_[tensorName] = {scaleOfRange(tensorName, min, max), min, max};
        return true;
    });
}

float Refitter::bound(char const* tensorName, float Range::*which) const noexcept {
    return guardedOr(std::nanf(""), reporter_, "IRefitter::getDynamicRange", [&] {
        follow();
        auto const range = ranges_.find(std::string_view(expectText(tensorName, "tensorName")));
        return range == ranges_.end() ? std::nanf("") : range->second.*which;
    });
}

float Refitter::getDynamicRangeMin(char const* tensorName) const noexcept { return bound(tensorName, &Range::min); }
float Refitter::getDynamicRangeMax(char const* tensorName) const noexcept { return bound(tensorName, &Range::max); }

int32_t Refitter::getTensorsWithDynamicRange(int32_t size, char const** tensorNames) const noexcept {
    return guarded(reporter_, "IRefitter::getTensorsWithDynamicRange", [&] {
        for (int32_t i = 0; tensorNames && i < size && static_cast<size_t>(i) < ranged_.size(); ++i)
            tensorNames[i] = loaded_->lastingText(ranged_[static_cast<size_t>(i)]);
        return static_cast<int32_t>(ranged_.size());
    });
}

// ---- refitting

bool Refitter::setMaxThreads(int32_t maxThreads) noexcept {
    return guarded(reporter_, "IRefitter::setMaxThreads", [&] {
        if (maxThreads < 1) fail(ErrorCode::InvalidArgument, maxThreads, " threads; expected at least 1");
        return threads_ = maxThreads, true;
    });
}

Literal Refitter::valueOf(std::string const& name, Given const& given) const {
    if (given.owned) return given.owned;
    Literal const& now = named(name).value;
    Backend const& backend = loaded_->core->backend();
    bool const isOnDevice = given.location == api::TensorLocation::kDEVICE && backend.takesProgramMemory();
    if (!isOnDevice) return Literal::borrowed(now.type(), now.dims(), given.weights.values, nullptr);
    auto const host = allocateHost(now.bytes());
    backend.copy(host.get(), given.weights.values, now.bytes(), nullptr);
    backend.synchronize(nullptr);
    return Literal::borrowed(now.type(), now.dims(), host.get(), host);
}

Refit Refitter::collected() const {
    Refit refit;
    for (auto const& [name, given] : given_) refit.weights[name] = valueOf(name, given);
    for (auto const& [name, range] : newRanges_) refit.scales[name] = range.scale;
    return refit;
}

bool Refitter::refitCudaEngine() noexcept {
    return guarded(reporter_, "IRefitter::refitCudaEngine", [&] {
        ThreadLimitOnce const limit(threads_);
        CurrentDevice const current(loaded_->core->backend(), loaded_->core->deviceIndex());
        Refit const refit = collected();
        loaded_->core->refit(refit);
        follow();
        for (auto const& [name, range] : newRanges_) ranges_[name] = range;
        newRanges_.clear();
        for (auto& [name, given] : given_) given.isInEngine = true;
        if (!keepsGiven_) given_.clear();
        return true;
    });
}

/// Weights set by a parser refitter are copied, and the engine has them since the last refit. The lists are read again
/// when needed: their weights are those of the engine's file.
bool Refitter::releaseRefitResources() noexcept {
    return guarded(reporter_, "IRefitter::releaseRefitResources", [&] {
        std::erase_if(given_, [](auto const& one) { return one.second.owned && one.second.isInEngine; });
        all_ = {};
        version_ = kNotRead;
        return true;
    });
}

bool Refitter::refitCudaEngineAsync(cudaStream_t stream) noexcept {
    return guarded(reporter_, "IRefitter::refitCudaEngineAsync", [&] {
        CurrentDevice const current(loaded_->core->backend(), loaded_->core->deviceIndex());
        loaded_->core->backend().synchronize(stream); // running contexts still read the old weights
        return refitCudaEngine();
    });
}

} // namespace tenon::trt

extern "C" void* createInferRefitter_INTERNAL(void* engine, void* logger, int32_t version) noexcept {
    using namespace tenon::trt;
    auto* const user = static_cast<nvinfer1::ILogger*>(logger);
    return guarded(Reporter(user), "createInferRefitter", [&]() -> void* {
        if (engine == nullptr || user == nullptr)
            tenon::fail(tenon::ErrorCode::InvalidArgument, engine ? "logger" : "engine", " is null");
        auto const& face = static_cast<EngineFace const&>(*static_cast<nvinfer1::ICudaEngine*>(engine));
        Reporter reporter(user);
        reporter.setRecorder(face.getErrorRecorder());
        bool const keepsGiven = version >= NV_TENSORRT_VERSION_INT(10, 0, 0);
        nvinfer1::IRefitter* const refitter = std::make_unique<Refitter>(face, reporter, keepsGiven).release();
        return refitter;
    });
}
