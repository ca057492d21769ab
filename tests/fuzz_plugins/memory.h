// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace tenon::test {

/// Memory of exactly this size for a tensor. The memory after it, and a little before it, is inaccessible; with
/// AddressSanitizer or valgrind it is a heap block, whose bounds they check.
class Guarded {
public:
    explicit Guarded(size_t bytes);
    ~Guarded();
    Guarded(Guarded const&) = delete;
    Guarded& operator=(Guarded const&) = delete;

    void* data() const { return data_; }
    size_t bytes() const { return bytes_; }
    /// Throws std::runtime_error, with the name, if the memory before it was written to.
    void check(std::string const& name) const;
    /// Remembers the content, which must not change: check() compares it.
    void keep();

private:
    size_t bytes_, mapped_ = 0;
    std::unique_ptr<unsigned char[]> heap_;
    unsigned char *pages_ = nullptr, *data_ = nullptr;
    std::vector<unsigned char> kept_;
};

} // namespace tenon::test
