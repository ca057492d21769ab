// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstdint>

namespace tenon {

/// [0, count) cut into chunks. The borders follow from count and grain alone, so that no result depends on the number
/// of threads, on their timing or on the machine.
class Chunks {
public:
    static constexpr int64_t kMost = 256; ///< Four for each of 64 threads.

    /// `grain` is the least work that is worth a thread. A chunk is a quarter of it, so that threads that start at
    /// different times end together; a larger one where there would be more than kMost. At most `grain` is one chunk.
    Chunks(int64_t count, int64_t grain) : count_(std::max<int64_t>(count, 0)) {
        grain = std::max<int64_t>(grain, 1);
        size_ = count_ <= grain ? std::max<int64_t>(count_, 1) : std::max<int64_t>(grain / 4, 1);
        size_ *= cut(cut(count_, size_), kMost);
        number_ = cut(count_, size_);
        threads_ = std::min(number_, cut(count_, grain));
    }

    int64_t number() const { return number_; }
    /// As many as have work that is worth it.
    int64_t threads() const { return threads_; }
    int64_t begin(int64_t chunk) const { return chunk * size_; }
    int64_t end(int64_t chunk) const { return chunk + 1 == number_ ? count_ : (chunk + 1) * size_; }

private:
    /// How many parts of `size` there are in `count`, the last of which may be shorter.
    static int64_t cut(int64_t count, int64_t size) { return count == 0 ? 0 : (count - 1) / size + 1; }

    int64_t count_;
    int64_t size_;
    int64_t number_;
    int64_t threads_;
};

} // namespace tenon
