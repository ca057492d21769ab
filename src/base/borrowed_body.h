// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>

namespace tenon {

/// A non-owning reference to a callable; copies and allocates nothing.
template <class... Arguments> class BorrowedBody {
public:
    template <class Body>
    BorrowedBody(Body const& body)
        : object_(std::addressof(body)),
          call_([](void const* object, Arguments... arguments) { (*static_cast<Body const*>(object))(arguments...); }) {
    }
    void operator()(Arguments... arguments) const { call_(object_, arguments...); }

private:
    void const* object_;
    void (*call_)(void const*, Arguments...);
};

/// body(begin, end)
using RangeBody = BorrowedBody<int64_t, int64_t>;
/// body(begin, end, slot)
using SlotBody = BorrowedBody<int64_t, int64_t, int>;

} // namespace tenon
