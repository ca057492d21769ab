// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls the factories that an application gives to a parser (factories.h), as a parser does, and compares their notes.
// Compiled into the engine, which sees all of them, and into applications of the levels that have some.
#ifndef ONE_ABI_CALLS_FACTORIES_H
#define ONE_ABI_CALLS_FACTORIES_H

#include "calls.h"

#if TENON_LEVEL == 7 || defined(TENON_ALL_LEVELS)
extern "C" {
/// The engine's own factory.
__attribute__((visibility("default"))) nvonnxparser::IPluginFactory* oneAbiOnnxFactory();
}
#endif

/// The library's factories; null if its level has no such class.
struct Factories {
    void* caffe;
    void* caffeExt;
    void* caffeV2;
    void* uff;
    void* uffExt;
};

#if TENON_LEVEL <= 8 || defined(TENON_ALL_LEVELS)

namespace {

class CallsFactories : public Calls {
public:
    using Calls::Calls;

    void all(Factories const& objects) {
        caffeV2(*static_cast<nvcaffeparser1::IPluginFactoryV2*>(objects.caffeV2));
#if TENON_LEVEL == 7 || defined(TENON_ALL_LEVELS)
        if (level() == 7) firstGenerations(objects);
#endif
    }

private:
    void caffeV2(nvcaffeparser1::IPluginFactoryV2& factory) {
        equal("is a plugin", factory.isPluginV2("second"), true);
        noted("isPluginV2 second");
        equal("is a plugin", factory.isPluginV2("other"), false);
        noted("isPluginV2 other");
        IPluginV2* const plugin = factory.createPlugin("second", weights_, 2, "space");
        noted("createPlugin V2 second", list(weights_, 2), "space");
        v2(*plugin);
        destroyed(plugin);
        IPluginV2* const other = factory.createPlugin("second", weights_, 1);
        noted(join("createPlugin V2 second", list(weights_, 1)) + " ");
        destroyed(other);
    }

    static void destroyed(IPluginV2* plugin) {
        plugin->destroy();
        oneAbiTakeNotes();
    }

#if TENON_LEVEL == 7 || defined(TENON_ALL_LEVELS)
    void firstGenerations(Factories const& objects) {
        caffe(*static_cast<nvcaffeparser1::IPluginFactory*>(objects.caffe));
        auto& caffeExt = *static_cast<nvcaffeparser1::IPluginFactoryExt*>(objects.caffeExt);
        caffe(caffeExt);
        extended(caffeExt, caffeExt.createPlugin("extended", weights_, 2));
        uff(*static_cast<nvuffparser::IPluginFactory*>(objects.uff));
        auto& uffExt = *static_cast<nvuffparser::IPluginFactoryExt*>(objects.uffExt);
        uff(uffExt);
        extended(uffExt, uffExt.createPlugin("extended", weights_, 2, nvuffparser::FieldCollection{0, nullptr}));
        onnx(*oneAbiOnnxFactory());
    }

    /// The engine's implementation, through its base class and itself.
    void onnx(nvonnxparser::IPluginFactory& factory) {
        nvinfer1::IPluginFactory& base = factory;
        equal("made", base.createPlugin("layer", "abc", 3), reinterpret_cast<void const*>(0x500));
        noted("createPlugin ONNX layer abc");
        factory.destroy();
        noted("destroy ONNX");
    }

    template <typename Factory> void asked(Factory& factory) {
        equal("is a plugin", factory.isPlugin("plain"), true);
        noted("isPlugin plain");
        equal("is a plugin", factory.isPlugin("other"), false);
        noted("isPlugin other");
    }

    void caffe(nvcaffeparser1::IPluginFactory& factory) {
        asked(factory);
        IPlugin* const plugin = factory.createPlugin("plain", weights_, 2);
        noted("createPlugin Caffe plain", list(weights_, 2));
        first(*plugin);
    }

    void uff(nvuffparser::IPluginFactory& factory) {
        asked(factory);
        nvuffparser::FieldMap const fields[2] = {{"alpha", values_, nvuffparser::FieldType::kFLOAT, 3},
                                                 {"beta", values_ + 1, nvuffparser::FieldType::kDATATYPE}};
        IPlugin* const plugin = factory.createPlugin("plain", weights_, 2, nvuffparser::FieldCollection{2, fields});
        noted("createPlugin UFF plain", list(weights_, 2), list(fields, 2));
        first(*plugin);
    }

    template <typename Factory> void extended(Factory& factory, IPlugin* made) {
        oneAbiTakeNotes();
        equal("version", factory.getVersion(), versionOf(7));
        equal("is an extended plugin", factory.isPluginExt("extended"), true);
        noted("isPluginExt extended");
        equal("is an extended plugin", factory.isPluginExt("plain"), false);
        noted("isPluginExt plain");
        oneFormat<tenonAbi::Dims32>(static_cast<IPluginExt&>(*made));
    }
#endif

    float const values_[3] = {1, 2, 3};
    Weights const weights_[2] = {{DataType::kFLOAT, values_, 3}, {DataType::kINT8, values_ + 1, int64_t(1) << 40}};
};

} // namespace

#endif

#endif
