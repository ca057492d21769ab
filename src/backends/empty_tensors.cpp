// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/empty_tensors.h"

#include "backends/backend.h"
#include "base/error.h"
#include "graph/reformat.h"

#include <algorithm>

namespace tenon {
namespace {

bool isEmpty(Dims const& dims) { return std::ranges::count(dims.span(), 0) != 0; }

class Nothing final : public Executable {
public:
    void run(Pointers const&) override {}
};

/// A tensor in the form of the layer's reference, dense in host memory, and in the form of the kernel: possibly of
/// another type, format or device.
class Port {
public:
    Port() = default;
    Port(Tensor const& tensor, Dims const& dims, Label const& label)
        : label_(label), device_(&backendOf(label.device)), plain_{tensor.type, Format::linear(), Device::Cpu} {
        inHost_ = label;
        inHost_.device = Device::Cpu;
        host = {tensor.type, dims, nullptr};
    }

    HostTensor host; // with the reference's data

    bool isThere() const { return device_ != nullptr; }
    bool isInHost() const { return label_.device == Device::Cpu; }
    Backend const& device() const { return *device_; }

    /// Sets constant elements for all runs.
    void fix(void const* elements) { host.data = const_cast<void*>(elements), fixed_ = true; }
    bool isFixed() const { return fixed_; }

    /// Reserves memory; the tensor is read or written in each run.
    void makeRoom() {
        if (!isPlain()) dense_ = allocateHost(host.bytes());
        if (!isInHost()) staging_ = device_->allocateStaging(bytes());
    }
    void startFetching(void const* from, void* stream) const {
        if (!isInHost()) device_->copy(staging_.get(), from, bytes(), stream);
    }
    void fetched(void const* from) {
        void const* const labelled = isInHost() ? from : staging_.get();
        if (!isPlain()) reformat(host.dims, inHost_, labelled, plain_, dense_.get());
        host.data = isPlain() ? const_cast<void*>(labelled) : dense_.get();
    }

    /// Sets where the reference writes elements that are finally stored at `to`.
    void aim(void* to) { host.data = !isPlain() ? dense_.get() : isInHost() ? to : staging_.get(); }
    void deliver(void* to, void* stream) const {
        void* const labelled = isInHost() ? to : staging_.get();
        if (!isPlain()) reformat(host.dims, plain_, host.data, inHost_, labelled);
        if (!isInHost()) device_->copy(to, labelled, bytes(), stream);
    }

    size_t bytes() const { return bytesOf(host.dims, label_); }

private:
    bool isPlain() const { return inHost_ == plain_; }

    Label label_;
    Label inHost_;
    Backend const* device_ = nullptr;
    Label plain_;
    bool fixed_ = false;
    std::shared_ptr<void> dense_;
    std::shared_ptr<void> staging_;
};

std::vector<Port> portsOf(std::vector<Tensor*> const& tensors, std::span<Dims const> dims,
                          std::vector<Label> const& labels) {
    std::vector<Port> ports(tensors.size());
    for (size_t i = 0; i < tensors.size(); ++i) {
        if (tensors[i] != nullptr) ports[i] = Port(*tensors[i], dims[i], labels[i]);
    }
    return ports;
}

/// The layer's reference, for the types, formats and device of any kernel.
class ByReference : public Executable {
public:
    explicit ByReference(PrepareArgs const& args)
        : layer_(*args.node.layer), inputs_(portsOf(args.node.inputs(), args.inputs, args.variant.inputs)),
          outputs_(portsOf(args.node.outputs(), args.outputs, args.variant.outputs)) {
        for (size_t i = 0; i < inputs_.size(); ++i) {
            if (!inputs_[i].isThere()) continue;
            Literal const* literal = args.node.inputs()[i]->literal();
            if (literal != nullptr || isEmpty(args.inputs[i]))
                inputs_[i].fix(literal ? literal->data() : &nothing_);
            else
                inputs_[i].makeRoom();
        }
        for (Port& output : outputs_) output.makeRoom();
        in_.resize(inputs_.size());
        out_.resize(outputs_.size());
    }

    bool dependsOnConstantsOnly() const {
        return std::ranges::all_of(inputs_, [](Port const& port) { return !port.isThere() || port.isFixed(); });
    }
    bool waits() const override { return onDevice() != nullptr; }

