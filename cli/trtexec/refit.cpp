// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "refit.h"

#include "device.h"
#include "failure.h"

#include <NvOnnxParser.h>

#include <memory>
#include <vector>

namespace trtexec {
namespace {

using namespace nvinfer1;

std::unique_ptr<IRefitter> refitterOf(ICudaEngine& engine, Log& log) {
    std::unique_ptr<IRefitter> refitter(createInferRefitter(engine, log));
    if (!refitter) fail("the engine cannot be refitted; see the log above");
    return refitter;
}

void take(IRefitter& refitter, std::string const& model, Log& log) {
    std::unique_ptr<nvonnxparser::IParserRefitter> const parser(nvonnxparser::createParserRefitter(refitter, log));
    if (!parser || !parser->refitFromFile(model.c_str()))
        fail("the weights of ", model, " do not fit the engine; see the log above");
}

void exchange(IRefitter& refitter) {
    if (!refitter.refitCudaEngine()) fail("refitting the engine failed; see the log above");
}

void timeRefit(IRefitter& refitter, std::string const& model, Log& log) {
    constexpr int kRuns = 10;
    double total = 0;
    for (int i = 0; i < kRuns; ++i) {
        take(refitter, model, log);
        Clock const clock;
        exchange(refitter);
        total += clock.milliseconds();
    }
    log.info("Refit time = ", total / kRuns, " milliseconds on average over ", kRuns, " iterations");
}

void fillWithZeros(IRefitter& refitter) {
    std::vector<char const*> names(static_cast<size_t>(refitter.getMissingWeights(0, nullptr)));
    refitter.getMissingWeights(static_cast<int32_t>(names.size()), names.data());
    std::vector<std::vector<double>> zeros; // as large as the largest type
    for (char const* name : names) {
        Weights weights = refitter.getWeightsPrototype(name);
        zeros.emplace_back(static_cast<size_t>(weights.count));
        weights.values = zeros.back().data();
        if (!refitter.setNamedWeights(name, weights)) fail("weights ", name, " cannot be set; see the log above");
    }
    exchange(refitter);
}

} // namespace

void refit(Options const& options, ICudaEngine& engine, Log& log) {
    std::string const& other = options.build.refitFromOnnx;
    if (other.empty() && !options.build.timeRefit) return;
    auto const refitter = refitterOf(engine, log);
    if (options.build.timeRefit) timeRefit(*refitter, other.empty() ? options.onnx : other, log);
    if (other.empty()) return;
    take(*refitter, other, log);
    exchange(*refitter);
    log.info("Engine refitted with the weights of ", other);
}

void completeWeights(Options const& options, ICudaEngine& engine, Log& log) {
    if (!engine.isRefittable()) return;
    auto const refitter = refitterOf(engine, log);
    if (refitter->getMissingWeights(0, nullptr) == 0) return;
    if (!options.onnx.empty()) {
        take(*refitter, options.onnx, log);
        exchange(*refitter);
        log.info("The engine file has no weights; this run uses those of ", options.onnx);
        return;
    }
    fillWithZeros(*refitter);
    log.warning("The engine has no weights: it runs with zeros, so only its times are meaningful; "
                "--refitFromOnnx=<file> restores them");
}

} // namespace trtexec
