// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tenon {

/// Like std::allocator; a separate type for our JSON.
template <class T> struct JsonAllocator : std::allocator<T> {
    template <class U> struct rebind { using other = JsonAllocator<U>; };
    JsonAllocator() = default;
    template <class U> JsonAllocator(JsonAllocator<U> const&) noexcept {}
};

/// Keeps keys in the order in which they were written: the same plan is the same bytes.
using Json = nlohmann::basic_json<nlohmann::ordered_map, std::vector, std::string, bool, int64_t, uint64_t, double,
                                  JsonAllocator>;

/// Memory from the application or, if it has none, from the system; else std::bad_alloc.
void* allocateToFree(size_t bytes);
void freeAllocatedToFree(void* memory) noexcept;

} // namespace tenon

/// nlohmann's destructor allocates a vector with this allocator to free nested values; if that threw, the process would
/// end.
template <> struct std::allocator<tenon::Json> {
    using value_type = tenon::Json;
    using propagate_on_container_move_assignment = std::true_type;
    using is_always_equal = std::true_type;

    allocator() = default;
    template <class U> allocator(std::allocator<U> const&) noexcept {}

    tenon::Json* allocate(size_t count) {
        if (count > SIZE_MAX / 2 / sizeof(tenon::Json)) throw std::bad_array_new_length();
        return static_cast<tenon::Json*>(tenon::allocateToFree(count * sizeof(tenon::Json)));
    }
    void deallocate(tenon::Json* memory, size_t) noexcept { tenon::freeAllocatedToFree(memory); }

    friend bool operator==(allocator const&, allocator const&) noexcept { return true; }
};
