// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The plugin factories that an application gives to a parser, up to level 8. Included by plugins.cpp, whose plugins
// they make.
#ifndef ONE_ABI_FACTORIES_H
#define ONE_ABI_FACTORIES_H

#include "calls_factories.h"

namespace {

/// The two queries of a factory of the first generation, by the name of the layer.
template <typename Base> class Asked : public Base {
public:
    bool isPlugin(char const* layer) override { return note("isPlugin", layer), std::strcmp(layer, "plain") == 0; }
};
template <typename Base> class AskedExt : public Asked<Base> {
public:
    bool isPluginExt(char const* layer) override {
        return note("isPluginExt", layer), std::strcmp(layer, "extended") == 0;
    }
};

class CaffeV2 : public nvcaffeparser1::IPluginFactoryV2 {
public:
    bool isPluginV2(char const* layer) NOEXCEPT override {
        return note("isPluginV2", layer), std::strcmp(layer, "second") == 0;
    }
    IPluginV2* createPlugin(char const* layer, Weights const* weights, int32_t count,
                            char const* space) NOEXCEPT override {
        note("createPlugin V2", layer, list(weights, count), space);
        return new V2;
    }
};

#if TENON_LEVEL == 7

template <typename Base, typename Made> class Caffe : public Base {
public:
    IPlugin* createPlugin(char const* layer, Weights const* weights, int32_t count) override {
        note("createPlugin Caffe", layer, list(weights, count));
        return &plugin_;
    }

private:
    Made plugin_;
};

template <typename Base, typename Made> class Uff : public Base {
public:
    IPlugin* createPlugin(char const* layer, Weights const* weights, int32_t count,
                          nvuffparser::FieldCollection const fields) override {
        note("createPlugin UFF", layer, list(weights, count), list(fields.fields, fields.nbFields));
        return &plugin_;
    }

private:
    Made plugin_;
};

#endif

} // namespace

extern "C" __attribute__((visibility("default"))) void oneAbiFactories(Factories* objects) {
    static CaffeV2 caffeV2;
    objects->caffeV2 = static_cast<nvcaffeparser1::IPluginFactoryV2*>(&caffeV2);
#if TENON_LEVEL == 7
    static Caffe<Asked<nvcaffeparser1::IPluginFactory>, First> caffe;
    static Caffe<AskedExt<nvcaffeparser1::IPluginFactoryExt>, FirstExt> caffeExt;
    static Uff<Asked<nvuffparser::IPluginFactory>, First> uff;
    static Uff<AskedExt<nvuffparser::IPluginFactoryExt>, FirstExt> uffExt;
    objects->caffe = static_cast<nvcaffeparser1::IPluginFactory*>(&caffe);
    objects->caffeExt = static_cast<nvcaffeparser1::IPluginFactoryExt*>(&caffeExt);
    objects->uff = static_cast<nvuffparser::IPluginFactory*>(&uff);
    objects->uffExt = static_cast<nvuffparser::IPluginFactoryExt*>(&uffExt);
#endif
}

#endif
