// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"
#include "plugin/registry.h"

#include <string>
#include <vector>

namespace tenon::trt {

/// While it lives, creators that static objects register globally in libraries opened by this thread are registered
/// here, so that their library is known.
class OpeningLibrary {
public:
    explicit OpeningLibrary(PluginRegistry& registry);
    ~OpeningLibrary();
    OpeningLibrary(OpeningLibrary const&) = delete;
    OpeningLibrary& operator=(OpeningLibrary const&) = delete;

    /// The latest of this thread; null if it opens none.
    static OpeningLibrary* onThisThread();

    /// False if the creator cannot be registered; refused() then returns the reason.
    bool take(nvinfer1::IPluginCreatorInterface& creator, char const* pluginNamespace) noexcept;

    /// Importers of ONNX nodes are registered for the process, if at all: the copy of a library that came with an
    /// engine does not use its own.
    bool takesImporters() const;
    void noteImporter() { hasImporters_ = true; }
    void refuseImporter(void const* place, std::string const& why) noexcept;
    /// Whether the library has some.
    bool hasImporters() const { return hasImporters_; }

    std::vector<void const*> const& creators() const { return creators_; }
    struct Refusal {
        void const* creator; // or the function of an importer
        std::string why;
    };
    std::vector<Refusal> const& refused() const { return refused_; }

private:
    PluginRegistry& registry_;
    OpeningLibrary* outer_; // if a library opens another
    std::vector<void const*> creators_;
    std::vector<Refusal> refused_;
    bool hasImporters_ = false;
};

} // namespace tenon::trt
