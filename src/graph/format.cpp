// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "graph/format.h"

#include "base/error.h"
#include "base/text.h"
#include "graph/fields.h"

#include <cmath>
#include <optional>
#include <vector>

namespace tenon {
namespace {

void visitDevice(Fields& f, Device& device) {
    std::string name(device.name());
    f("device", name);
    if (!Device::isName(name))
        fail(ErrorCode::InvalidPlan, "field device is \"", name, "\"; expected the name of a device: 1 to ",
             Device::kMostCharacters, " characters of a-z, 0-9 and _");
    device = Device(name);
}

void visitScale(Fields& f, float& scale) {
    double number = scale;
    f("scale", number);
    scale = static_cast<float>(number);
    if (!(scale > 0) || !std::isfinite(scale))
        fail(ErrorCode::InvalidPlan, "field scale is ", number, "; expected a number above 0");
}

} // namespace

void Label::fields(Fields& f) {
    f("type", type);
    visitDevice(f, device);
    if (f.visits("scale", scale != 0)) visitScale(f, scale);
    if (f.visits("zero", zero != 0)) visitWithin(f, "zero", zero, -128, 255);
    if (!f.visits("block", !format.isLinear())) return;
    if (f.visits("channels_last", true)) f("channels_last", format.channelsLast);
    visitWithin(f, "axis", format.axis, 0, Dims::kMaxRank - 1);
    visitWithin(f, "block", format.block, 1, 1024);
}

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

namespace {

/// Elements of one axis that are contiguous or strided, from the outermost to the innermost.
struct Stretch {
    enum Part : int8_t { Whole, Blocks, InBlock };
    int axis;
    Part part = Whole;
    int16_t block = 1; // unless Whole

    friend bool operator==(Stretch const&, Stretch const&) = default;
};

/// The memory order of a tensor, without axes of one element; none if there is padding, or may be.
std::optional<std::vector<Stretch>> stretchesOf(Shape const& shape, Format const& format) {
    int const channels = format.isLinear() ? -1 : format.axis;
    int64_t const count = format.block == 1 ? 0 : shape[static_cast<size_t>(channels)].constantOr(-1);
    if (count % format.block != 0) return {};
    bool const isCut = !format.channelsLast && format.block > 1 && count != format.block;
    std::vector<Stretch> all;
    auto const add = [&](int axis, Stretch::Part part) {
        if (shape[static_cast<size_t>(axis)].constantOr(-1) == 1) return;
        Stretch const blocks{axis, Stretch::Blocks, format.block};
        if (part == Stretch::InBlock && !all.empty() && all.back() == blocks)
            all.back() = {axis};
        else
            all.push_back(part == Stretch::Whole ? Stretch{axis} : Stretch{axis, part, format.block});
    };
    for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis) {
        if (axis != channels) add(axis, Stretch::Whole);
        if (axis == channels && isCut) add(axis, Stretch::Blocks);
    }
    if (channels >= 0) add(channels, isCut ? Stretch::InBlock : Stretch::Whole);
    return all;
}

} // namespace

bool sameBytes(Label const& a, Label const& b, Shape const& shape) {
    if (!sameElements(a, b) || a.format == b.format) return sameElements(a, b);
    auto const order = stretchesOf(shape, a.format);
    return order && order == stretchesOf(shape, b.format);
}

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
