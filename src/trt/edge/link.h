// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <memory>

namespace tenon::trt {

/// References from objects of the API to the object that made them: the application may delete that first.
template <class T> class Link {
public:
    Link() = default;
    explicit Link(T* to) : to_(std::make_shared<std::atomic<T*>>(to)) {}

    /// Null if it has been deleted.
    T* get() const { return to_ ? to_->load() : nullptr; }
    void cut() { to_->store(nullptr); }

private:
    std::shared_ptr<std::atomic<T*>> to_;
};

/// A member of the referenced object; when it is destroyed, the links become null.
template <class T> class Linked {
public:
    explicit Linked(T* self) : link_(self) {}
    ~Linked() { link_.cut(); }
    Linked(Linked const&) = delete;
    Linked& operator=(Linked const&) = delete;

    Link<T> const& link() const { return link_; }

private:
    Link<T> link_;
};

} // namespace tenon::trt
