// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// An application as projects write it, with the names of the level that it is compiled for: logging, owning objects,
// building, saving, loading and running an engine. For tests that are written once for all levels.

#pragma once

#include "NvInfer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace nvinfer1;

class Log final : public ILogger {
public:
#if TENON_LEVEL == 7
    void log(Severity severity, char const* text) override {
#else
    void log(Severity severity, char const* text) noexcept override {
#endif
        if (severity <= Severity::kERROR) errors.emplace_back(text);
        if (severity == Severity::kWARNING) warnings.emplace_back(text);
        if (severity == Severity::kINFO) infos.emplace_back(text);
    }
    std::string last() const { return errors.empty() ? "" : errors.back(); }

    std::vector<std::string> errors;
    std::vector<std::string> warnings;
    std::vector<std::string> infos;
};

/// A recorder as applications write it, with a reference count.
class Recorder final : public IErrorRecorder {
public:
    int32_t getNbErrors() const noexcept override { return static_cast<int32_t>(errors_.size()); }
    ErrorCode getErrorCode(int32_t i) const noexcept override { return errors_[static_cast<size_t>(i)].first; }
    ErrorDesc getErrorDesc(int32_t i) const noexcept override { return errors_[static_cast<size_t>(i)].second.c_str(); }
    bool hasOverflowed() const noexcept override { return false; }
    void clear() noexcept override { errors_.clear(); }
    bool reportError(ErrorCode code, ErrorDesc desc) noexcept override {
        errors_.emplace_back(code, desc);
        return false;
    }
    RefCount incRefCount() noexcept override { return ++users; }
    RefCount decRefCount() noexcept override { return --users; }

    RefCount users = 0;

private:
    std::vector<std::pair<ErrorCode, std::string>> errors_;
};

/// How objects of the API are destroyed: by destroy() at levels 7 and 8, by delete later.
struct End {
    template <class T> void operator()(T* object) const {
#if TENON_LEVEL <= 8
        object->destroy();
#else
        delete object;
#endif
    }
};
template <class T> using Owned = std::unique_ptr<T, End>;

using Extents = std::vector<int32_t>;
using Floats = std::vector<float>;

inline Dims dims(Extents const& extents) {
    Dims dims{};
    dims.nbDims = static_cast<int32_t>(extents.size());
    for (size_t i = 0; i < extents.size(); ++i) dims.d[i] = extents[i];
    return dims;
}

inline Extents extents(Dims const& dims) {
    Extents extents;
    for (int32_t i = 0; i < dims.nbDims; ++i) extents.push_back(static_cast<int32_t>(dims.d[i]));
    return extents;
}

/// A network definition with explicit batch.
struct Defining {
    Log log;
    Owned<IBuilder> builder{createInferBuilder(log)};
#if TENON_LEVEL <= 8
    Owned<INetworkDefinition> network{
        builder->createNetworkV2(1U << static_cast<uint32_t>(NetworkDefinitionCreationFlag::kEXPLICIT_BATCH))};
#else
    Owned<INetworkDefinition> network{builder->createNetworkV2(0)};
#endif
    Owned<IBuilderConfig> config{builder->createBuilderConfig()};

    ITensor& input(char const* name, Extents const& extents, DataType type = DataType::kFLOAT) {
        ITensor* const tensor = network->addInput(name, type, dims(extents));
        EXPECT_NE(tensor, nullptr) << log.last();
        return *tensor;
    }

    /// Values owned by this object: a network does not copy them.
    Weights weights(Floats const& values) {
        kept_.push_back(values);
        return {DataType::kFLOAT, kept_.back().data(), static_cast<int64_t>(values.size())};
    }
    ITensor& constant(Extents const& extents, Floats const& values) {
        return *network->addConstant(dims(extents), weights(values))->getOutput(0);
    }
    void output(ITensor& tensor, char const* name = "y") {
        tensor.setName(name);
        network->markOutput(tensor);
    }

