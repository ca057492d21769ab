// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/streams.h"
#include "base/log.h"
#include "plugin/plugin_life.h"

#include <set>

namespace tenon {

/// Whether this value of TENON_BLAME (null: unset) enables it: all except an empty one and those that begin with 0.
bool asksForBlame(char const* value);

/// Waits after each step, so that an error names its step (TENON_BLAME). Belongs to a context; made while its device is
/// current.
class Blame {
public:
    Blame(Backend const& backend, Log const& log, bool isOn)
        : backend_(backend), log_(log), isOn_(isOn), stream_(isOn ? backend.makeStream() : nullptr) {}

    bool isOn() const { return isOn_; }
    /// The stream that steps run in instead of the caller's; null: they run in the caller's. It does not wait for the
    /// default streams, so that work that a plugin put into one of them is detected as unfinished.
    void* stream() const { return stream_.get(); }

    /// Calls run(stream()) after all work in the caller's stream, and waits for it.
    template <class Run> void inOwnStream(void* callers, Run const& run) const {
        backend_.synchronize(callers);
        run(stream());
        backend_.synchronize(stream());
    }

    /// Calls run(), which puts a step into the stream, and waits for it. Warns, once for each plugin (null: a kernel),
    /// if the plugin put work into a default stream.
    template <class Run> void runStep(Node const& node, PluginLife const* plugin, void* stream, Run const& run) {
        Streams const* const streams = plugin ? backend_.streams() : nullptr;
        if (streams) streams->finishDefault();
        run();
        bool const strayed = streams && streams->finishDefault();
        backend_.synchronize(stream);
        if (strayed) warnOnce(node, *plugin);
    }

private:
    void warnOnce(Node const& node, PluginLife const& plugin);

    Backend const& backend_;
    Log const& log_;
    bool isOn_;
    std::shared_ptr<void> stream_;
    std::set<PluginLife const*> warned_;
};

} // namespace tenon
