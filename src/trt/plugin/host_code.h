// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/plan.h"
#include "trt/plugin/registry_face.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace tenon::trt {

/// The permitted locations to which plugin libraries from engines are written for the loader
/// (IRuntime::setTempfileControlFlags).
struct CodePlaces {
    bool memory = true;                   // files without a name
    bool files = true;                    // below `directory`
    std::optional<std::string> directory; // the system's if there is none
};

/// The plugin libraries that came with the engines of a runtime. Engines share them: code is unloaded when the last
/// engine and the runtime are gone.
class HostCode {
public:
    explicit HostCode(RegistryFace& registry) : registry_(registry) {}

    bool allowed = false;
    CodePlaces places;

    /// Opens the libraries of an engine that have not been opened before. An Error if that is not allowed, which names
    /// the libraries, or if one cannot be opened.
    void load(std::vector<PluginLibrary> const& libraries, Log const& log);
    /// Keeps all libraries loaded while it lives.
    std::shared_ptr<void const> keeper() const;

private:
    class Code;

    RegistryFace& registry_;
    mutable std::mutex mutex_;
    std::map<uint64_t, std::shared_ptr<Code>> opened_; // by checksum
};

/// The libraries at these paths, to be stored in a plan.
std::vector<PluginLibrary> readLibraries(std::vector<std::string> const& paths);

} // namespace tenon::trt
