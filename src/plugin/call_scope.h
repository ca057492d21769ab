// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plugin/plugin.h"

namespace tenon {

/// While it lives, this thread runs the user's code: `method` of the plugin of `node`. Where the user's override is
/// noexcept, an exception ends the process; the terminate handler that the first CallScope installs then says which
/// node, plugin and method it was, before it hands over to the handler that was there. Strings are only referred to.
class CallScope {
public:
    CallScope(std::string_view node, PluginName const& plugin, std::string_view method) noexcept;
    ~CallScope();
    CallScope(CallScope const&) = delete;
    CallScope& operator=(CallScope const&) = delete;

private:
    friend void sayWhereAndTerminate() noexcept;

    std::string_view node_;
    PluginName const& plugin_;
    std::string_view method_;
    CallScope const* outer_;
};

} // namespace tenon
