// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/json/json_memory.h"

#include <new>
#include <sys/mman.h>

namespace tenon {
namespace {

/// Before each block.
struct alignas(std::max_align_t) Head {
    size_t mapped; // bytes from the system; 0: from the application
};

} // namespace

void* allocateToFree(size_t bytes) {
    size_t const whole = bytes + sizeof(Head);
    if (void* const memory = ::operator new(whole, std::nothrow)) return new (memory) Head{0} + 1;
    void* const memory = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return new (memory) Head{whole} + 1;
}

void freeAllocatedToFree(void* memory) noexcept {
    if (memory == nullptr) return;
    Head* const head = static_cast<Head*>(memory) - 1;
    if (head->mapped != 0) {
        munmap(head, head->mapped);
    } else {
        ::operator delete(head);
    }
}

} // namespace tenon
