// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/call_scope.h"

#include "base/text.h"
#include "plugin/crash_report.h"

#include <cstdlib>
#include <exception>
#include <unistd.h>

namespace tenon {
namespace {

// With this TLS model a signal handler can read them in every thread: nothing is allocated.
[[gnu::tls_model("initial-exec")]] thread_local CallScope const* innermostCall = nullptr;
[[gnu::tls_model("initial-exec")]] thread_local RunScope const* innermostRun = nullptr;
std::terminate_handler previousHandler = nullptr;

std::string whatIsThrown() {
    if (!std::current_exception()) return "it called std::terminate";
    try {
        std::rethrow_exception(std::current_exception());
    } catch (std::exception const& error) {
        return text("it threw \"", std::string_view(error.what()), '"');
    } catch (...) {
        return "it threw an exception that is not a std::exception";
    }
}

void sayWhereAndTerminate() noexcept {
    if (CallScope const* call = innermostCall) {
        std::string const told =
            text("tenon: ", call->node(), " (", call->plugin(), "): ", call->method(), " is noexcept, but ",
                 whatIsThrown(), "; the process ends. Catch it inside the plugin and return an error.\n");
        [[maybe_unused]] auto const written = write(STDERR_FILENO, told.data(), told.size());
    }
    if (previousHandler) previousHandler();
    std::abort();
}

/// Ours as the process's terminate handler, until this library is unloaded.
struct OurHandler {
    OurHandler() { previousHandler = std::set_terminate(sayWhereAndTerminate); }
    ~OurHandler() {
        if (std::get_terminate() == sayWhereAndTerminate) std::set_terminate(previousHandler);
    }
};

std::vector<std::string> describe(std::vector<PortDesc> const& ports) {
    std::vector<std::string> all;
    for (PortDesc const& port : ports) all.push_back(text(port.label.type, ' ', port.label.format, ' ', port.dims));
    return all;
}

} // namespace

RunPorts::RunPorts(PortDescs const& io) : inputs(describe(io.inputs)), outputs(describe(io.outputs)) {}

RunScope::RunScope(Plugin const& plugin, RunPorts const& ports, Pointers const& pointers,
                   size_t workspaceBytes) noexcept
    : plugin_(plugin.name()), ports_(ports), pointers_(pointers), workspaceBytes_(workspaceBytes),
      outer_(innermostRun) {
    innermostRun = this;
}

RunScope::~RunScope() { innermostRun = outer_; }

CallScope::CallScope(std::string_view node, PluginName const& plugin, std::string_view method) noexcept
    : node_(node), plugin_(plugin), method_(method),
      run_(innermostRun && &innermostRun->plugin_ == &plugin ? innermostRun : nullptr), outer_(innermostCall) {
    static OurHandler const installed;
    prepareCrashReports();
    innermostCall = this;
}

CallScope::~CallScope() { innermostCall = outer_; }

CallScope const* CallScope::innermost() { return innermostCall; }

SameCall::SameCall(CallScope const* call) noexcept : outer_(innermostCall) {
    prepareCrashReports();
    innermostCall = call;
}

SameCall::~SameCall() { innermostCall = outer_; }

} // namespace tenon
