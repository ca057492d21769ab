// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "proposals.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <tuple>

namespace tenon::plugins {
namespace {

// The order by falling score; ties: the smaller class first, then the box with the smaller index.
bool isBefore(Candidate const& a, Candidate const& b) {
    return a.score != b.score ? a.score > b.score : std::tie(a.label, a.box) < std::tie(b.label, b.box);
}

// Class by class.
bool isBeforeInClass(Candidate const& a, Candidate const& b) {
    return a.label != b.label ? a.label < b.label : isBefore(a, b);
}

// Moves the first `most` in order to the front, in any order.
// \return their end
Candidate* keepBest(Candidate* first, Candidate* last, int64_t most) {
    if (last - first <= most) return last;
    std::nth_element(first, first + most, last, isBefore);
    return first + most;
}

void keepBest(std::vector<Candidate>& candidates, int64_t most) {
    Candidate* const first = candidates.data();
    candidates.resize(size_t(keepBest(first, first + candidates.size(), most) - first));
}

} // namespace

void Selection::clear() {
    usedBoxes_ = 0;
    kept_.clear();
}

void Selection::reserve(int64_t count, int64_t grain) {
    constexpr int64_t kMost = std::numeric_limits<int32_t>::max(); // indices that a candidate may have
    if (count > kMost - int64_t(usedBoxes_))
        throw std::invalid_argument("there are " + std::to_string(count) + " regions in an image; expected at most " +
                                    std::to_string(kMost - int64_t(usedBoxes_)));
    if (room_.size() < size_t(count)) room_.resize(size_t(count));
    endOfPart_.assign(size_t(count / grain + 1), 0);
}

void Selection::keepBestOfPart(int64_t begin, Candidate* last, int64_t part, int64_t most) {
    endOfPart_[size_t(part)] = keepBest(room_.data() + begin, last, most) - room_.data();
}

void Selection::gather(int64_t grain, int64_t most) {
    candidates_.clear();
    for (size_t part = 0; part < endOfPart_.size(); ++part) {
        int64_t const begin = int64_t(part) * grain;
        if (endOfPart_[part] > begin)
            candidates_.insert(candidates_.end(), room_.data() + begin, room_.data() + endOfPart_[part]);
    }
    keepBest(candidates_, most);
    std::ranges::sort(candidates_, isBeforeInClass);
}

size_t Selection::reserveBoxes() {
    size_t const first = usedBoxes_;
    usedBoxes_ += candidates_.size();
    if (boxes_.size() < usedBoxes_) boxes_.resize(usedBoxes_);
    return first;
}

void Selection::setBox(size_t candidate, size_t firstBox, Box const& box) {
    boxes_[firstBox + candidate] = box;
    candidates_[candidate].box = int32_t(firstBox + candidate);
}

void Selection::suppress(Limits const& limits, int64_t most) {
    NmsRules const rules = limits.rules();
    std::erase_if(candidates_, [this](Candidate const& candidate) { return !isNumber(boxOf(candidate)); });
    for (auto first = candidates_.cbegin(), end = first; first != candidates_.cend(); first = end) {
        end =
            std::find_if(first, candidates_.cend(), [&](Candidate const& each) { return each.label != first->label; });
        suppression_.run(
            rules, end - first, most, [&](int64_t i) { return grown(boxOf(first[i]), limits.border); },
            [&](int64_t i) { kept_.push_back(first[i]); });
    }
}

std::span<Candidate const> Selection::best(int64_t most) {
    keepBest(kept_, most);
    std::ranges::sort(kept_, isBefore);
    return kept_;
}

void Selection::writeBest(int64_t most, float* to) {
    float* const end = to + most * 4;
    for (Candidate const& each : best(most)) {
        Box const& box = boxOf(each);
        for (float value : {box.x1, box.y1, box.x2, box.y2}) *to++ = value;
    }
    std::fill(to, end, 0.0F);
}

void checkChannels(char const* map, int64_t channels, size_t each, size_t anchors, char const* fields) {
    if (channels < 0 || size_t(channels) == anchors * each) return;
    auto const text = [](auto number) { return std::to_string(number); };
    throw std::invalid_argument(map + (" has " + text(channels)) + " channels; expected " + text(anchors * each) +
                                ", " + text(each) + " for each of " + text(anchors) + " anchors (" + fields + ")");
}

void checkAnchors(std::string const& tensor, int64_t boxes, int64_t anchors, std::vector<int32_t> const& imageSize) {
    if (boxes < 0 || boxes == anchors) return;
    throw std::invalid_argument(tensor + " has " + std::to_string(boxes) + " boxes; expected " +
                                std::to_string(anchors) + ", the anchors in an image of image_size, " +
                                std::to_string(imageSize[1]) + " x " + std::to_string(imageSize[2]));
}

void checkOneOrMore(char const* field, int32_t value) {
    if (value < 1) throw std::invalid_argument(field + (" has to be given, 1 or more; found " + std::to_string(value)));
}

void checkNotNegative(char const* field, float value) {
    if (!(value >= 0 && std::isfinite(value)))
        throw std::invalid_argument(field + (" has to be finite, 0 or more; found " + std::to_string(value)));
}

} // namespace tenon::plugins
