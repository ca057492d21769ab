// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/engine/refitter.h"

#include "base/parallel.h"
#include "layers/constant/constant.h"
#include "trt/edge/convert.h"
#include "trt/edge/shape_tensors.h"
#include "trt/engine/engine_face.h"

#include <algorithm>
#include <cmath>

namespace tenon::trt {

Refitter::Refitter(EngineFace const& engine, Reporter const& reporter)
    : loaded_(engine.loaded()), reporter_(reporter), threads_(loaded_->threads) {
    Plan const& plan = loaded_->core->plan();
    if (!plan.settings.refits)
        fail(ErrorCode::InvalidArgument, "the engine was built without BuilderFlag::kREFIT, kREFIT_IDENTICAL or "
                                         "kREFIT_INDIVIDUAL, so its weights stay");
    Graph const network = plan.network();
    all_ = refitWeights(network);
    auto const deciding = decidingConstants(network);
    for (auto const& [node, name] : nameConstants(network, byModel)) {
        if (deciding.contains(node->output())) decided_.emplace(name, *node->layer->constant());
    }
    forEachWeights(network, [&](WeightsPlace const& place, Node const& node) {
        std::string const& name = as<Constant>(*node.layer)->weights;
        if (!name.empty()) places_.push_back({place, name});
    });
    for (auto const& tensor : network.tensors()) {
        if (tensor->quantum.scale == 0 || !scales_.emplace(tensor->name, tensor->quantum.scale).second) continue;
        ranged_.push_back(tensor->name);
    }
}

// ---- setting

RefitWeights const& Refitter::named(std::string_view name) const {
    auto const found = std::ranges::find(all_, name, &RefitWeights::name);
    if (found == all_.end() && decided_.contains(name))
        fail(ErrorCode::InvalidArgument, "weights ", name,
             " decide how the engine computes, so no others may take "
             "their place; build it anew with others");
    if (found == all_.end())
        fail(ErrorCode::InvalidArgument, "the engine has no weights called ", name,
             " that may be exchanged; getAllWeights lists the ", all_.size(), " that it has");
    return *found;
}

void Refitter::expectFits(std::string_view name, api::Weights const& weights) const {
    Literal const& now = named(name).value;
    int64_t const count = now.dims().volume();
    if (weights.values == nullptr || weights.count != count || fromApi(weights.type) != now.type())
        fail(ErrorCode::InvalidArgument, "weights ", name, " are ", count, " values of ", now.type(), "; given are ",
             weights.count, " of ", fromApi(weights.type), weights.values ? "" : " at address null");
}

void Refitter::give(std::string_view name, api::Weights weights, api::TensorLocation location) {
    expectFits(name, weights);
    given_[std::string(name)] = {weights, location, {}};
}

void Refitter::set(std::string const& name, Literal const& value) {
    Literal const own = Literal::copyOf(value.type(), value.dims(), value.data());
    given_[name] = {toApi(&own), api::TensorLocation::kHOST, own};
}

bool Refitter::setWeights(char const* layerName, api::WeightsRole role, api::Weights weights) noexcept {
    return guarded(reporter_, "IRefitter::setWeights", [&] {
        expectText(layerName, "layerName");
        auto const found = std::ranges::find_if(
            places_, [&](Place const& one) { return one.place.layer == layerName && one.place.role == role; });
        if (found == places_.end())
            fail(ErrorCode::InvalidArgument, "no layer ", std::string_view(layerName), " has weights of role ",
                 static_cast<int32_t>(role), " that may be exchanged; getAll lists those that there are");
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

bool Refitter::unsetNamedWeights(char const* weightsName) noexcept {
    return guarded(reporter_, "IRefitter::unsetNamedWeights", [&] {
        if (given_.erase(expectText(weightsName, "weightsName")) == 0)
            fail(ErrorCode::InvalidArgument, "nothing was set for weights ", std::string_view(weightsName));
        return true;
    });
}

api::Weights Refitter::getNamedWeights(char const* weightsName) const noexcept {
    return guardedOr({api::DataType::kFLOAT, nullptr, 0}, reporter_, "IRefitter::getNamedWeights", [&] {
        auto const found = given_.find(std::string_view(expectText(weightsName, "weightsName")));
        return found == given_.end() ? toApi(nullptr) : found->second.weights;
    });
}

api::TensorLocation Refitter::getWeightsLocation(char const* weightsName) const noexcept {
    return guardedOr(api::TensorLocation::kHOST, reporter_, "IRefitter::getWeightsLocation", [&] {
        auto const found = given_.find(std::string_view(expectText(weightsName, "weightsName")));
        return found == given_.end() ? api::TensorLocation::kHOST : found->second.location;
    });
}

api::Weights Refitter::getWeightsPrototype(char const* weightsName) const noexcept {
    return guardedOr({api::DataType::kFLOAT, nullptr, 0}, reporter_, "IRefitter::getWeightsPrototype", [&] {
        Literal const& now = named(expectText(weightsName, "weightsName")).value;
        return api::Weights{toApi(now.type()), nullptr, now.dims().volume()};
    });
}

// ---- lists

bool Refitter::isMissing(std::string const& name) const {
    return named(name).value.isAbsent() && !given_.contains(name);
}

int32_t Refitter::listNames(int32_t size, char const** names, bool onlyMissing) const {
    int32_t count = 0;
    for (RefitWeights const& weights : all_) {
        if (onlyMissing && !isMissing(weights.name)) continue;
        if (count < size && names) names[count] = loaded_->lastingText(weights.name);
        ++count;
    }
    return count;
}

int32_t Refitter::listPlaces(int32_t size, char const** layerNames, api::WeightsRole* roles, bool onlyMissing) const {
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
        if (!scales_.contains(tensorName))
            fail(ErrorCode::InvalidArgument, "the engine has no tensor ", std::string_view(tensorName),
                 " with a range; getTensorsWithDynamicRange lists those that it has");
        newScales_[tensorName] = scaleOfRange(tensorName, min, max);
        return true;
    });
}

float Refitter::getDynamicRangeMin(char const* tensorName) const noexcept { return -getDynamicRangeMax(tensorName); }

float Refitter::getDynamicRangeMax(char const* tensorName) const noexcept {
    return guardedOr(std::nanf(""), reporter_, "IRefitter::getDynamicRange", [&] {
        auto const scale = scales_.find(std::string_view(expectText(tensorName, "tensorName")));
        return scale == scales_.end() ? std::nanf("") : rangeOfScale(scale->second);
    });
}

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
    refit.scales = newScales_;
    return refit;
}

bool Refitter::refitCudaEngine() noexcept {
    return guarded(reporter_, "IRefitter::refitCudaEngine", [&] {
        ThreadLimitOnce const limit(threads_);
        CurrentDevice const current(loaded_->core->backend(), loaded_->core->deviceIndex());
        Refit const refit = collected();
        loaded_->core->refit(refit);
        all_ = refitWeights(loaded_->core->plan().network());
        for (auto const& [name, scale] : refit.scales) scales_[name] = scale;
        given_.clear();
        newScales_.clear();
        return true;
    });
}

bool Refitter::refitCudaEngineAsync(cudaStream_t stream) noexcept {
    return guarded(reporter_, "IRefitter::refitCudaEngineAsync", [&] {
        CurrentDevice const current(loaded_->core->backend(), loaded_->core->deviceIndex());
        loaded_->core->backend().synchronize(stream); // what runs there still reads the old weights
        return refitCudaEngine();
    });
}

} // namespace tenon::trt

extern "C" void* createInferRefitter_INTERNAL(void* engine, void* logger, int32_t) noexcept {
    using namespace tenon::trt;
    auto* const user = static_cast<nvinfer1::ILogger*>(logger);
    return guarded(Reporter(user), "createInferRefitter", [&]() -> void* {
        if (engine == nullptr || user == nullptr)
            tenon::fail(tenon::ErrorCode::InvalidArgument, engine ? "logger" : "engine", " is null");
        auto const& face = static_cast<EngineFace const&>(*static_cast<nvinfer1::ICudaEngine*>(engine));
        Reporter reporter(user);
        reporter.setRecorder(face.getErrorRecorder());
        nvinfer1::IRefitter* const refitter = std::make_unique<Refitter>(face, reporter).release();
        return refitter;
    });
}