    void run(Pointers const& pointers) override {
        if (Port const* port = onDevice()) {
            if (port->device().isBeingRecorded(pointers.stream))
                fail(ErrorCode::Unsupported,
                     "has empty and nonempty tensors, so the host "
                     "computes it, which a recording of the stream (a CUDA graph) cannot contain");
            for (size_t i = 0; i < inputs_.size(); ++i) {
                if (isFed(i)) inputs_[i].startFetching(pointers.inputs[i], pointers.stream);
            }
            port->device().synchronize(pointers.stream); // the outputs of the previous run have left the staging memory
        }
        for (size_t i = 0; i < inputs_.size(); ++i) {
            if (isFed(i)) inputs_[i].fetched(pointers.inputs[i]);
            in_[i] = inputs_[i].host;
        }
        compute(pointers.outputs, pointers.stream);
    }

private:
    bool isFed(size_t input) const { return inputs_[input].isThere() && !inputs_[input].isFixed(); }

    /// A port in memory of a device other than the CPU.
    Port const* onDevice() const {
        for (auto const* ports : {&inputs_, &outputs_}) {
            for (Port const& port : *ports) {
                if (port.isThere() && !port.isFixed() && !port.isInHost()) return &port;
            }
        }
        return nullptr;
    }

    void compute(void* const* outputs, void* stream) {
        for (size_t i = 0; i < outputs_.size(); ++i) {
            outputs_[i].aim(outputs[i]);
            out_[i] = outputs_[i].host;
        }
        layer_.reference(in_, out_);
        for (size_t i = 0; i < outputs_.size(); ++i) outputs_[i].deliver(outputs[i], stream);
    }

    static constexpr int64_t nothing_ = 0; // an address for empty tensors: null is an absent input

    Layer const& layer_; // owned by the engine's graph
    std::vector<Port> inputs_;
    std::vector<Port> outputs_;
    std::vector<HostTensor> in_;
    std::vector<HostTensor> out_;
};

/// Outputs that were computed during preparation.
class Known final : public Executable {
public:
    Known(ByReference& computing, PrepareArgs const& args) {
        std::vector<void*> addresses;
        for (size_t i = 0; i < args.outputs.size(); ++i) {
            Label const& label = args.variant.outputs[i];
            Backend const& device = backendOf(label.device);
            outputs_.push_back({&device, bytesOf(args.outputs[i], label), nullptr});
            outputs_.back().kept = device.allocate(outputs_.back().bytes);
            addresses.push_back(outputs_.back().kept.get());
        }
        std::vector<void const*> const none(args.inputs.size(), nullptr);
        computing.run({none.data(), addresses.data(), nullptr, nullptr});
        for (Output const& output : outputs_) output.device->synchronize(nullptr);
    }

    void run(Pointers const& pointers) override {
        for (size_t i = 0; i < outputs_.size(); ++i)
            outputs_[i].device->copy(pointers.outputs[i], outputs_[i].kept.get(), outputs_[i].bytes, pointers.stream);
    }

private:
    struct Output {
        Backend const* device;
        size_t bytes;
        std::shared_ptr<void> kept;
    };

    std::vector<Output> outputs_;
};

} // namespace

bool anyEmpty(std::span<Dims const> tensors) { return std::ranges::any_of(tensors, isEmpty); }

Offer offerOf(Kernel const& kernel, KernelQuery const& query) {
    bool const refused = !kernel.takesEmpty() && (anyEmpty(query.inputs) || anyEmpty(query.outputs));
    if (refused) return Offer::refuse("does not support empty tensors");
    Offer offer = kernel.offer(query);
    // variants omit trailing inputs, which a node may have and leave out
    for (Variant& variant : offer.variants) variant.inputs.resize(query.node.inputs().size());
    return offer;
}

std::unique_ptr<Executable> prepared(Kernel const& kernel, PrepareArgs const& args) {
    if (!args.outputs.empty() && std::ranges::all_of(args.outputs, isEmpty)) return std::make_unique<Nothing>();
    if (kernel.takesEmpty() || (!anyEmpty(args.inputs) && !anyEmpty(args.outputs))) return kernel.prepare(args);
    auto computing = std::make_unique<ByReference>(args);
    if (computing->dependsOnConstantsOnly()) return std::make_unique<Known>(*computing, args);
    return computing;
}

} // namespace tenon
