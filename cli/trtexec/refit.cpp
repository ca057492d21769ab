// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "refit.h"

#include "device.h"
#include "failure.h"

#include <NvOnnxParser.h>

#include <memory>

namespace trtexec {
namespace {

using namespace nvinfer1;

std::unique_ptr<IRefitter> refitterOf(ICudaEngine& engine, Log& log) {
    std::unique_ptr<IRefitter> refitter(createInferRefitter(engine, log));
    if (!refitter) fail("the engine cannot be refitted; the log above says why");
    return refitter;
}

void take(IRefitter& refitter, std::string const& model, Log& log) {
    std::unique_ptr<nvonnxparser::IParserRefitter> const parser(nvonnxparser::createParserRefitter(refitter, log));
    if (!parser || !parser->refitFromFile(model.c_str()))
        fail("the weights of ", model, " do not fit the engine; the log above says why");
}

void exchange(IRefitter& refitter) {
    if (!refitter.refitCudaEngine()) fail("refitting the engine failed; the log above says why");
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

bool lacksWeights(ICudaEngine& engine, Log& log) {
    return engine.isRefittable() && refitterOf(engine, log)->getMissingWeights(0, nullptr) > 0;
}

} // namespace trtexec
