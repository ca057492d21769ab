// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInfer.h"

#include <compare>
#include <memory>
#include <string>
#include <vector>

namespace tenon::cli {

/// Prints warnings, and keeps errors for the Failure that follows them.
class Log final : public nvinfer1::ILogger {
public:
    void log(Severity severity, char const* text) override;
    /// The errors since the last call, one per line, or `otherwise` if there were none.
    std::string takeErrors(std::string const& otherwise);

private:
    std::string errors_;
};

/// A command's connection to the library. It must outlive all objects made with it.
struct Api {
    Log log;
    std::unique_ptr<nvinfer1::IRuntime> runtime{nvinfer1::createInferRuntime(log)}; // also passes `log` to the registry

    /// The object, or a Failure with the errors that explain null.
    template <class T> std::unique_ptr<T> own(T* made) {
        if (made == nullptr) failWithErrors();
        return std::unique_ptr<T>(made);
    }
    void require(bool done) {
        if (!done) failWithErrors();
    }
    /// Loads a plugin library permanently. Returns the types it registered; a Failure if there are none.
    std::vector<nvinfer1::IPluginCreatorInterface*> loadLibrary(std::string const& path);
    /// Loads these libraries, then the standard plugins, if installed, except those whose names are taken.
    void loadPlugins(std::vector<std::string> const& libraries);

private:
    [[noreturn]] void failWithErrors();
};

/// The key of a plugin.
struct PluginId {
    std::string name;
    std::string version;
    std::string nameSpace;
    auto operator<=>(PluginId const&) const = default;
};
PluginId idOf(nvinfer1::IPluginCreatorInterface& creator);
/// The creator's class. The registry accepts three.
char const* classOf(nvinfer1::IPluginCreatorInterface& creator);
nvinfer1::PluginFieldCollection const* fieldsOf(nvinfer1::IPluginCreatorInterface& creator);

/// All types registered in this process.
std::vector<nvinfer1::IPluginCreatorInterface*> registeredCreators();

} // namespace tenon::cli
