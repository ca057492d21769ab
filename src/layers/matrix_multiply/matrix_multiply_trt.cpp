// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/matrix_multiply/matrix_multiply.h"

#include "trt/network/network.h"

namespace tenon::trt {
namespace {

MatrixOperation fromApi(api::MatrixOperation op) { return checkedEnum<MatrixOperation>(op, "matrix operation"); }

class MatrixMultiplyFace final
    : public FaceOf<api::IMatrixMultiplyLayer, MatrixMultiply, api::LayerType::kMATRIX_MULTIPLY> {
public:
    using FaceOf::FaceOf;

    void setOperation(int32_t index, api::MatrixOperation op) noexcept override {
        edit("setOperation", [&](MatrixMultiply& layer) { layer.*operand(index) = fromApi(op); });
    }
    api::MatrixOperation getOperation(int32_t index) const noexcept override {
        return ask("getOperation",
                   [&](MatrixMultiply const& layer) { return sameEnum<api::MatrixOperation>(layer.*operand(index)); });
    }

private:
    static MatrixOperation MatrixMultiply::*operand(int32_t index) {
        if (index != 0 && index != 1) fail(ErrorCode::InvalidArgument, "operand ", index, "; expected 0 or 1");
        return index == 0 ? &MatrixMultiply::a : &MatrixMultiply::b;
    }
};

} // namespace

FaceEntry matrixMultiplyFace() { return faceEntry<MatrixMultiplyFace>(); }

api::IMatrixMultiplyLayer* Network::addMatrixMultiply(ITensor& input0, api::MatrixOperation op0, ITensor& input1,
                                                      api::MatrixOperation op1) noexcept {
    return guarded(reporter_, "addMatrixMultiply", [&] {
        MatrixMultiply layer;
        layer.a = fromApi(op0);
        layer.b = fromApi(op1);
        return addFace<MatrixMultiplyFace>({&input0, &input1}, layer);
    });
}

} // namespace tenon::trt
