// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Region_TRT: the last layer of YOLO version 2 (Redmon and Farhadi, "YOLO9000: Better, Faster, Stronger"). Each of
// `num` boxes at a position has the channels x, y, w, h, objectness and one for each class: x, y and the objectness go
// through the sigmoid, the classes through softmax, all together or, as in that paper's word tree, per group.
#include "layers.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>

namespace tenon::plugins {
namespace {

class Region final : public LayeredPlugin {
public:
    void fields(FieldVisitor& visit) override {
        visit("num", num_);
        visit("coords", coords_);
        visit("classes", classes_);
        visit("smTree", groups_);
    }

    void check() const override {
        if (num_ < 1) throw std::invalid_argument("num has to be given, 1 or more; found " + std::to_string(num_));
        if (coords_ != kCoords)
            throw std::invalid_argument("coords has to be 4, x, y, w and h; found " + std::to_string(coords_));
        if (classes_ < 1)
            throw std::invalid_argument("classes has to be given, 1 or more; found " + std::to_string(classes_));
        checkGroups();
    }

    Signature signature() const override {
        return Signature().input("input", "[N,C,H,W]").output("output", "[N,C,H,W]");
    }

    void checkInputs(KnownShapes inputs) const override {
        int64_t const channels = inputs[0].d[1], expected = num_ * channelsOfABox();
        if (channels >= 0 && channels != expected)
            throw std::invalid_argument("the input has " + std::to_string(channels) + " channels; expected " +
                                        std::to_string(expected) + ", num * (coords + 1 + classes)");
    }

    std::vector<Value> layers(Layers& in, std::vector<Value> const& inputs) override {
        Value const& x = inputs[0];
        Value const boxes = in.integers({num_, channelsOfABox()});
        Value const box = reshape(x, concatenate({extents(x, 0, 1), boxes, extents(x, 2, 4)}, 0));
        auto const sigmoid = [&](int64_t first, int64_t channels) {
            return activation(part(box, kChannels, first, channels), nvinfer1::ActivationType::kSIGMOID);
        };
        Value const size = part(box, kChannels, 2, 2), classes = part(box, kChannels, kCoords + 1, classes_);
        Value const all =
            concatenate({sigmoid(0, 2), size, sigmoid(kCoords, 1), softmaxOfGroups(in, classes)}, kChannels);
        return {reshape(all, shapeOf(x))};
    }

private:
    static constexpr int32_t kCoords = 4;
    static constexpr int32_t kChannels = 2; // an axis, if boxes have one of their own

    int64_t channelsOfABox() const { return int64_t{coords_} + 1 + classes_; }

    void checkGroups() const {
        if (groups_.empty()) return;
        if (std::ranges::any_of(groups_, [](int32_t size) { return size < 1; }))
            throw std::invalid_argument("smTree has to be the sizes of the groups of classes, each 1 or more");
        int64_t const all = std::accumulate(groups_.begin(), groups_.end(), int64_t{0});
        if (all != classes_)
            throw std::invalid_argument("smTree has to be the sizes of the groups of classes, " +
                                        std::to_string(classes_) + " classes together; found " + std::to_string(all));
    }

    // Of classes [N,num,classes,H,W]. All groups of a size go through one softmax; they are gathered if not adjacent.
    Value softmaxOfGroups(Layers& in, Value const& classes) const {
        if (groups_.empty()) return softmax(classes, kChannels);
        std::map<int32_t, std::vector<int64_t>> bySize;
        int64_t first = 0;
        for (int32_t size : groups_) {
            for (int64_t i = 0; i < size; ++i) bySize[size].push_back(first + i);
            first += size;
        }
        std::vector<int64_t> order;
        for (auto const& [size, members] : bySize) order.insert(order.end(), members.begin(), members.end());
        std::vector<int64_t> places(order.size());
        for (size_t i = 0; i < order.size(); ++i) places[size_t(order[i])] = int64_t(i);
        bool const isInOrder = std::ranges::is_sorted(order);

        Value const sorted = isInOrder ? classes : gather(classes, in.integers(order), kChannels);
        std::vector<Value> parts;
        first = 0;
        for (auto const& [size, members] : bySize) {
            auto const count = int64_t(members.size());
            parts.push_back(softmaxOfSize(in, part(sorted, kChannels, first, count), size, count / size));
            first += count;
        }
        Value const all = concatenate(parts, kChannels);
        return isInOrder ? all : gather(all, in.integers(places), kChannels);
    }

    // Of `groups` adjacent groups of `size` classes each.
    static Value softmaxOfSize(Layers& in, Value const& x, int64_t size, int64_t groups) {
        Value const grouped = in.integers({groups, size});
        Value const shape = concatenate({extents(x, 0, kChannels), grouped, extents(x, kChannels + 1, x.rank())}, 0);
        return reshape(softmax(reshape(x, shape), kChannels + 1), shapeOf(x));
    }

    int32_t num_ = 0;
    int32_t coords_ = kCoords;
    int32_t classes_ = 0;
    std::vector<int32_t> groups_;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<Region>("Region_TRT", "1", PluginGeneration::kV2DynamicExt, "from 5.1")};

} // namespace

std::span<StandardPlugin const> regionPlugins() { return kDefinitions; }

} // namespace tenon::plugins
