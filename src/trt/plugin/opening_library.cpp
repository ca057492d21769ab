// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/plugin/opening_library.h"

#include "base/error.h"
#include "trt/edge/edge.h"
#include "trt/plugin/plugin_creator.h"

namespace tenon::trt {
namespace {

thread_local OpeningLibrary* latest = nullptr;

} // namespace

OpeningLibrary::OpeningLibrary(PluginRegistry& registry) : registry_(registry), outer_(latest) { latest = this; }
OpeningLibrary::~OpeningLibrary() { latest = outer_; }
OpeningLibrary* OpeningLibrary::onThisThread() { return latest; }

bool OpeningLibrary::take(nvinfer1::IPluginCreatorInterface& creator, char const* pluginNamespace) noexcept {
    try {
        std::string why;
        if (registry_.add(adaptCreator(creator, expectText(pluginNamespace, "pluginNamespace")), why))
            return creators_.push_back(&creator), true;
        refused_.push_back({&creator, why});
    } catch (std::exception const& error) {
        refused_.push_back({&creator, error.what()});
    }
    return false;
}

bool OpeningLibrary::takesImporters() const { return &registry_ == &PluginRegistry::global(); }

void OpeningLibrary::refuseImporter(void const* place, std::string const& why) noexcept {
    try {
        refused_.push_back({place, why});
    } catch (std::bad_alloc const&) { // the library is opened without it
    }
}

} // namespace tenon::trt
