// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu_nms.h"

#include <stdexcept>

namespace tenon::plugins {
namespace {

// Lays out parts one behind the other.
class Layout {
public:
    explicit Layout(void* first) : first_(static_cast<char*>(first)) {}

    template <typename T> T* next(int64_t count) {
        size_t bytes = 0;
        size_t const start = end_;
        if (__builtin_mul_overflow(size_t(count), sizeof(T), &bytes) ||
            __builtin_add_overflow((bytes + kAlignment - 1) / kAlignment * kAlignment, start, &end_))
            throw std::invalid_argument("there are more scores than there is memory for");
        return reinterpret_cast<T*>(first_ + start);
    }
    size_t bytes() const { return end_; }

private:
    static constexpr size_t kAlignment = 16;

    char* first_;
    size_t end_ = 0;
};

GpuLists laidOut(NmsRules const& rules, NmsExtents const& extents, Layout& layout) {
    expectCountable(extents.boxes, extents.classes);
    if (rules.classesCompete && rules.candidates < extents.boxes)
        throw std::logic_error("where classes compete, a GPU takes all candidates");
    GpuLists lists{};
    lists.extents = extents;
    lists.ofPicture = rules.classesCompete ? 1 : extents.classes;
    lists.room = rules.classesCompete ? extents.boxes * extents.classes : extents.boxes;
    lists.rules = rules;
    int64_t count = 0, room = 0;
    if (__builtin_mul_overflow(extents.pictures, lists.ofPicture, &count) ||
        __builtin_mul_overflow(count, lists.room, &room) || count > std::numeric_limits<int32_t>::max())
        throw std::invalid_argument("there are more scores than there is memory for");
    bool const canBeLong = lists.room > kSurelyShort;
    int64_t const groups = canBeLong ? std::min(count, kMostBlocksOfLongLists) : 0;
    lists.found = layout.next<int32_t>(count);
    lists.kept = layout.next<int32_t>(count);
    lists.longCount = layout.next<int32_t>(1);
    lists.partCount = layout.next<int32_t>(1);
    lists.arrivals = layout.next<int32_t>(1 + groups);
    lists.longLists = layout.next<GpuLists::Long>(canBeLong ? count : 0);
    lists.parts = layout.next<int32_t>(canBeLong ? count * ((lists.room + kPartOfRun - 1) / kPartOfRun) : 0);
    lists.keys = layout.next<GpuLists::Key>(room);
    lists.sorted = layout.next<GpuLists::Key>(canBeLong ? room : 0);
    lists.tiles = layout.next<uint32_t>(groups * kTileWords);
    return lists;
}

} // namespace

GpuLists gpuLists(NmsRules const& rules, NmsExtents const& extents, void* workspace) {
    Layout layout(workspace);
    return laidOut(rules, extents, layout);
}

size_t gpuNmsWorkspace(NmsRules const& rules, NmsExtents const& extents) {
    Layout layout(nullptr);
    laidOut(rules, extents, layout);
    return layout.bytes();
}

} // namespace tenon::plugins
