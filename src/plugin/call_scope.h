// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plugin/plugin.h"

#include <string>
#include <vector>

namespace tenon {

/// The tensors of a run, as reports show them: "float32 linear [2,3]". Made when shapes change, since nothing may be
/// allocated in a run.
struct RunPorts {
    RunPorts() = default;
    explicit RunPorts(PortDescs const& io);

    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
};

/// While it lives, this thread runs the plugin on this memory. All arguments are only referenced.
class RunScope {
public:
    RunScope(Plugin const& plugin, RunPorts const& ports, Pointers const& pointers, size_t workspaceBytes) noexcept;
    ~RunScope();
    RunScope(RunScope const&) = delete;
    RunScope& operator=(RunScope const&) = delete;

    RunPorts const& ports() const { return ports_; }
    Pointers const& pointers() const { return pointers_; }
    size_t workspaceBytes() const { return workspaceBytes_; }

private:
    friend class CallScope;

    PluginName const& plugin_;
    RunPorts const& ports_;
    Pointers const& pointers_;
    size_t workspaceBytes_;
    RunScope const* outer_;
};

/// While it lives, this thread runs the user's code: `method` of the plugin of `node`. If the user's override is
/// noexcept, an exception ends the process; the terminate handler that the first CallScope installs then names node,
/// plugin and method before it calls the previous handler. See also crash_report.h. Strings are only referenced.
class CallScope {
public:
    CallScope(std::string_view node, PluginName const& plugin, std::string_view method) noexcept;
    ~CallScope();
    CallScope(CallScope const&) = delete;
    CallScope& operator=(CallScope const&) = delete;

    /// The innermost call of this thread; null if it runs no user code. May be called by a signal handler.
    static CallScope const* innermost();

    std::string_view node() const { return node_; }
    PluginName const& plugin() const { return plugin_; }
    std::string_view method() const { return method_; }
    /// Null if it is not a run.
    RunScope const* run() const { return run_; }

private:
    std::string_view node_;
    PluginName const& plugin_;
    std::string_view method_;
    RunScope const* run_;
    CallScope const* outer_;
};

/// While it lives, this thread works on a part of a call of another thread, which waits for it; null: of no call.
class SameCall {
public:
    explicit SameCall(CallScope const* call) noexcept;
    ~SameCall();
    SameCall(SameCall const&) = delete;
    SameCall& operator=(SameCall const&) = delete;

private:
    CallScope const* outer_;
};

} // namespace tenon
