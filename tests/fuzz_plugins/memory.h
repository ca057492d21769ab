// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace tenon::test {

/// Memory of exactly this size for a tensor. Behind it, and a little before it, lies memory that nobody may touch; with
/// AddressSanitizer or valgrind it is a block of the heap, around which they look.
class Guarded {
public:
    explicit Guarded(size_t bytes);
    ~Guarded();
    Guarded(Guarded const&) = delete;
    Guarded& operator=(Guarded const&) = delete;

    void* data() const { return data_; }
    size_t bytes() const { return bytes_; }
    /// Throws std::runtime_error, with the name, where what lies before it was written to.
    void check(std::string const& name) const;
    /// Remembers the content, which then must not change: check() looks.
    void keep();

private:
    size_t bytes_, mapped_ = 0;
    std::unique_ptr<unsigned char[]> heap_;
    unsigned char *pages_ = nullptr, *data_ = nullptr;
    std::vector<unsigned char> kept_;
};

} // namespace tenon::test
