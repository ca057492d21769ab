// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "nms.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

namespace tenon::plugins {
namespace {

using Key = CandidateLists::Key;

constexpr int64_t kBlock = 16;

// Bit i is whether values[i] of a block is larger than `limit`. With vector types: the compiler does not
// vectorize the loop.
uint32_t larger(float const* values, float limit) {
    using Floats [[gnu::vector_size(16)]] = float;
    using Bits [[gnu::vector_size(16)]] = int32_t;
    Bits all{};
    for (int32_t i = 0; i < kBlock; i += 4) {
        Floats four;
        std::memcpy(&four, values + i, sizeof four);
        all |= (four > limit) & (Bits{1, 2, 4, 8} << i);
    }
    return uint32_t(all[0] | all[1] | all[2] | all[3]);
}

// Calls take(i) for each of `count` values that is larger than `limit`, in order. Most are not.
template <typename Take> void visitLarger(float const* values, int64_t count, float limit, Take const& take) {
    int64_t i = 0;
    for (; i + kBlock <= count; i += kBlock) {
        for (uint32_t bits = larger(values + i, limit); bits != 0; bits &= bits - 1) take(i + std::countr_zero(bits));
    }
    for (; i < count; ++i) {
        if (values[i] > limit) take(i);
    }
}

// Sorts keys whose lower halves are in order where the upper ones are equal. `room` has the same size.
void sortKeys(std::span<Key> keys, Key* room) {
    constexpr size_t kFew = 128, kDigits = 256;
    constexpr int kFirstBit = 32, kBits = 8;
    if (keys.size() < kFew) {
        std::ranges::sort(keys);
        return;
    }
    Key* from = keys.data();
    for (int bit = kFirstBit; bit < 64; bit += kBits) { // an even number of passes, so the result is where it began
        std::array<size_t, kDigits> places{};
        auto const digit = [bit](Key key) { return size_t(key >> bit) % kDigits; };
        for (size_t i = 0; i < keys.size(); ++i) ++places[digit(from[i])];
        size_t place = 0;
        for (size_t& each : places) place += std::exchange(each, place);
        for (size_t i = 0; i < keys.size(); ++i) room[places[digit(from[i])]++] = from[i];
        std::swap(from, room);
    }
}

} // namespace

float logit(float y) {
    if (y <= 0) return std::numeric_limits<float>::lowest();
    return y < 1 ? std::log(y / (1 - y)) : std::numeric_limits<float>::infinity();
}

float justBelow(float y) { return std::nextafter(y, -std::numeric_limits<float>::infinity()); }

void expectCountable(int64_t boxes, int64_t classes) {
    constexpr int64_t kMost = std::numeric_limits<int32_t>::max(); // a candidate's box and class are INT32
    if (classes > 0 && boxes > kMost / classes)
        throw std::invalid_argument("an image has " + std::to_string(boxes) + " boxes of " + std::to_string(classes) +
                                    " classes; expected at most " + std::to_string(kMost) + " scores");
}

void CandidateLists::shape(Scores const& scores) {
    expectCountable(scores.boxes, scores.classes);
    pictures_ = scores.pictures, boxes_ = scores.boxes, classes_ = scores.classes;
    lists_ = pictures_ * classes_;
    stride_ = 2 * boxes_;
    sizesOfClasses_.assign(size_t(std::max(lists_, pictures_)), 0);
    sizes_.assign(sizesOfClasses_.size(), 0);
    if (capacity_ < lists_ * stride_) {
        capacity_ = lists_ * stride_;
        keys_.reset(new Key[size_t(capacity_)]); // not make_unique, which would touch all of it
    }
}

void CandidateLists::add(int64_t list, float score, int64_t box) {
    Key const key = Keys{uint32_t(boxes_)}.of({score, int32_t(box), int32_t(list % classes_)});
    keys_[size_t(list * stride_ + sizes_[size_t(list)]++)] = key;
}

// Of lists `begin` to `end`. If classes are adjacent in memory, a row of them is read at once.
void CandidateLists::findOfClasses(NmsRules const& rules, Scores const& scores, int64_t begin, int64_t end) {
    while (begin < end) {
        int64_t const picture = begin / classes_, first = begin % classes_;
        int64_t const last = std::min(classes_, first + end - begin);
        float const* const all = scores.data + picture * boxes_ * classes_;
        for (int64_t label = first; scores.classesFirst && label < last; ++label) {
            float const* const row = all + label * boxes_;
            visitLarger(row, boxes_, rules.scoreLimit, [&](int64_t box) {
                if (label != rules.background) add(picture * classes_ + label, row[box], box);
            });
        }
        for (int64_t box = 0; !scores.classesFirst && box < boxes_; ++box) {
            float const* const row = all + box * classes_ + first;
            visitLarger(row, last - first, rules.scoreLimit, [&](int64_t i) {
                if (first + i != rules.background) add(picture * classes_ + first + i, row[i], box);
            });
        }
        begin += last - first;
    }
}

void CandidateLists::find(NmsRules const& rules, Scores const& scores) {
    shape(scores);
    parallelFor(lists_, rowsPerThread(boxes_), [&](int64_t begin, int64_t end) {
        findOfClasses(rules, scores, begin, end);
        for (int64_t list = begin; list < end; ++list) {
            std::span<Key> const keys = at(list);
            sortKeys(keys, keys.data() + boxes_);
            resize(list, std::min(int64_t(keys.size()), rules.candidates));
        }
    });
}

void CandidateLists::merge(int64_t most) {
    int64_t const strideOfClasses = stride_;
    std::swap(sizes_, sizesOfClasses_);
    lists_ = pictures_;
    stride_ = strideOfClasses * classes_;
    parallelFor(pictures_, 1, [&](int64_t begin, int64_t end) {
        for (int64_t picture = begin; picture < end; ++picture) {
            Key* const first = keys_.get() + picture * stride_;
            Key* last = first;
            for (int64_t label = 0; label < classes_; ++label) {
                Key const* const keys = first + label * strideOfClasses;
                last = std::copy_n(keys, sizesOfClasses_[size_t(picture * classes_ + label)], last);
            }
            sortKeys({first, last}, first + classes_ * boxes_);
            resize(picture, std::min(int64_t(last - first), most));
        }
    });
}

} // namespace tenon::plugins
