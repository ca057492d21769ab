// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Lists the layers of an engine, with the shapes of a context.

#include "client.h"

using namespace nvinfer1;

int main() {
    client::Logger logger;
    client::Definition d(logger);
    d.config->setProfilingVerbosity(ProfilingVerbosity::kDETAILED);
    ITensor* x = d.network->addInput("x", DataType::kFLOAT, Dims2(-1, 4));
    ISoftMaxLayer* layer = d.network->addSoftMax(*x);
    layer->setAxes(1U << 1);
    layer->setName("probabilities");
    d.output(layer->getOutput(0), "y");
    d.range("x", Dims2(1, 4), Dims2(2, 4), Dims2(8, 4));
    client::Loaded const loaded(logger, *d.build());
    auto const context = loaded.context();
    client::require(context->setInputShape("x", Dims2(7, 4)), "a shape");

    client::Owned<IEngineInspector> inspector(loaded.engine->createEngineInspector());
    client::require(inspector->setExecutionContext(context.get()), "the context");
    std::string const all = inspector->getEngineInformation(LayerInformationFormat::kJSON);
    for (char const* expected : {"\"Layers\"", "\"Bindings\"", "\"Name\": \"probabilities\"", "\"LayerType\"",
                                 "\"Inputs\"", "\"Outputs\"", "\"Format/Datatype\"", "\"TacticName\""})
        client::require(all.find(expected) != std::string::npos, expected);
    for (int32_t i = 0; i < loaded.engine->getNbLayers(); ++i)
        std::puts(inspector->getLayerInformation(i, LayerInformationFormat::kONELINE));
    std::string const first = inspector->getLayerInformation(0, LayerInformationFormat::kONELINE);
    client::require(first.find("Dimensions: [7,4]") != std::string::npos, "the context's shape");
    std::puts("ok");
}
