// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Non-maximum suppression, class by class: of the boxes whose score is above the limit, by falling score, those are
// kept that do not overlap a kept one.
#pragma once

#include "boxes.h"
#include "rows.h"

#include <array>
#include <atomic>
#include <bit>
#include <limits>
#include <memory>
#include <span>

namespace tenon::plugins {

constexpr int64_t kAll = std::numeric_limits<int64_t>::max();

/// The x with sigmoid(x) == y.
float logit(float y);
/// The largest number below `y`: values of at least y are larger than it.
float justBelow(float y);

/// The rules of a suppression. Limits are exclusive.
struct NmsRules {
    float scoreLimit = 0; ///< A box with a larger score is a candidate.
    float overlapLimit =
        0; ///< A box is dropped if its overlap with a higher-scoring one is larger; below 0, all others are.
    int64_t candidates = kAll;   ///< The maximum number of a class that enter the suppression.
    int64_t perClass = kAll;     ///< The maximum number kept of a class.
    int64_t perPicture = kAll;   ///< The maximum number kept of an image.
    int32_t background = -1;     ///< A class without candidates.
    bool classesCompete = false; ///< A box is also dropped for a higher-scoring one of another class.
    Borders borders;
};

/// Scores of a tensor [B,N,C] or [B,N,C,1]; with `classesFirst`, [B,C,N].
struct Scores {
    explicit Scores(PluginBase::Tensor const& tensor, bool classesFirst = false)
        : data(tensor.floats()), pictures(tensor[0]), boxes(tensor[classesFirst ? 2 : 1]),
          classes(tensor[classesFirst ? 1 : 2]), classesFirst(classesFirst) {}

    float const* data;
    int64_t pictures, boxes, classes;
    bool classesFirst;
};

/// Throws std::invalid_argument if an image has more scores than there are indices for them.
void expectCountable(int64_t boxes, int64_t classes);

/// A number that decreases with the score. Not for NaN.
constexpr uint32_t rankOf(float score) {
    constexpr uint32_t kSign = 1U << 31;
    auto const bits = std::bit_cast<uint32_t>(score + 0.0F); // equal for both zeros
    return (bits & kSign) != 0 ? bits : ~bits & ~kSign;
}
/// The score of a rank.
constexpr float scoreOf(uint32_t rank) {
    constexpr uint32_t kSign = 1U << 31;
    return std::bit_cast<float>((rank & kSign) != 0 ? rank : ~rank & ~kSign);
}

/// Candidates as numbers that sort by falling score; ties: the smaller class first, then the smaller box.
struct Keys {
    using Key = uint64_t;

    uint32_t boxes; ///< Of each class. An image has fewer than 2^31 scores.

    constexpr Key of(Candidate const& candidate) const {
        return Key(rankOf(candidate.score)) << 32 | (uint32_t(candidate.label) * boxes + uint32_t(candidate.box));
    }
    constexpr Candidate candidate(Key key) const {
        auto const place = uint32_t(key), label = place / boxes;
        return {scoreOf(uint32_t(key >> 32)), int32_t(place - label * boxes), int32_t(label)};
    }
};

/// Lists of candidates in the order of their keys. There is a list for each class of each image, and after merge(), for
/// each image.
///
/// Memory is allocated for each new shape of the scores: 16 bytes for each score, of which only those needed are
/// touched.
class CandidateLists {
public:
    using Key = Keys::Key;

    /// Makes the lists of all classes, on all threads.
    /// Throws std::invalid_argument if an image has more scores than there are 32-bit numbers.
    void find(NmsRules const& rules, Scores const& scores);
    /// Merges those of each image, and keeps the first `most`.
    void merge(int64_t most);

    int64_t lists() const { return lists_; }
    int64_t pictureOf(int64_t list) const { return list * pictures_ / lists_; }
    std::span<Key> at(int64_t list) { return {keys_.get() + list * stride_, size_t(sizes_[size_t(list)])}; }
    /// Keeps the first `size`.
    void resize(int64_t list, int64_t size) { sizes_[size_t(list)] = size; }
    Candidate candidate(Key key) const { return Keys{uint32_t(boxes_)}.candidate(key); }

private:
    void shape(Scores const& scores);
    void findOfClasses(NmsRules const& rules, Scores const& scores, int64_t begin, int64_t end);
    void add(int64_t list, float score, int64_t box);

    std::unique_ptr<Key[]> keys_; // of each list, followed by the same capacity again: room to sort
    int64_t capacity_ = 0;
    int64_t pictures_ = 0, boxes_ = 0, classes_ = 0, lists_ = 0, stride_ = 0;
    std::vector<int64_t> sizes_, sizesOfClasses_;
};

/// The suppression in one list, on all threads. Kept is KeptBoxes, or a class with the same methods for other shapes.
/// One thread at a time uses an object; its memory is reused.
template <typename Kept> class BlockwiseSuppression {
public:
    /// Finds those to keep among `count` boxes by falling score, the first `most` of them. Memory is allocated if
    /// `most` exceeds all earlier ones.
    /// \param boxOf boxOf(i) is the argument of Kept::shape(); called by many threads
    /// \param take take(i) is called for each kept one, in order; boxes up to it are not read again
    template <typename BoxOf, typename Take>
    void run(NmsRules const& rules, int64_t count, int64_t most, BoxOf const& boxOf, Take const& take) {
        kept_.clear(most, rules.borders);
        keptCount_ = 0;
        isDropped_.fill(false); // in the first block
        for (int64_t first = 0; first < count && keptCount_ < most; first += kBlock) {
            Range const block{first, std::min(first + kBlock, count)};
            if (keptCount_ > 0) findDropped(rules, block, boxOf);
            suppressInBlock(rules, block, most, boxOf, take);
        }
    }

private:
    // All of a block are compared with the boxes kept before it on all threads, and then among themselves.
    static constexpr int64_t kBlock = 512;
    struct Range {
        int64_t first, end;
    };

    template <typename BoxOf> void findDropped(NmsRules const& rules, Range const& block, BoxOf const& boxOf) {
        parallelFor(block.end - block.first, rowsPerThread(keptCount_ / 8), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i)
                isDropped_[size_t(i)] = kept_.overlaps(kept_.shape(boxOf(block.first + i)), rules.overlapLimit);
        });
    }

    template <typename BoxOf, typename Take>
    void suppressInBlock(NmsRules const& rules, Range const& block, int64_t most, BoxOf const& boxOf,
                         Take const& take) {
        keptOfBlock_.clear(kBlock, rules.borders);
        for (int64_t i = block.first; i < block.end && keptCount_ < most; ++i) {
            if (isDropped_[size_t(i - block.first)]) continue;
            auto const shape = kept_.shape(boxOf(i));
            if (keptOfBlock_.overlaps(shape, rules.overlapLimit)) continue;
            keptOfBlock_.add(shape);
            kept_.add(shape);
            ++keptCount_;
            take(i);
        }
    }

    Kept kept_, keptOfBlock_;
    int64_t keptCount_ = 0;
    std::array<bool, size_t(kBlock)> isDropped_{};
};

