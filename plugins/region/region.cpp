// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Region_TRT: the last layer of YOLO version 2 (Redmon and Farhadi, "YOLO9000: Better, Faster, Stronger"). Each of
// `num` boxes at a place has the channels x, y, w, h, objectness and one for each class: x, y and the objectness go
// through the sigmoid, the classes through softmax, all together or, as in that paper's word tree, group by group.
#include "plugin.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace tenon::plugins {
namespace {

class Region final : public PluginBase {
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

    void run(Tensors inputs, Tensors outputs) override {
        Tensor const& x = inputs[0];
        int64_t const plane = x[2] * x[3], boxes = x[0] * num_, box = channelsOfABox() * plane;
        for (int64_t i = 0; i < boxes; ++i) activate(x.floats() + i * box, plane, outputs[0].floats() + i * box);
    }

private:
    static constexpr int32_t kCoords = 4;

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

    // One box at all places, channel by channel.
    void activate(float const* x, int64_t plane, float* y) const {
        auto const sigmoid = [](float value) { return 1 / (1 + std::exp(-value)); };
        float const *const size = x + 2 * plane, *const objectness = x + kCoords * plane;
        float const* classes = objectness + plane;
        y = std::transform(x, size, y, sigmoid);
        y = std::copy(size, objectness, y);
        y = std::transform(objectness, classes, y, sigmoid);
        if (groups_.empty()) return softmax(classes, classes_, plane, y);
        for (int32_t group : groups_) {
            softmax(classes, group, plane, y);
            classes += group * plane;
            y += group * plane;
        }
    }

    // Over the channels of [channels,plane].
    static void softmax(float const* x, int64_t channels, int64_t plane, float* y) {
        for (int64_t place = 0; place < plane; ++place) {
            float most = x[place], sum = 0;
            for (int64_t i = 1; i < channels; ++i) most = std::max(most, x[i * plane + place]);
            for (int64_t i = 0; i < channels; ++i) sum += y[i * plane + place] = std::exp(x[i * plane + place] - most);
            for (int64_t i = 0; i < channels; ++i) y[i * plane + place] /= sum;
        }
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
