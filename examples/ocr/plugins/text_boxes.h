// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "geometry.h"

#include <cstdint>
#include <vector>

namespace ocr {

// What "differentiable binarization" text detectors need to turn their map into boxes. The map marks a shrunken core of
// each line of text, so a core's rectangle is grown by `unclipRatio` * area / perimeter.
struct BoxRules {
    float threshold = 0.3F;       // a pixel belongs to text above this probability
    float boxThreshold = 0.5F;    // a box is kept from this mean probability on
    float unclipRatio = 1.6F;     // how far a core grows
    int32_t maxCandidates = 1000; // cores looked at, from the top of the map
    int32_t useDilation = 1;      // non-zero: each text pixel also covers its right, lower and lower right neighbour

    // Calls visit(name, value) for each rule; see fields.h.
    template <typename Rules, typename Visitor> static void eachField(Rules& rules, Visitor visit) {
        visit("thresh", rules.threshold);
        visit("box_thresh", rules.boxThreshold);
        visit("unclip_ratio", rules.unclipRatio);
        visit("max_candidates", rules.maxCandidates);
        visit("use_dilation", rules.useDilation);
    }
};

struct ProbabilityMap {
    float const* values; // height rows of width values
    int32_t height;
    int32_t width;
};

struct TextBox {
    Quad corners; // in pixels of the map; may reach a little beyond its edge
    float score;  // mean probability inside the core, 0 to 1
};

// Finds the boxes of text in a map. Its memory is kept from call to call, so one object serves one thread.
class TextBoxFinder {
public:
    explicit TextBoxFinder(BoxRules const& rules) : rules_(rules) {}

    BoxRules const& rules() const { return rules_; }

    // From top to bottom by the first row of each core. Valid until the next call.
    std::vector<TextBox> const& find(ProbabilityMap map);

private:
    // Text pixels [first, last] of one row. `parent` leads to the first run of the same core.
    struct Run {
        int32_t row, first, last;
        uint32_t parent;
    };

    void findRuns(ProbabilityMap map);
    void joinRuns();
    uint32_t rootOf(uint32_t run);
    void sortRunsByCore();
    void addBox(ProbabilityMap map, Run const* begin, Run const* end);

    BoxRules rules_;
    std::vector<uint8_t> isText_;
    std::vector<Run> runs_;
    std::vector<Point> outline_;
    std::vector<TextBox> boxes_;
};

} // namespace ocr
