// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstdint>

namespace tenon {

/// [0, count) cut into chunks. The boundaries depend on count and grain alone, so no result depends on the number of
/// threads, their timing or the machine.
class Chunks {
public:
    static constexpr int64_t kMost = 256; ///< four for each of 64 threads

    /// `grain` is the least work that is worth a thread; up to `grain` elements are one chunk. Otherwise a chunk is a
    /// quarter of it, so that threads that start at different times end together, or larger if there would be more than
    /// kMost.
    Chunks(int64_t count, int64_t grain) : count_(std::max<int64_t>(count, 0)) {
        grain = std::max<int64_t>(grain, 1);
        size_ = count_ <= grain ? std::max<int64_t>(count_, 1) : std::max<int64_t>(grain / 4, 1);
        size_ *= cut(cut(count_, size_), kMost);
        number_ = cut(count_, size_);
        threads_ = std::min(number_, cut(count_, grain));
    }

    int64_t number() const { return number_; }
    /// The number of threads for which there is enough work.
    int64_t threads() const { return threads_; }
    int64_t begin(int64_t chunk) const { return chunk * size_; }
    int64_t end(int64_t chunk) const { return chunk + 1 == number_ ? count_ : (chunk + 1) * size_; }

private:
    /// The number of parts of `size` in `count`; the last one may be shorter.
    static int64_t cut(int64_t count, int64_t size) { return count == 0 ? 0 : (count - 1) / size + 1; }

    int64_t count_;
    int64_t size_;
    int64_t number_;
    int64_t threads_;
};

} // namespace tenon
