// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/data_type.h"
#include "base/dims.h"
#include "graph/device.h"
#include "graph/dim_expr.h"

#include <string>

namespace tenon {

class Fields;

/// How the elements of a tensor [N,C,…] are stored: the axes in order or with the channels last, and the channel axis
/// cut into blocks (the last one padded with zeros). `axis` is the channel axis if there is one.
///   linear  [N,C,H,W]            nhwc [N,H,W,C]
///   blocked [N,C/b,H,W,b]        nhwc with block b: [N,H,W,C rounded up to b]
struct Format {
    bool channelsLast = false;
    int8_t axis = 1;
    int16_t block = 1;

    static Format linear() { return {}; }
    static Format nhwc(int block = 1) { return {true, 1, static_cast<int16_t>(block)}; }
    static Format blocked(int block) { return {false, 1, static_cast<int16_t>(block)}; }

    bool isLinear() const { return !channelsLast && block == 1; }
    friend bool operator==(Format const& a, Format const& b) {
        return a.channelsLast == b.channelsLast && a.block == b.block && (a.isLinear() || a.axis == b.axis);
    }
};

void append(std::string& to, Format const& format);

/// The 8-bit integers that a float32 tensor may be stored in: value = scale · (integer - zero).
struct Quantum {
    float scale = 0; // 0: none
    int32_t zero = 0;
    DataType type = DataType::Int8; // or UInt8
    bool isExact = false;           // readers of the tensor see the same values, so no flag has to allow these integers

    bool isSymmetric() const { return type == DataType::Int8 && zero == 0; }
    /// The same integers.
    bool isLike(Quantum const& other) const { return scale == other.scale && zero == other.zero && type == other.type; }
};

/// The properties that both ends of an edge agree on. A copy between devices is a reformat like any other.
struct Label {
    DataType type = DataType::Float32;
    Format format;
    Device device = Device::Cpu;
    float scale = 0;  // of a tensor stored in another type than its own: value = scale · (number - zero); else 0
    int32_t zero = 0; //

    /// Of a tensor that is stored in these integers.
    static Label of(Quantum const& quantum, Format const& format, Device device) {
        return {quantum.type, format, device, quantum.scale, quantum.zero};
    }
    /// A field out of range is an Error.
    void fields(Fields& f);
    friend bool operator==(Label const&, Label const&) = default;
};

void append(std::string& to, Label const& label); // float32 nchw16c cpu

/// The elements have the same type and scale in both, in any order.
inline bool sameElements(Label const& a, Label const& b) {
    return a.type == b.type && a.scale == b.scale && a.zero == b.zero;
}

/// The same bytes mean the same elements of a tensor of this shape in both, on any device. Examples: one pixel, linear
/// and channels last; a multiple of 8 channels, channels last, padded to a multiple of 8 or not.
bool sameBytes(Label const& a, Label const& b, Shape const& shape);

/// Number of elements in memory, padding included.
int64_t paddedVolume(Dims const& dims, Format const& format);
/// Offset, in elements from the start, of the element at `index`.
int64_t offsetOf(Dims const& index, Dims const& dims, Format const& format);
size_t bytesOf(Dims const& dims, Label const& label);

} // namespace tenon
