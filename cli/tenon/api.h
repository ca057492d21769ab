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
    /// The errors since the last call, one a line, or `otherwise` where there were none.
    std::string takeErrors(std::string const& otherwise);

private:
    std::string errors_;
};

/// What a command needs of the library. It must outlive everything that is made with it.
struct Api {
    Log log;
    std::unique_ptr<nvinfer1::IRuntime> runtime{nvinfer1::createInferRuntime(log)}; // also names `log` to the registry

    /// The object, or a Failure with the errors that explain null.
    template <class T> std::unique_ptr<T> own(T* made) {
        if (made == nullptr) failWithErrors();
        return std::unique_ptr<T>(made);
    }
    void require(bool done) {
        if (!done) failWithErrors();
    }
    /// Loads a plugin library for good. What it registered; a Failure where that is nothing.
    std::vector<nvinfer1::IPluginCreatorInterface*> loadLibrary(std::string const& path);
    /// Loads these libraries, then the standard plugins, where they are installed, but for those whose names are taken.
    void loadPlugins(std::vector<std::string> const& libraries);

private:
    [[noreturn]] void failWithErrors();
};

/// How a plugin is found.
struct PluginId {
    std::string name;
    std::string version;
    std::string nameSpace;
    auto operator<=>(PluginId const&) const = default;
};
PluginId idOf(nvinfer1::IPluginCreatorInterface& creator);
/// The creator's class. The registry takes three.
char const* classOf(nvinfer1::IPluginCreatorInterface& creator);
nvinfer1::PluginFieldCollection const* fieldsOf(nvinfer1::IPluginCreatorInterface& creator);

/// All that is registered in this process.
std::vector<nvinfer1::IPluginCreatorInterface*> registeredCreators();

} // namespace tenon::cli
