// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/view.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/strided_copy.h"
#include "backends/host_lists.h"

namespace tenon::cpu {
namespace {

class View final : public Executable {
public:
    explicit View(size_t bytes) : copy_({static_cast<int64_t>(bytes)}, {1}, {1}, 1) {}

    void run(Pointers const& pointers) override {
        if (pointers.inputs[0] != pointers.outputs[0]) copy_.run(pointers.inputs[0], pointers.outputs[0]);
    }

private:
    StridedCopy copy_;
};

/// Formats that move channels keep their bytes as long as batch and channels stay and only the other axes are
/// regrouped.
bool keepsChannels(Tensor const& x, Tensor const& y) {
    return x.shape.size() >= 3 && y.shape.size() >= 3 && x.shape[0] == y.shape[0] && x.shape[1] == y.shape[1];
}

} // namespace

Offer offerView(KernelQuery const& query) {
    Tensor const& x = *query.node.input(0);
    auto const formats =
        formatsOf(keepsChannels(x, *query.node.output()), {Format::nhwc(), Format::blocked(channelBlock())});
    return offerTypes(query, x, [&](DataType type, Offer& offer) {
        for (Format const& format : formats) {
            Label const label{type, format, Device::Cpu};
            Variant variant{.inputs = {label}, .outputs = {label}};
            addHostInputs(query.node, variant);
            variant.cost = memoryCost(2.0 * static_cast<double>(bytesOf(query.inputs[0], label)));
            variant.view = true;
            offer.variants.push_back(std::move(variant));
        }
    });
}

std::unique_ptr<Executable> makeView(PrepareArgs const& args) {
    return std::make_unique<View>(bytesOf(args.inputs[0], args.variant.inputs[0]));
}

namespace {

class ViewKernel final : public Kernel {
public:
    std::string_view name() const override { return "view"; }
    Offer offer(KernelQuery const& query) const override { return offerView(query); }
    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override { return makeView(args); }
};

constexpr ViewKernel kView;
constexpr Kernel const* kKernels[]{&kView};

} // namespace

std::span<Kernel const* const> viewKernels() { return kKernels; }

} // namespace tenon::cpu
