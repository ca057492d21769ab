// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/call_scope.h"

#include "base/text.h"

#include <cstdlib>
#include <exception>
#include <unistd.h>

namespace tenon {

thread_local CallScope const* innermostCall = nullptr;
static std::terminate_handler previousHandler = nullptr;

static std::string whatIsThrown() {
    if (!std::current_exception()) return "it called std::terminate";
    try {
        std::rethrow_exception(std::current_exception());
    } catch (std::exception const& error) {
        return text("it threw \"", std::string_view(error.what()), '"');
    } catch (...) {
        return "it threw something that is no std::exception";
    }
}

void sayWhereAndTerminate() noexcept {
    if (CallScope const* call = innermostCall) {
        std::string const told =
            text("tenon: ", call->node_, " (", call->plugin_, "): ", call->method_, " is noexcept, but ",
                 whatIsThrown(), "; the process ends. Catch it inside the plugin and return an error.\n");
        [[maybe_unused]] auto const written = write(STDERR_FILENO, told.data(), told.size());
    }
    if (previousHandler) previousHandler();
    std::abort();
}

namespace {

/// Ours as the process's terminate handler, until this library is unloaded.
struct OurHandler {
    OurHandler() { previousHandler = std::set_terminate(sayWhereAndTerminate); }
    ~OurHandler() {
        if (std::get_terminate() == sayWhereAndTerminate) std::set_terminate(previousHandler);
    }
};

} // namespace

CallScope::CallScope(std::string_view node, PluginName const& plugin, std::string_view method) noexcept
    : node_(node), plugin_(plugin), method_(method), outer_(innermostCall) {
    static OurHandler const installed;
    innermostCall = this;
}

CallScope::~CallScope() { innermostCall = outer_; }

} // namespace tenon
