// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/view.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/strided_copy.h"

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

} // namespace

Offer offerView(KernelQuery const& query) {
    auto const formats = formatsOf(keepsChannels(query.node), {Format::nhwc(), Format::blocked(channelBlock())});
    Offer offer = offerMoving(query, {.reads = {2}}, formats);
    for (Variant& variant : offer.variants) variant.view = true;
    return offer;
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
