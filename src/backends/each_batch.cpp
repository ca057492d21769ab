// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/each_batch.h"

namespace tenon {
namespace {

class EachPart final : public Executable {
public:
    EachPart(PrepareArgs const& args, BatchPart part, PreparePart const& prepare)
        : part_(std::move(part)), pointers_(args.inputs.size()) {
        for (size_t i = 0; i < args.inputs.size(); ++i)
            steps_.push_back(inBytes(part_.inputSteps[i], args.variant.inputs[i].type));
        outputSteps_ = inBytes(part_.outputSteps, args.variant.outputs[0].type);
        one_ = prepare(ofPart(args, part_));
    }

    size_t workspaceBytes() const override { return one_->workspaceBytes(); }
    bool waits() const override { return one_->waits(); }

    void run(Pointers const& pointers) override {
        Dims index = Dims::filled(part_.batch.rank(), 0);
        Pointers one = pointers;
        do {
            for (size_t i = 0; i < pointers_.size(); ++i) {
                auto const* const from = static_cast<std::byte const*>(pointers.inputs[i]);
                pointers_[i] = from == nullptr ? nullptr : from + at(index, steps_[i]);
            }
            void* y = static_cast<std::byte*>(pointers.outputs[0]) + at(index, outputSteps_);
            one.inputs = pointers_.data();
            one.outputs = &y;
            one_->run(one);
        } while (nextIndex(index, part_.batch));
    }

private:
    static Dims inBytes(Dims steps, DataType type) {
        for (int64_t& step : steps) step *= static_cast<int64_t>(bytesOf(type, 1));
        return steps;
    }
    static int64_t at(Dims const& index, Dims const& steps) {
        int64_t place = 0;
        for (int axis = 0; axis < index.rank(); ++axis) place += index[axis] * steps[axis];
        return place;
    }

    BatchPart part_;
    std::vector<Dims> steps_; // of each input, in bytes
    Dims outputSteps_;
    std::unique_ptr<Executable> one_;
    std::vector<void const*> pointers_;
};

} // namespace

PrepareArgs ofPart(PrepareArgs const& args, BatchPart const& part) {
    return {args.node, args.variant, part.inputs, std::span(&part.output, 1), args.packed, args.packedData};
}

std::unique_ptr<Executable> prepareEach(PrepareArgs const& args, BatchPart part, PreparePart const& prepare) {
    return std::make_unique<EachPart>(args, std::move(part), prepare);
}

} // namespace tenon
