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

void append(std::string& to, Device device) { to += device == Device::Cpu ? "cpu" : "cuda"; }

void append(std::string& to, Label const& label) { to += text(label.type, ' ', label.format, ' ', label.device); }

int64_t paddedVolume(Dims const& dims, Format const& format) {
    if (format.block == 1) return dims.volume();
    Dims padded = dims;
    int64_t& channels = padded[format.axis];
    channels = (channels + format.block - 1) / format.block * format.block;
    return padded.volume();
}

size_t bytesOf(Dims const& dims, Label const& label) { return bytesOf(label.type, paddedVolume(dims, label.format)); }

} // namespace tenon
