// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Inline functions and templates over types of the API, whose copies in several libraries the linker merges: each level
// must get its own.
#ifndef ONE_ABI_INLINES_H
#define ONE_ABI_INLINES_H

#include "notes.h"

namespace {

/// Puts two values into a vector, lets it grow, and checks that the second has its original length.
template <typename T> bool survivesInVector(T value, int32_t& count) {
    std::vector<T> all;
    for (count = 10; count < 50; ++count) {
        all.push_back(value);
    }
    all.resize(60);
    int32_t const& last = count;
    return all.size() == 60 && text(all[39]) == text(value) && last == 50;
}

/// The error of this library's copies; empty if there is none.
inline std::string inlineFaults() {
    std::string faults;
    int32_t const types = TENON_LEVEL >= 10 ? 12 : TENON_LEVEL >= 8 ? 9 : 5;
    if (EnumMax<DataType>() != types) faults += " EnumMax=" + text(EnumMax<DataType>());
    if (NV_TENSORRT_VERSION != versionOf(TENON_LEVEL)) faults += " NV_TENSORRT_VERSION";
    if (getInferLibVersion() != versionOf(TENON_LEVEL)) faults += " getInferLibVersion=" + text(getInferLibVersion());

    Dims const shape = Dims4(2, 3, 4, 5);
    if (text(shape) != "[2,3,4,5]") faults += " Dims4=" + text(shape);
    Dims4 const empty;
    if (text(static_cast<Dims const&>(empty)) != "[0,0,0,0]") faults += " Dims4()";
    DimsHW hw(7, 9);
    hw.h() += hw.w();
    if (text(static_cast<Dims const&>(hw)) != "[16,9]") faults += " DimsHW";

    PluginTensorDesc desc = {shape, DataType::kINT8, TensorFormat::kCHW4, 0.5F};
    DynamicPluginTensorDesc range = DynamicPluginTensorDesc();
    range.desc = desc;
    range.max = shape;
    int32_t behind = 0;
    if (!survivesInVector(shape, behind)) faults += " vector<Dims>";
    if (!survivesInVector(desc, behind)) faults += " vector<PluginTensorDesc>";
    if (!survivesInVector(range, behind)) faults += " vector<DynamicPluginTensorDesc>";
    if (std::vector<DimsHW>(5, hw).back().w() != 9) faults += " vector<DimsHW>";
#if TENON_LEVEL == 7
    Dims const typed = DimsCHW(1, 2, 3);
    if (typed.type[0] != DimensionType::kCHANNEL || typed.type[2] != DimensionType::kSPATIAL) faults += " DimsCHW";
    Dims const listed = {2, {1, 2}, {DimensionType::kCHANNEL, DimensionType::kSPATIAL}};
    if (std::vector<Dims>(3, listed).back().type[0] != DimensionType::kCHANNEL) faults += " Dims::type";
#endif
    return faults;
}

} // namespace

#endif
