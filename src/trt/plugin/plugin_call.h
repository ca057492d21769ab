// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/error.h"
#include "plugin/call_scope.h"
#include "plugin/plugin_devices.h"
#include "trt/edge/edge.h"
#include "trt/edge/program_cuda.h"

namespace tenon::trt {

/// Runs the user's code for a node; an exception becomes an Error that names plugin and method.
template <class Body>
auto callUser(std::string_view node, PluginName const& plugin, std::string_view method, Body&& body) {
    CallScope const scope(node, plugin, method);
    try {
        return body();
    } catch (Error const&) { // our own, whose text is complete
        throw;
    } catch (std::exception const& error) {
        fail(ErrorCode::Plugin, plugin, ": ", method, " threw \"", std::string_view(error.what()), '"');
    } catch (...) {
        fail(ErrorCode::Plugin, plugin, ": ", method, " threw something that is not a std::exception");
    }
}

template <class Body> auto callPlugin(Plugin const& plugin, std::string_view method, Body&& body) {
    return callUser(plugin.node, plugin.name(), method, body);
}

/// The same for methods that end something, whose exceptions are only logged.
template <class Body> void callToEnd(Plugin const& plugin, std::string_view method, Body&& body) noexcept {
    CallScope const scope(plugin.node, plugin.name(), method);
    Reporter const reporter(getLogger());
    callToTheEnd(reporter.log(), method, body);
}

/// The same for methods that return 0 for success; `arguments` are those of the call.
template <class Body, class Arguments>
void callForZero(Plugin const& plugin, std::string_view method, Body&& body, Arguments&& arguments) {
    if (int32_t const status = callPlugin(plugin, method, body); status != 0)
        fail(ErrorCode::Plugin, plugin.name(), ": ", method, '(', arguments(), ") returned ", status, "; expected 0");
}

/// The same for enqueue. An error that it left in the application's CUDA runtime, such as that of a failed launch,
/// becomes an Error. For a plugin on the CPU, waits for its work in the application's stream.
template <class Body, class Arguments>
void callEnqueue(Plugin const& plugin, ProgramCuda const& cuda, void* stream, Body&& body, Arguments&& arguments) {
    int const before = cuda.lastError();
    callForZero(plugin, "enqueue", body, arguments);
    bool const onGpu = PluginDevice::current().value_or(Device::Cpu) != Device::Cpu;
    if (int const after = cuda.lastError(); after != 0 && after != before)
        fail(ErrorCode::Plugin, plugin.name(), ": enqueue left ", cuda.nameOf(after), " in the CUDA runtime",
             onGpu ? " and returned 0; a call or launch in it failed; expected the error as its result"
                   : "; a plugin on the CPU cannot launch kernels; add code for the CPU");
    if (!onGpu) cuda.waitFor(static_cast<cudaStream_t>(stream));
}

/// The plugin's type, version and namespace; an Error if they are not valid.
PluginName pluginName(std::string_view method, char const* type, char const* version, char const* nameSpace);

/// The result of getNbOutputs; an Error if it exceeds the limit.
int expectOutputs(Plugin const& plugin, int count);

/// Throws an Error if a method that must return an object returned null.
template <class Pointer> Pointer expectObject(Plugin const& plugin, std::string_view method, Pointer pointer) {
    if (!pointer) fail(ErrorCode::Plugin, plugin.name(), ": ", method, " returned null");
    return pointer;
}

} // namespace tenon::trt
