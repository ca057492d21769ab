// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/context_memory.h"

#include "base/error.h"

namespace tenon {

ContextMemory::ContextMemory(Backend const& backend)
    : backend_(backend), lasting_(ofDevice()), temporary_(ofDevice()) {}

ContextMemory::Source ContextMemory::ofDevice() const {
    return [&backend = backend_](size_t bytes) { return backend.allocate(bytes); };
}

void ContextMemory::copyFrom(ContextMemory const& other) {
    lasting_ = other.lasting_;
    temporary_ = other.temporary_;
    users_ = other.users_;
    usersBytes_ = other.usersBytes_;
}

void ContextMemory::setSources(Source lasting, Source temporary) {
    lasting_ = lasting ? std::move(lasting) : ofDevice();
    temporary_ = temporary ? std::move(temporary) : ofDevice();
}

void ContextMemory::use(void* data, size_t bytes) {
    users_ = data;
    usersBytes_ = bytes;
}

void ContextMemory::place(Segment& segment) {
    size_t const needed = segment.memoryBytes();
    if (users_) {
        if (usersBytes_ < needed)
            fail(ErrorCode::Memory, "the memory of the context has ", usersBytes_, " bytes; these shapes require ",
                 needed);
        return segment.placeIn(static_cast<std::byte*>(users_));
    }
    if (needed > ownBytes_ || !own_) {
        own_.reset(); // before the larger one is allocated: both may not fit
        own_ = lasting_(needed);
        ownBytes_ = needed;
    }
    segment.placeIn(static_cast<std::byte*>(own_.get()));
}

} // namespace tenon
