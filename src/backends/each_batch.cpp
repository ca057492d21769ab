// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/each_batch.h"

#include <algorithm>

namespace tenon {
namespace {

int matrixAxes(MatrixOperation operation) { return operation == MatrixOperation::Vector ? 1 : 2; }

/// The last `kept` axes as they are, those before of extent 1.
Dims lastOf(Dims dims, int kept) {
    for (int axis = 0; axis < dims.rank() - kept; ++axis) dims[axis] = 1;
    return dims;
}

int resultAxes(MatrixMultiply const& layer) { return matrixAxes(layer.a) + matrixAxes(layer.b) - 2; }

MatrixMultiply const& layerOf(PrepareArgs const& args) { return *as<MatrixMultiply>(*args.node.layer); }

class EachBatch final : public Executable {
public:
    EachBatch(PrepareArgs const& args, PrepareProduct const& prepare)
        : batch_(productOf(layerOf(args), args.inputs[0], args.inputs[1]).batch),
          one_(layerOf(args), args.inputs, args.outputs[0]), pointers_(args.inputs.size()) {
        MatrixProduct const product = productOf(layerOf(args), args.inputs[0], args.inputs[1]);
        for (size_t i = 0; i < args.inputs.size(); ++i) {
            Dims const& dims = args.inputs[i];
            Dims const elements = i == 0   ? product.aBatch
                                  : i == 1 ? product.bBatch
                                           : broadcastStrides(dims, args.outputs[0]);
            steps_.push_back(inBytes(elements, args.variant.inputs[i].type));
        }
        ofResult_ = inBytes(rowMajorStrides(args.outputs[0]), args.variant.outputs[0].type);
        product_ = prepare(one_.argsFrom(args));
    }

    size_t workspaceBytes() const override { return product_->workspaceBytes(); }
    bool waits() const override { return product_->waits(); }

    void run(Pointers const& pointers) override {
        Dims index = Dims::filled(batch_.rank(), 0);
        Pointers one = pointers;
        do {
            for (size_t i = 0; i < pointers_.size(); ++i) {
                auto const* const from = static_cast<std::byte const*>(pointers.inputs[i]);
                pointers_[i] = from == nullptr ? nullptr : from + at(index, steps_[i]);
            }
            void* y = static_cast<std::byte*>(pointers.outputs[0]) + at(index, ofResult_);
            one.inputs = pointers_.data();
            one.outputs = &y;
            product_->run(one);
        } while (nextIndex(index, batch_));
    }

private:
    /// Along the axes of the batch.
    Dims inBytes(Dims const& elements, DataType type) const {
        Dims bytes;
        for (int axis = 0; axis < batch_.rank(); ++axis)
            bytes.push(elements[axis] * static_cast<int64_t>(bytesOf(type, 1)));
        return bytes;
    }
    static int64_t at(Dims const& index, Dims const& steps) {
        int64_t place = 0;
        for (int axis = 0; axis < index.rank(); ++axis) place += index[axis] * steps[axis];
        return place;
    }

    Dims batch_;
    OneOfBatch one_;
    std::vector<Dims> steps_; // of each input, in bytes
    Dims ofResult_;
    std::unique_ptr<Executable> product_;
    std::vector<void const*> pointers_;
};

} // namespace

OneOfBatch::OneOfBatch(MatrixMultiply const& layer, std::span<Dims const> all, Dims const& y)
    : output(lastOf(y, resultAxes(layer))) {
    for (size_t i = 0; i < all.size(); ++i) {
        int const kept = i == 0 ? matrixAxes(layer.a) : i == 1 ? matrixAxes(layer.b) : resultAxes(layer);
        inputs.push_back(lastOf(all[i], kept));
    }
}

PrepareArgs OneOfBatch::argsFrom(PrepareArgs const& args) const {
    return {args.node, args.variant, inputs, std::span(&output, 1), args.packed, args.packedData};
}

std::unique_ptr<Executable> prepareBatch(PrepareArgs const& args, PrepareProduct const& prepare) {
    if ((args.variant.tactic & kEachBatch) == 0) return prepare(args);
    return std::make_unique<EachBatch>(args, prepare);
}

} // namespace tenon
