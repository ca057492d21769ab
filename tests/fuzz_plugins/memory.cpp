// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "fuzz_plugins/memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

namespace tenon::test {
namespace {

constexpr unsigned char kUntouched = 0xA5;

bool isWatched() {
#ifdef __SANITIZE_ADDRESS__
    return true;
#else
    static char const* const preloaded = std::getenv("LD_PRELOAD");
    return preloaded != nullptr && std::string_view(preloaded).find("vgpreload") != std::string_view::npos;
#endif
}

} // namespace

Guarded::Guarded(size_t bytes) : bytes_(bytes) {
    if (isWatched()) {
        heap_.reset(new unsigned char[bytes]);
        data_ = heap_.get();
        return;
    }
    auto const page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    mapped_ = ((bytes + page - 1) / page + 2) * page;
    void* const found = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (found == MAP_FAILED) throw std::bad_alloc();
    pages_ = static_cast<unsigned char*>(found);
    if (mapped_ > 2 * page) mprotect(pages_ + page, mapped_ - 2 * page, PROT_READ | PROT_WRITE);
    data_ = pages_ + mapped_ - page - bytes;
    std::fill(pages_ + page, data_, kUntouched);
}

Guarded::~Guarded() {
    if (pages_ != nullptr) munmap(pages_, mapped_);
}

void Guarded::keep() { kept_.assign(data_, data_ + bytes_); }

void Guarded::check(std::string const& name) const {
    if (!kept_.empty() && std::memcmp(kept_.data(), data_, bytes_) != 0)
        throw std::runtime_error(name + " was written, which is an input");
    if (pages_ == nullptr) return;
    auto const* const first = pages_ + sysconf(_SC_PAGESIZE);
    if (!std::all_of(first, static_cast<unsigned char const*>(data_),
                     [](unsigned char each) { return each == kUntouched; }))
        throw std::runtime_error(name + " was written before its beginning");
}

} // namespace tenon::test
