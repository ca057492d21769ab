// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "graph/format.h"

#include "base/text.h"

namespace tenon {

void append(std::string& to, Format const& format) {
    if (format.isLinear()) return append(to, "linear");
    to += format.channelsLast ? "nhwc" : "nchw";
    if (format.block != 1) to += text(format.block, 'c');
}

void append(std::string& to, Label const& label) {
    append(to, label.type);
    if (label.scale != 0) to += text("*", double{label.scale});
    if (label.zero != 0) to += text("@", label.zero);
    to += text(' ', label.format, ' ', label.device);
}

bool sameBytes(Label const& a, Label const& b) { return sameElements(a, b) && a.format == b.format; }

int64_t paddedVolume(Dims const& dims, Format const& format) {
    if (format.block == 1) return dims.volume();
    Dims padded = dims;
    int64_t& channels = padded[format.axis];
    channels = (channels + format.block - 1) / format.block * format.block;
    return padded.volume();
}

int64_t offsetOf(Dims const& index, Dims const& dims, Format const& format) {
    int const channelAxis = format.isLinear() ? -1 : format.axis;
    int64_t const block = format.block;
    int64_t const channelBlocks = format.isLinear() ? 0 : (dims[channelAxis] + block - 1) / block;
    int64_t offset = 0;
    for (int axis = 0; axis < dims.rank(); ++axis) {
        if (axis != channelAxis) {
            offset = offset * dims[axis] + index[axis];
        } else if (!format.channelsLast) {
            offset = offset * channelBlocks + index[axis] / block;
        }
    }
    if (channelAxis < 0) return offset;
    int64_t const innermost = format.channelsLast ? channelBlocks * block : block;
    return offset * innermost + (format.channelsLast ? index[channelAxis] : index[channelAxis] % block);
}

size_t bytesOf(Dims const& dims, Label const& label) { return bytesOf(label.type, paddedVolume(dims, label.format)); }

} // namespace tenon
