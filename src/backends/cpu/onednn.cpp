// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/onednn.h"

#include "base/error.h"

#include <algorithm>

namespace tenon::cpu {
namespace {

/// Memory objects are made once; each run only points them at the tensors, and only where a pointer has changed
/// (oneDNN zeroes the padding of blocked tensors whenever it is told a new address).
class DnnlExecutable final : public Executable {
public:
    DnnlExecutable(dnnl::primitive const& primitive, dnnl::memory::desc const& scratchpad,
                   std::vector<DnnlArgument> const& arguments, std::shared_ptr<Packed const> packed)
        : primitive_(primitive), stream_(dnnlEngine()), packed_(std::move(packed)), workspace_(scratchpad.get_size()) {
        for (DnnlArgument const& argument : arguments) {
            void* fixed = argument.source == DnnlArgument::Source::Packed ? packedAt(argument.index) : nullptr;
            add(argument.argument, argument.desc, fixed);
            if (argument.source != DnnlArgument::Source::Packed)
                bindings_.push_back({argument.source, argument.index, nullptr, memories_.size() - 1});
        }
        add(DNNL_ARG_SCRATCHPAD, scratchpad, nullptr);
        for (size_t i = 0; i < memories_.size(); ++i) handles_.push_back({numbers_[i], memories_[i].get()});
    }

    size_t workspaceBytes() const override { return workspace_; }

    void run(Pointers const& pointers) override {
        for (Binding& binding : bindings_) {
            void* const data = binding.source == DnnlArgument::Source::Input
                                   ? const_cast<void*>(pointers.inputs[binding.index])
                                   : pointers.outputs[binding.index];
            if (data != binding.bound) memories_[binding.memory].set_data_handle(data, stream_);
            binding.bound = data;
        }
        if (pointers.workspace != boundWorkspace_) memories_.back().set_data_handle(pointers.workspace, stream_);
        boundWorkspace_ = pointers.workspace;
        auto const status =
            dnnl_primitive_execute(primitive_.get(), stream_.get(), static_cast<int>(handles_.size()), handles_.data());
        if (status != dnnl_success) fail(ErrorCode::Internal, "oneDNN failed with status ", static_cast<int>(status));
    }

private:
    struct Binding {
        DnnlArgument::Source source;
        int index;
        void* bound;
        size_t memory;
    };

    void add(int number, dnnl::memory::desc const& desc, void* data) {
        memories_.emplace_back(desc, dnnlEngine(), data == nullptr ? DNNL_MEMORY_NONE : data);
        numbers_.push_back(number);
    }
    void* packedAt(int offset) { return const_cast<std::byte*>(packed_->bytes.data() + offset); }

    dnnl::primitive primitive_;
    dnnl::stream stream_;
    std::shared_ptr<Packed const> packed_;
    size_t workspace_;
    std::vector<dnnl::memory> memories_;
    std::vector<int> numbers_;
    std::vector<Binding> bindings_;
    std::vector<dnnl_exec_arg_t> handles_;
    void* boundWorkspace_ = nullptr;
};

/// Strides of a tensor in one of our formats, and the block that oneDNN calls inner.
dnnl::memory::desc blockedDesc(Dims const& dims, Label const& label) {
    int const block = label.format.block;
    int const axis = label.format.axis;
    Dims outer = dims;
    outer[axis] = (dims[axis] + block - 1) / block;
    dnnl_memory_desc_t raw{};
    auto const extents = toDnnl(dims);
    Dims strides = rowMajorStrides(outer);
    for (int64_t& stride : strides) stride *= block;
    if (dnnl_memory_desc_init_by_strides(&raw, dims.rank(), extents.data(),
                                         static_cast<dnnl_data_type_t>(toDnnl(label.type)), nullptr) != dnnl_success)
        fail(ErrorCode::Internal, "oneDNN has no description for ", dims, ' ', label);
    std::ranges::copy(strides, raw.format_desc.blocking.strides);
    raw.format_desc.blocking.inner_nblks = 1;
    raw.format_desc.blocking.inner_blks[0] = block;
    raw.format_desc.blocking.inner_idxs[0] = axis;
    raw.padded_dims[axis] = outer[axis] * block;
    return dnnl::memory::desc(raw);
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
    case DataType::Int64:
    case DataType::Bool: break;
    }
    fail(ErrorCode::Unsupported, "oneDNN does not compute with ", type);
}

dnnl::primitive_attr userScratchpad() {
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    return attributes;
}

dnnl::memory::desc describe(Dims const& dims, Label const& label) {
    if (dims.rank() == 0) return describe({1}, label);
    if (label.format.block != 1 && !label.format.channelsLast) return blockedDesc(dims, label);
    Dims order = dims; // as it lies in memory
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

std::unique_ptr<Executable> makeDnnlExecutable(dnnl::primitive const& primitive, dnnl::memory::desc const& scratchpad,
                                               std::vector<DnnlArgument> const& arguments,
                                               std::shared_ptr<Packed const> packed) {
    return std::make_unique<DnnlExecutable>(primitive, scratchpad, arguments, std::move(packed));
}

std::unique_ptr<Executable> makeSoftmax(DnnlSoftmax const& softmax) {
#if DNNL_VERSION_MAJOR >= 3
    auto const algorithm = softmax.log ? dnnl::algorithm::softmax_log : dnnl::algorithm::softmax_accurate;
    dnnl::softmax_forward::primitive_desc const made(dnnlEngine(), dnnl::prop_kind::forward_inference, algorithm,
                                                     softmax.source, softmax.target, softmax.axis, userScratchpad());
#else
    auto const algorithm = softmax.log ? dnnl::algorithm::softmax_log : dnnl::algorithm::softmax_accurate;
    dnnl::softmax_v2_forward::primitive_desc const made(
        {dnnl::prop_kind::forward_inference, algorithm, softmax.source, softmax.target, softmax.axis}, userScratchpad(),
        dnnlEngine());
#endif
    using Source = DnnlArgument::Source;
    return makeDnnlExecutable(
        dnnl::primitive(made.get()), made.scratchpad_desc(),
        {{DNNL_ARG_SRC, Source::Input, 0, softmax.source}, {DNNL_ARG_DST, Source::Output, 0, softmax.target}});
}

} // namespace tenon::cpu
