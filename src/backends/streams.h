// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <memory>

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

/// Work that a device has recorded and can do again with one call.
class Recording {
public:
    virtual ~Recording() = default;
    virtual void replay(void* stream) = 0;
};

/// Queues of work, those of programs too: kernels and copies go into the stream that the program gives, and may be
/// under way when a run returns. A backend without them has done all its work by then, and what the program's stream
/// holds is waited for before. All calls are about the device that is current in the calling thread.
class Streams {
public:
    /// A queue of its own, freed with the last owner.
    virtual std::shared_ptr<void> makeStream() const = 0;
    virtual std::unique_ptr<Event> makeEvent() const = 0;
    /// Marks an event of the program's (cudaEvent_t) in the stream.
    virtual void recordEvent(void* event, void* stream) const = 0;
    /// Waits for all streams.
    virtual void finishAll() const = 0;
    /// Waits for the default streams of the device and of this thread; true when something in them was under way. What
    /// went wrong there is reported by the next call that waits.
    virtual bool finishDefault() const { return false; }

    /// The part of the device that the stream works on (a green context of CUDA); null: all of it. Work of streams of
    /// several parts may not be mixed.
    virtual void const* partition(void* /*stream*/) const { return nullptr; }

    /// Records what `work` puts into the stream that it is given; null where that cannot be recorded.
    virtual std::unique_ptr<Recording> record(std::function<void(void* stream)> const& /*work*/) const {
        return nullptr;
    }
    /// The stream is being recorded by the program: nothing may wait for it.
    virtual bool isBeingRecorded(void* /*stream*/) const { return false; }
    /// The program records the stream, and something was done that makes the recording impossible.
    virtual bool isRecordingBroken(void* /*stream*/) const { return false; }

protected:
    ~Streams() = default; // there is one for each kind of device, and it stays
};

} // namespace tenon
