// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/kernel_run.h"

#include "backends/empty_tensors.h"
#include "base/parallel.h"
#include "graph/reformat.h"
#include "plan/kernels/candidates.h"
#include "support/one_node.h"
#include "support/tested_device.h"

#include <gtest/gtest.h>

namespace tenon::test {
namespace {

/// Memory of a device for the tensors of a case, and their bytes on the host.
class Buffers {
public:
    explicit Buffers(Backend const& backend) : backend_(backend) {}

    std::vector<void*> pointers;

    void addNone() { pointers.push_back(nullptr); }
    void add(void const* bytes, size_t count) {
        owned_.push_back(backend_.allocate(count));
        pointers.push_back(owned_.back().get());
        backend_.copy(pointers.back(), bytes, count, nullptr);
        backend_.synchronize(nullptr);
    }
    void addFilled(size_t count) { add(std::vector<char>(count, '\xee').data(), count); } // nothing may rely on zeros
    /// The elements of a tensor of the device, in their own type.
    Literal fetch(size_t number, Label const& label, DataType type, Dims const& dims) const {
        auto host = allocateHost(bytesOf(dims, label));
        backend_.copy(host.get(), pointers[number], bytesOf(dims, label), nullptr);
        backend_.synchronize(nullptr);
        auto memory = allocateHost(bytesOf(type, dims.volume()));
        reformat(dims, label, host.get(), {type, {}, {}}, memory.get());
        return Literal::borrowed(type, dims, memory.get(), memory);
    }

private:
    Backend const& backend_;
    std::vector<std::shared_ptr<void>> owned_;
};

/// Like a plan: among other writers, by one thread.
void fill(Literal& weights) {
    parallelTasks(2, [&](int64_t task) {
        if (task == 0) weights = weights.present();
    });
}

} // namespace

KernelRun::KernelRun(Node const& node, Kernel const& kernel, Variant const& variant, NodeDims const& built)
    : node_(node), kernel_(kernel), variant_(variant),
      backend_(isOnHost(variant) ? backendOf(Device::Cpu) : testedBackend()) {
    if (!variant.isPacked()) return;
    Packed packed = kernel.pack({node, variant, built.inputs, built.outputs, nullptr});
    fill(packed.bytes);
    packed_ = std::make_shared<Packed>(std::move(packed));
    EXPECT_EQ(packed_->key, kernel.packKey(variant));
}

std::vector<Literal> KernelRun::run(std::vector<Literal> const& inputs, std::vector<Dims> const& outputs) const {
    Buffers fed(backend_);
    Buffers computed(backend_);
    Buffers others(backend_); // packed weights, workspace
    std::vector<Dims> dims;
    for (size_t i = 0; i < inputs.size(); ++i) {
        dims.push_back(inputs[i].dims());
        if (inputs[i].data() == nullptr || variant_.packs(i)) {
            fed.addNone();
            continue;
        }
        size_t const bytes = bytesOf(dims[i], variant_.inputs[i]);
        auto const memory = allocateHost(bytes);
        reformat(dims[i], {inputs[i].type(), {}, {}}, inputs[i].data(), variant_.inputs[i], memory.get());
        fed.add(memory.get(), bytes);
    }
    PrepareArgs args{node_, variant_, dims, outputs, packed_};
    if (packed_) {
        others.add(packed_->bytes.data(), packed_->bytes.bytes());
        args.packedData = others.pointers.back();
    }
    auto const executable = prepared(kernel_, args);
    for (size_t i = 0; i < outputs.size(); ++i) computed.addFilled(bytesOf(outputs[i], variant_.outputs[i]));
    others.addFilled(executable->workspaceBytes());
    Pointers const pointers{fed.pointers.data(), computed.pointers.data(), others.pointers.back(), nullptr};
    executable->run(pointers);
    executable->run(pointers); // the second run must not depend on the first
    backend_.synchronize(nullptr);
    std::vector<Literal> found;
    for (size_t i = 0; i < outputs.size(); ++i)
        found.push_back(computed.fetch(i, variant_.outputs[i], node_.outputs()[i]->type, outputs[i]));
    if (OneNode::isDataDependent(node_)) return outputSpaces(node_, pointersTo(inputs)).cut(std::move(found));
    return found;
}

Literal storedAs(Label const& label, Literal const& values) {
    if (label.scale == 0) return values;
    Label const real{values.type(), {}, {}};
    Label const quantized{label.type, {}, {}, label.scale, label.zero};
    auto const integers = allocateHost(bytesOf(values.dims(), quantized));
    auto const memory = allocateHost(bytesOf(values.dims(), real));
    reformat(values.dims(), real, values.data(), quantized, integers.get());
    reformat(values.dims(), quantized, integers.get(), real, memory.get());
    return Literal::borrowed(values.type(), values.dims(), memory.get(), memory);
}

double toleranceOf(Variant const& variant, size_t output, double tolerance) {
    DataType narrowest = variant.outputs[output].type; // from which the variant computes this output
    for (Label const& label : variant.inputs) {
        if (bitsOf(label.type) != 16) continue;
        narrowest = label.type;
        break;
    }
    // bfloat16 has 8 bits of significand, float16 11; sums of a few such errors are allowed for
    if (narrowest == DataType::BFloat16) return std::max(tolerance, 0.04);
    return narrowest == DataType::Float16 ? std::max(tolerance, 0.005) : tolerance;
}

} // namespace tenon::test