    /// The saved engine; fails the test if there is none.
    Owned<IHostMemory> build() {
#if TENON_LEVEL == 7
        Owned<ICudaEngine> const engine(builder->buildEngineWithConfig(*network, *config));
        EXPECT_NE(engine, nullptr) << log.last();
        return Owned<IHostMemory>(engine ? engine->serialize() : nullptr);
#else
        Owned<IHostMemory> plan(builder->buildSerializedNetwork(*network, *config));
        EXPECT_NE(plan, nullptr) << log.last();
        return plan;
#endif
    }

private:
    std::deque<Floats> kept_;
};

/// A range for one input, as a profile of the builder that is not yet part of a configuration.
inline IOptimizationProfile* profileOf(Defining& defining, char const* input, Extents const& min, Extents const& opt,
                                       Extents const& max) {
    IOptimizationProfile* const profile = defining.builder->createOptimizationProfile();
    EXPECT_TRUE(profile->setDimensions(input, OptProfileSelector::kMIN, dims(min)));
    EXPECT_TRUE(profile->setDimensions(input, OptProfileSelector::kOPT, dims(opt)));
    EXPECT_TRUE(profile->setDimensions(input, OptProfileSelector::kMAX, dims(max)));
    return profile;
}

/// A saved engine, loaded, with one context.
struct Running {
    explicit Running(IHostMemory const& plan) {
#if TENON_LEVEL == 7
        engine.reset(runtime->deserializeCudaEngine(plan.data(), plan.size(), nullptr));
#else
        engine.reset(runtime->deserializeCudaEngine(plan.data(), plan.size()));
#endif
        EXPECT_NE(engine, nullptr) << log.last();
        if (engine) context.reset(engine->createExecutionContext());
    }
    explicit Running(Defining& defining) : Running(*defining.build()) {}

    Log log;
    Owned<IRuntime> runtime{createInferRuntime(log)};
    Owned<ICudaEngine> engine;
    Owned<IExecutionContext> context;

    /// Runs with host memory for each input and output, by name; fails the test on errors.
    void run(std::vector<std::pair<char const*, void*>> const& memory) {
#if TENON_LEVEL <= 8
        std::vector<void*> bindings(memory.size(), nullptr);
        for (auto const& [name, data] : memory) bindings.at(static_cast<size_t>(engine->getBindingIndex(name))) = data;
        EXPECT_TRUE(context->executeV2(bindings.data())) << log.last();
#else
        for (auto const& [name, data] : memory) EXPECT_TRUE(context->setTensorAddress(name, data)) << log.last();
        EXPECT_TRUE(context->enqueueV3(nullptr)) << log.last();
#endif
    }

    /// One input "x" and one output "y" of floats.
    Floats run(Floats x, size_t yCount) {
        Floats y(yCount, std::nanf(""));
        run({{"x", x.data()}, {"y", y.data()}});
        return y;
    }
};

inline void expectNear(Floats const& found, Floats const& expected, float tolerance = 1e-5F) {
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], tolerance) << i;
}

/// A shape, and the elements of a tensor of it.
struct Values {
    Extents shape;
    Floats values;
};

/// Fails the test unless the input "x" gives this output. \param layers makes y of a definition and x
template <class Layers> void expectMade(Values const& x, Values const& y, Layers&& layers) {
    Defining defining;
    ITensor* const made = layers(defining, defining.input("x", x.shape));
    ASSERT_NE(made, nullptr) << defining.log.last();
    EXPECT_EQ(extents(made->getDimensions()), y.shape);
    defining.output(*made);
    expectNear(Running(defining).run(x.values, y.values.size()), y.values);
}

/// An integer constant, kept as long as the process runs: a network does not copy its values.
inline ITensor& integers(Defining& defining, Extents const& shape, std::vector<int32_t> const& values) {
    static std::deque<std::vector<int32_t>> kept;
    kept.push_back(values);
    Weights const weights{DataType::kINT32, kept.back().data(), static_cast<int64_t>(values.size())};
    return *defining.network->addConstant(dims(shape), weights)->getOutput(0);
}

/// 1 where the condition is true, else 0.
inline ITensor* asNumbers(Defining& defining, ITensor& condition) {
    Extents const one(static_cast<size_t>(condition.getDimensions().nbDims), 1);
    return defining.network->addSelect(condition, defining.constant(one, {1}), defining.constant(one, {0}))
        ->getOutput(0);
}

/// f of each element.
template <class F> Floats each(Floats const& x, F&& f) {
    Floats y;
    for (float const one : x) y.push_back(static_cast<float>(f(one)));
    return y;
}

/// first, first + 1 and so on.
inline Floats counted(size_t count, float first = 0) {
    Floats values;
    for (size_t i = 0; i < count; ++i) values.push_back(first + static_cast<float>(i));
    return values;
}

} // namespace
