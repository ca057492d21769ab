// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon {

/// A point in one stream that others wait for.
class Event {
public:
    virtual ~Event() = default;
    /// Moves it to now, after all work that is in the stream.
    virtual void record(void* stream) = 0;
    /// What is put into this stream from now on begins after it.
    virtual void wait(void* stream) = 0;
};

/// Events and waits between the streams of a kind of device, for contexts, not for kernels. All calls are about the
/// device that is current in the calling thread.
class Streams {
public:
    /// Null where the device has no streams.
    virtual std::unique_ptr<Event> makeEvent() const = 0;
    /// Waits for the default streams of the device and of this thread; true when something in them was under way. What
    /// went wrong there is reported by the next call that waits.
    virtual bool finishDefault() const = 0;
    /// Waits for all streams.
    virtual void finishAll() const = 0;
    /// The program records the stream, and something was done that makes the recording impossible.
    virtual bool isRecordingBroken(void* stream) const = 0;

protected:
    ~Streams() = default; // there is one for each kind of device, and it stays
};

/// Of the device's backend; an Error that says why when it cannot be had.
Streams const& streamsOf(Device device);

} // namespace tenon
