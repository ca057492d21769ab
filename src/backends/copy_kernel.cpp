// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/copy_kernel.h"

#include "backends/backend.h"

namespace tenon {
namespace {

Backend const& deviceOf(Label const& from, Label const& to) {
    return backendOf(from.device == Device::Cpu ? to.device : from.device);
}

class RunCopy final : public Executable {
public:
    RunCopy(Backend const& backend, size_t bytes) : backend_(backend), bytes_(bytes) {}
    void run(Pointers const& pointers) override {
        backend_.copy(pointers.outputs[0], pointers.inputs[0], bytes_, pointers.stream);
    }

private:
    Backend const& backend_;
    size_t bytes_;
};

class CopyKernel final : public Kernel {
public:
    std::string_view name() const override { return "copy"; }
    bool takesEmpty() const override { return true; }

    // between the labels that the tensors already have
    Offer offer(KernelQuery const& query) const override {
        Label const& from = query.node.input(0)->label;
        Label const& to = query.node.output()->label;
        if ((from.device == Device::Cpu) == (to.device == Device::Cpu))
            return Offer::refuse("supports only copies between the host and a device");
        if (!sameBytes(from, to, query.node.input(0)->shape)) return Offer::refuse("does not convert types or formats");
        Variant variant{.inputs = {from}, .outputs = {to}};
        variant.cost = deviceOf(from, to).reformatCost(query.inputs[0], from, to);
        return {{variant}, {}};
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        Label const& from = args.variant.inputs[0];
        return std::make_unique<RunCopy>(deviceOf(from, args.variant.outputs[0]), bytesOf(args.inputs[0], from));
    }
};

} // namespace

Kernel const& copyKernel() {
    static constexpr CopyKernel kernel;
    return kernel;
}

} // namespace tenon
