// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Suppression of boxes that overlap a surer one (non-maximum suppression), class by class: of the boxes that are sure
// enough, by falling score, those stay that do not overlap one that stays.
#pragma once

#include "boxes.h"
#include "plugin.h"

#include <array>
#include <atomic>
#include <limits>
#include <memory>
#include <span>

namespace tenon::plugins {

constexpr int64_t kAll = std::numeric_limits<int64_t>::max();

/// The x with sigmoid(x) == y.
float logit(float y);
/// The largest number below `y`: what is at least y is larger than this.
float justBelow(float y);

/// What a suppression goes by. Limits are exclusive.
struct NmsRules {
    float scoreLimit = 0;        ///< A box with a larger score is a candidate.
    float overlapLimit = 0;      ///< A box that overlaps a surer one by more is dropped; below 0, all others are.
    int64_t candidates = kAll;   ///< How many of a class go into the suppression, the surest.
    int64_t perClass = kAll;     ///< How many of a class stay, at most.
    int64_t perPicture = kAll;   ///< How many of a picture stay, at most.
    int32_t background = -1;     ///< A class without candidates.
    bool classesCompete = false; ///< A box is dropped for a surer one of another class, too.
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

/// Lists of candidates by falling score; of equal ones, the smaller class first, then the smaller box. They are numbers
/// whose order is that one. There is a list for each class of each picture, and after merge(), for each picture.
///
/// Memory is allocated where the scores have a new shape: 16 bytes for each score, of which those are touched that are
/// needed.
class CandidateLists {
public:
    using Key = uint64_t;

    /// Makes the lists of all classes, on all threads.
    /// Throws std::invalid_argument where a picture has more scores than there are 32-bit numbers.
    void find(NmsRules const& rules, Scores const& scores);
    /// Joins those of each picture, and keeps the first `most`.
    void merge(int64_t most);

    int64_t lists() const { return lists_; }
    int64_t pictureOf(int64_t list) const { return list * pictures_ / lists_; }
    std::span<Key> at(int64_t list) { return {keys_.get() + list * stride_, size_t(sizes_[size_t(list)])}; }
    /// Keeps the first `size`.
    void resize(int64_t list, int64_t size) { sizes_[size_t(list)] = size; }
    Candidate candidate(Key key) const;

private:
    void shape(Scores const& scores);
    void findOfClasses(NmsRules const& rules, Scores const& scores, int64_t begin, int64_t end);
    void add(int64_t list, float score, int64_t box);

    std::unique_ptr<Key[]> keys_; // of each list, as many again behind it as it may have: room to sort
    int64_t capacity_ = 0;
    int64_t pictures_ = 0, boxes_ = 0, classes_ = 0, lists_ = 0, stride_ = 0;
    std::vector<int64_t> sizes_, sizesOfClasses_;
};

/// The suppression. Kept is KeptBoxes, or a class with the same methods for other shapes.
template <typename Kept> class Nms {
public:
    /// Suppresses class by class, or picture by picture where classes compete.
    /// \param boxOf boxOf(picture, candidate) is what Kept::shape() takes; called by many threads
    template <typename BoxOf> void run(NmsRules const& rules, Scores const& scores, BoxOf const& boxOf) {
        found_.find(rules, scores);
        if (rules.classesCompete) found_.merge(kAll);
        int64_t const lists = found_.lists(),
                      longest = rules.classesCompete ? scores.boxes * scores.classes : scores.boxes;
        int64_t const most = std::min({longest, rules.candidates, rules.perClass, rules.perPicture});
        if (kept_.size() < size_t(lists) + 1) kept_.resize(size_t(lists) + 1);
        if (lists == 1) return suppressOnAllThreads(rules, most, boxOf);
        std::atomic<int64_t> next{0}; // lists differ in length, so each thread takes one when it has time
        parallelFor(lists, rowsPerThread(longest), [&](int64_t begin, int64_t) {
            Kept& kept = kept_[size_t(begin)];
            kept.clear(most, rules.borders); // also without a list, so that no later run allocates
            for (int64_t list = next++; list < lists; list = next++) suppress(rules, list, most, boxOf, kept);
        });
    }

    /// The same, and then the surest of all classes of a picture, so that there is a list for each picture.
    template <typename BoxOf> void runByPicture(NmsRules const& rules, Scores const& scores, BoxOf const& boxOf) {
        run(rules, scores, boxOf);
        if (!rules.classesCompete) found_.merge(rules.perPicture);
    }

    /// Those that stay in a list, in order: `take(i, candidate)` for each.
    /// \return how many
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

    // The only list there is, in blocks: all of a block are compared with what stays before it on all threads, and then
    // with what stays in it.
    template <typename BoxOf> void suppressOnAllThreads(NmsRules const& rules, int64_t most, BoxOf const& boxOf) {
        std::span<CandidateLists::Key> const keys = found_.at(0);
        Kept &kept = kept_[0], &keptOfBlock = kept_[1];
        std::array<bool, 512> isDropped;
        auto const shape = [&](size_t i) { return kept.shape(boxOf(int64_t(0), found_.candidate(keys[i]))); };
        kept.clear(most, rules.borders);
        int64_t count = 0;
        for (size_t first = 0; first < keys.size() && count < most; first += isDropped.size()) {
            size_t const size = std::min(isDropped.size(), keys.size() - first);
            parallelFor(int64_t(size), rowsPerThread(count / 8), [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i)
                    isDropped[size_t(i)] = kept.overlaps(shape(first + size_t(i)), rules.overlapLimit);
            });
            keptOfBlock.clear(int64_t(isDropped.size()), rules.borders);
            for (size_t i = first; i < first + size && count < most; ++i) {
                if (isDropped[i - first]) continue;
                auto const box = shape(i);
                if (keptOfBlock.overlaps(box, rules.overlapLimit)) continue;
                keptOfBlock.add(box);
                kept.add(box);
                keys[size_t(count++)] = keys[i];
            }
        }
        found_.resize(0, count);
    }

    CandidateLists found_;
    std::vector<Kept> kept_; // that of a thread is under the number where its part begins
};

} // namespace tenon::plugins
