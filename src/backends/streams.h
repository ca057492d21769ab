// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <memory>

namespace tenon {

/// A point in one stream for which others can wait.
class Event {
public:
    virtual ~Event() = default;
    /// Moves it to now, after all work that is in the stream.
    virtual void record(void* stream) = 0;
    /// Work that is put into this stream from now on starts after the event.
    virtual void wait(void* stream) = 0;
};

/// Recorded work that a device can repeat with one call.
class Recording {
public:
    virtual ~Recording() = default;
    virtual void replay(void* stream) = 0;
};

/// Streams of work, including the application's: kernels and copies go into the stream that the application passes, and
/// may be in flight when a run returns. A backend without streams has finished its work by then, and first waits for
/// the work in the application's stream. All calls refer to the current device of the calling thread.
class Streams {
public:
    /// A new stream, freed with the last owner.
    virtual std::shared_ptr<void> makeStream() const = 0;
    virtual std::unique_ptr<Event> makeEvent() const = 0;
    /// Records an event of the application (cudaEvent_t) in the stream.
    virtual void recordEvent(void* event, void* stream) const = 0;
    /// Waits for all streams.
    virtual void finishAll() const = 0;
    /// Waits for the default streams of the device and of this thread; returns true if they had unfinished work. Errors
    /// there are reported by the next call that waits.
    virtual bool finishDefault() const { return false; }

    /// The part of the device on which the stream works (a green context of CUDA); null: all of it. Work of streams of
    /// different parts must not be mixed.
    virtual void const* partition(void* /*stream*/) const { return nullptr; }

    /// Records the work that `work` puts into the given stream; null if it cannot be recorded.
    virtual std::unique_ptr<Recording> record(std::function<void(void* stream)> const& /*work*/) const {
        return nullptr;
    }
    /// Whether the application is recording the stream: nothing may wait for it.
    virtual bool isBeingRecorded(void* /*stream*/) const { return false; }
    /// Whether the application records the stream, and an operation has invalidated the recording.
    virtual bool isRecordingBroken(void* /*stream*/) const { return false; }

protected:
    ~Streams() = default; // one for each kind of device, never destroyed
};

} // namespace tenon