/// The suppression. Kept is KeptBoxes, or a class with the same methods for other shapes.
template <typename Kept> class Nms {
public:
    /// Suppresses class by class, or image by image if classes compete.
    /// \param boxOf boxOf(picture, candidate) is the argument of Kept::shape(); called by many threads
    template <typename BoxOf> void run(NmsRules const& rules, Scores const& scores, BoxOf const& boxOf) {
        found_.find(rules, scores);
        if (rules.classesCompete) found_.merge(kAll);
        int64_t const lists = found_.lists(),
                      longest = rules.classesCompete ? scores.boxes * scores.classes : scores.boxes;
        int64_t const most = std::min({longest, rules.candidates, rules.perClass, rules.perPicture});
        if (lists == 1) return suppressInBlocks(rules, most, boxOf);
        constexpr int64_t kMostKept = 16; // threads that have boxes to compare with
        if (kept_.size() < size_t(std::min(lists, kMostKept))) kept_.resize(size_t(std::min(lists, kMostKept)));
        std::atomic<int64_t> next{0}; // lists differ in length, so each idle thread takes the next one
        int64_t const grain = rowsPerThread(longest), workers = std::min(kMostKept, (lists + grain - 1) / grain);
        parallelFor(workers, 1, [&](int64_t begin, int64_t) {
            Kept& kept = kept_[size_t(begin)];
            kept.clear(most, rules.borders); // also without a list, so that no later run allocates
            for (int64_t list = next++; list < lists; list = next++) suppress(rules, list, most, boxOf, kept);
        });
    }

    /// The same, and then the highest-scoring of all classes of an image, so that there is a list for each image.
    template <typename BoxOf> void runByPicture(NmsRules const& rules, Scores const& scores, BoxOf const& boxOf) {
        run(rules, scores, boxOf);
        if (!rules.classesCompete) found_.merge(rules.perPicture);
    }

    /// After runByPicture(): calls write(picture, first, end) for each image, on all threads, with its rows of the
    /// outputs: for kPadded rows `most` of each, for kReal ones the number kept.
    /// \return all rows
    template <typename Write> int64_t write(Rows rows, int64_t most, Write const& write) {
        starts_.assign(1, 0);
        for (int64_t list = 0; list < found_.lists(); ++list)
            starts_.push_back(starts_.back() + (rows == Rows::kPadded ? most : std::ssize(found_.at(list))));
        parallelFor(found_.lists(), 1, [&](int64_t begin, int64_t end) {
            for (int64_t list = begin; list < end; ++list)
                write(list, starts_[size_t(list)], starts_[size_t(list) + 1]);
        });
        return starts_.back();
    }

    /// The kept candidates of a list, in order: `take(i, candidate)` for each.
    /// \return their number
    template <typename Take> int64_t visit(int64_t list, Take const& take) {
        int64_t count = 0;
        for (CandidateLists::Key const key : found_.at(list)) take(count++, found_.candidate(key));
        return count;
    }

private:
    template <typename BoxOf>
    void suppress(NmsRules const& rules, int64_t list, int64_t most, BoxOf const& boxOf, Kept& kept) {
        int64_t const picture = found_.pictureOf(list);
        std::span<CandidateLists::Key> const keys = found_.at(list);
        kept.clear(most, rules.borders);
        int64_t count = 0;
        for (CandidateLists::Key const key : keys) {
            if (count == most) break;
            auto const shape = kept.shape(boxOf(picture, found_.candidate(key)));
            if (kept.overlaps(shape, rules.overlapLimit)) continue;
            kept.add(shape);
            keys[size_t(count++)] = key;
        }
        found_.resize(list, count);
    }

    // The only list.
    template <typename BoxOf> void suppressInBlocks(NmsRules const& rules, int64_t most, BoxOf const& boxOf) {
        std::span<CandidateLists::Key> const keys = found_.at(0);
        size_t count = 0;
        inBlocks_.run(
            rules, std::ssize(keys), most,
            [&](int64_t i) { return boxOf(int64_t(0), found_.candidate(keys[size_t(i)])); },
            [&](int64_t i) { keys[count++] = keys[size_t(i)]; });
        found_.resize(0, int64_t(count));
    }

    CandidateLists found_;
    BlockwiseSuppression<Kept> inBlocks_;
    std::vector<Kept> kept_; // a thread's result is at the index where its part begins
    std::vector<int64_t> starts_;
};

} // namespace tenon::plugins
