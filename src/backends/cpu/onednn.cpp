// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/onednn.h"

#include "base/error.h"

namespace tenon::cpu {
namespace {

using Tag = dnnl::memory::format_tag;

Tag blockedTag(int rank, int block) {
    if (block == 8) return rank == 3 ? Tag::aBc8b : rank == 4 ? Tag::aBcd8b : rank == 5 ? Tag::aBcde8b : Tag::undef;
    if (block == 16) return rank == 3 ? Tag::aBc16b : rank == 4 ? Tag::aBcd16b : rank == 5 ? Tag::aBcde16b : Tag::undef;
    return Tag::undef;
}

} // namespace

dnnl::engine const& dnnlEngine() {
    static dnnl::engine const engine(dnnl::engine::kind::cpu, 0);
    return engine;
}

dnnl::memory::dims toDnnl(Dims const& dims) { return {dims.begin(), dims.end()}; }

dnnl::memory::data_type toDnnl(DataType type) {
    switch (type) {
    case DataType::Float32: return dnnl::memory::data_type::f32;
    case DataType::Float16: return dnnl::memory::data_type::f16;
    case DataType::BFloat16: return dnnl::memory::data_type::bf16;
    case DataType::Int8: return dnnl::memory::data_type::s8;
    case DataType::UInt8: return dnnl::memory::data_type::u8;
    case DataType::Int32: return dnnl::memory::data_type::s32;
    case DataType::Float8:
    case DataType::Int4:
    case DataType::Float4:
    case DataType::E8M0:
    case DataType::Int64:
    case DataType::Bool: break;
    }
    fail(ErrorCode::Unsupported, "oneDNN does not support ", type);
}

dnnl::primitive_attr userScratchpad() {
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    return attributes;
}

dnnl::memory::desc listOf(int64_t count) {
    return {{count}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::a};
}

dnnl::memory::desc describe(Dims const& dims, Label const& label) {
    if (dims.rank() == 0) return describe({1}, label);
    if (label.format.block != 1 && !label.format.channelsLast) {
        Tag const tag = blockedTag(dims.rank(), label.format.block);
        if (tag == Tag::undef || label.format.axis != 1)
            fail(ErrorCode::Internal, "oneDNN has no descriptor for ", dims, ' ', label);
        return {toDnnl(dims), toDnnl(label.type), tag};
    }
    Dims order = dims; // in memory order
    if (label.format.channelsLast) {
        order = {dims[0]};
        for (int axis = 2; axis < dims.rank(); ++axis) order.push(dims[axis]);
        order.push((dims[1] + label.format.block - 1) / label.format.block * label.format.block);
    }
    Dims const dense = rowMajorStrides(order);
    Dims strides = dense;
    if (label.format.channelsLast) {
        for (int axis = 2; axis < dims.rank(); ++axis) strides[axis] = dense[axis - 1];
        strides[1] = 1;
    }
    return {toDnnl(dims), toDnnl(label.type), toDnnl(strides)};
}

dnnl::primitive makePrimitive(dnnl::primitive_desc_base const& description) {
    try {
        return dnnl::primitive(description.get());
    } catch (std::bad_alloc const&) {
        int const capacity = dnnl::get_primitive_cache_capacity();
        dnnl::set_primitive_cache_capacity(0);
        dnnl::set_primitive_cache_capacity(capacity);
        throw;
    }
}

std::string dnnlPackKey() {
    dnnl_version_t const* version = dnnl_version();
    return text("oneDNN ", version->major, '.', version->minor, '.', version->patch, " isa ",
                static_cast<int>(dnnl::get_effective_cpu_isa()));
}

dnnl::matmul::primitive_desc describeMatmul(dnnl::memory::desc const& a, dnnl::memory::desc const& b,
                                            dnnl::memory::desc const& bias, dnnl::memory::desc const& y,
                                            dnnl::primitive_attr const& attributes) {
#if DNNL_VERSION_MAJOR >= 3
    return {dnnlEngine(), a, b, bias, y, attributes};
#else
    return {{a, b, bias, y}, attributes, dnnlEngine()};
#endif
}

} // namespace tenon::cpu
