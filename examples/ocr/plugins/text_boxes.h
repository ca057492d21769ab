// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "box_rules.h"

#include <cstdint>
#include <vector>

namespace ocr {

// Finds the boxes of text in a map. Its memory is kept from call to call, so one object serves one thread.
class TextBoxFinder {
public:
    explicit TextBoxFinder(BoxRules const& rules) : rules_(rules) {}

    BoxRules const& rules() const { return rules_; }
    BoxRules& rules() { return rules_; }

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
    std::vector<Span> outline_;
    std::vector<TextBox> boxes_;
};

} // namespace ocr
