// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cuda/cublas_lt.h"

#include "backends/cuda/libraries.h"
#include "base/error.h"

#include <array>
#include <mutex>
#include <vector>

namespace tenon::cuda {
namespace {

/// The functions of the library that are used.
struct Functions {
    decltype(&cublasLtCreate) create = nullptr;
    decltype(&cublasLtGetStatusString) statusText = nullptr;
    decltype(&cublasLtMatmul) matmul = nullptr;
    decltype(&cublasLtMatmulAlgoGetHeuristic) choose = nullptr;
    decltype(&cublasLtMatmulDescCreate) createOperation = nullptr;
    decltype(&cublasLtMatmulDescDestroy) destroyOperation = nullptr;
    decltype(&cublasLtMatmulDescSetAttribute) setOperation = nullptr;
    decltype(&cublasLtMatrixLayoutCreate) createLayout = nullptr;
    decltype(&cublasLtMatrixLayoutDestroy) destroyLayout = nullptr;
    decltype(&cublasLtMatrixLayoutSetAttribute) setLayout = nullptr;
    decltype(&cublasLtMatmulPreferenceCreate) createPreference = nullptr;
    decltype(&cublasLtMatmulPreferenceDestroy) destroyPreference = nullptr;
    decltype(&cublasLtMatmulPreferenceSetAttribute) setPreference = nullptr;

    explicit Functions(Library const& library) {
        library.find(create, "cublasLtCreate");
        library.find(statusText, "cublasLtGetStatusString");
        library.find(matmul, "cublasLtMatmul");
        library.find(choose, "cublasLtMatmulAlgoGetHeuristic");
        library.find(createOperation, "cublasLtMatmulDescCreate");
        library.find(destroyOperation, "cublasLtMatmulDescDestroy");
        library.find(setOperation, "cublasLtMatmulDescSetAttribute");
        library.find(createLayout, "cublasLtMatrixLayoutCreate");
        library.find(destroyLayout, "cublasLtMatrixLayoutDestroy");
        library.find(setLayout, "cublasLtMatrixLayoutSetAttribute");
        library.find(createPreference, "cublasLtMatmulPreferenceCreate");
        library.find(destroyPreference, "cublasLtMatmulPreferenceDestroy");
        library.find(setPreference, "cublasLtMatmulPreferenceSetAttribute");
    }
};

Functions const& lt() {
    static Functions const functions(cublasLtLibrary());
    return functions;
}

void check(cublasStatus_t status, char const* call) {
    if (status != CUBLAS_STATUS_SUCCESS) fail(ErrorCode::Device, call, " returned ", lt().statusText(status));
}

/// The handle of the current device of this thread, for all threads. It is never destroyed: when the process ends, the
/// driver may be unloaded before.
cublasLtHandle_t handle() {
    static std::mutex mutex;
    static std::vector<cublasLtHandle_t> handles;
    int device = 0;
    if (cudaGetDevice(&device) != cudaSuccess) fail(ErrorCode::Device, "there is no current CUDA device");
    auto const index = static_cast<size_t>(device);
    std::lock_guard const lock(mutex);
    if (handles.size() <= index) handles.resize(index + 1);
    if (handles[index] == nullptr) check(lt().create(&handles[index]), "cublasLtCreate");
    return handles[index];
}

cudaDataType_t toCuda(DataType type) {
    if (type == DataType::Int8) return CUDA_R_8I;
    if (type == DataType::Int32) return CUDA_R_32I;
    if (type == DataType::Float16) return CUDA_R_16F;
    return type == DataType::BFloat16 ? CUDA_R_16BF : CUDA_R_32F;
}

cublasLtEpilogue_t epilogueOf(LtProduct const& product) {
    switch (product.activation) {
    case LtActivation::None: return product.hasBias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
    case LtActivation::Relu: return product.hasBias ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
    case LtActivation::GeluTanh: return product.hasBias ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
    }
    return CUBLASLT_EPILOGUE_DEFAULT;
}

template <class Value> void set(cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t attribute, Value value) {
    check(lt().setOperation(operation, attribute, &value, sizeof(value)), "cublasLtMatmulDescSetAttribute");
}
template <class Value> void set(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute, Value value) {
    check(lt().setLayout(layout, attribute, &value, sizeof(value)), "cublasLtMatrixLayoutSetAttribute");
}
template <class Value>
void set(cublasLtMatmulPreference_t preference, cublasLtMatmulPreferenceAttributes_t attribute, Value value) {
    check(lt().setPreference(preference, attribute, &value, sizeof(value)), "cublasLtMatmulPreferenceSetAttribute");
}

/// cuBLASLt reads matrices column-major: a row-major matrix is its transpose there. So it computes Yᵀ = Bᵀ Aᵀ, which is
/// a row-major Y, and gets B as its A.
cublasLtMatmulDesc_t makeOperation(LtProduct const& product) {
    bool const isInteger = product.type == DataType::Int8;
    auto const compute = isInteger      ? CUBLAS_COMPUTE_32I
                         : product.tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                        : CUBLAS_COMPUTE_32F;
    cublasLtMatmulDesc_t operation = nullptr;
    check(lt().createOperation(&operation, compute, isInteger ? CUDA_R_32I : CUDA_R_32F), "cublasLtMatmulDescCreate");
    return operation;
}

void describe(cublasLtMatmulDesc_t operation, LtProduct const& product) {
    set(operation, CUBLASLT_MATMUL_DESC_TRANSA, product.b.transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(operation, CUBLASLT_MATMUL_DESC_TRANSB, product.a.transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(operation, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogueOf(product));
}

cublasLtMatrixLayout_t makeLayout(LtMatrix const& matrix, DataType type) {
    cublasLtMatrixLayout_t layout = nullptr;
    check(lt().createLayout(&layout, toCuda(type), static_cast<uint64_t>(matrix.columns),
                            static_cast<uint64_t>(matrix.rows), matrix.pitch),
          "cublasLtMatrixLayoutCreate");
    return layout;
}

void describeStack(cublasLtMatrixLayout_t layout, LtMatrix const& matrix, LtProduct const& product) {
    if (product.batch == 1) return;
    set(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, static_cast<int32_t>(product.batch));
    set(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, matrix.batchPitch);
}

} // namespace

LtMatmul::LtMatmul(LtProduct const& product)
    : handle_(handle()), operation_(makeOperation(product), lt().destroyOperation),
      a_(makeLayout(product.a, product.type), lt().destroyLayout),
      b_(makeLayout(product.b, product.type), lt().destroyLayout),
      y_(makeLayout(product.y, product.type == DataType::Int8 ? DataType::Int32 : product.type), lt().destroyLayout),
      alpha_(product.alpha), beta_(product.hasAddend ? 1.0F : 0.0F), hasBias_(product.hasBias),
      sumsIntegers_(product.type == DataType::Int8) {
    describe(operation_.get(), product);
    describeStack(a_.get(), product.a, product);
    describeStack(b_.get(), product.b, product);
    describeStack(y_.get(), product.y, product);
}

bool LtMatmul::choose(uint32_t alignment, int choice) {
    constexpr uint64_t kMostWorkspace = 32 << 20;
    cublasLtMatmulPreference_t made = nullptr;
    check(lt().createPreference(&made), "cublasLtMatmulPreferenceCreate");
    Owned<cublasLtMatmulPreferenceOpaque_t> const preference(made, lt().destroyPreference);
    set(made, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kMostWorkspace);
    // Partial sums are not rounded to 16 bits before they are added up.
    set(made, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, uint32_t{CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE});
    for (auto const side : {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                            CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
        set(made, side, alignment);
    // A nonnull address requests the bias; each run replaces the address.
    if (hasBias_) set(operation_.get(), CUBLASLT_MATMUL_DESC_BIAS_POINTER, reinterpret_cast<void const*>(alignment));
    std::array<cublasLtMatmulHeuristicResult_t, kChoices> results{};
    int found = 0;
    auto const status = lt().choose(handle_, operation_.get(), b_.get(), a_.get(), y_.get(), y_.get(), made, choice + 1,
                                    results.data(), &found);
    if (status == CUBLAS_STATUS_NOT_SUPPORTED || (status == CUBLAS_STATUS_SUCCESS && found == 0)) return false;
    check(status, "cublasLtMatmulAlgoGetHeuristic");
    bool const isThere = choice < found && results[static_cast<size_t>(choice)].state == CUBLAS_STATUS_SUCCESS;
    auto const& taken = isThere ? results[static_cast<size_t>(choice)] : results[0];
    algorithm_ = taken.algo;
    workspaceBytes_ = taken.workspaceSize;
    return taken.state == CUBLAS_STATUS_SUCCESS;
}

std::optional<LtMatmul> LtMatmul::make(LtProduct const& product, uint32_t alignment, int choice) {
    LtMatmul matmul(product);
    if (!matmul.choose(alignment, choice)) return std::nullopt;
    return matmul;
}

void LtMatmul::launch(LtPointers const& at, cudaStream_t stream) {
    if (hasBias_) set(operation_.get(), CUBLASLT_MATMUL_DESC_BIAS_POINTER, at.bias);
    void const* const addend = at.addend != nullptr ? at.addend : at.y; // multiplied by 0
    constexpr int32_t kOne = 1;
    constexpr int32_t kZero = 0;
    void const* const alpha = sumsIntegers_ ? static_cast<void const*>(&kOne) : &alpha_;
    void const* const beta = sumsIntegers_ ? static_cast<void const*>(&kZero) : &beta_;
    check(lt().matmul(handle_, operation_.get(), alpha, at.b, b_.get(), at.a, a_.get(), beta, addend, y_.get(), at.y,
                      y_.get(), &algorithm_, at.workspace, workspaceBytes_, stream),
          "cublasLtMatmul");
}

namespace {

/// One value for each of `columns` elements of the innermost axis.
bool isRow(Dims const& operand, int64_t columns) {
    return operand.rank() != 0 && operand[operand.rank() - 1] == columns && operand.volume() == columns;
}

/// Whether the columns of Y are the innermost axis of the result: not if the right operand is a vector.
bool isInnermost(int64_t columns, Dims const& result) {
    return result.rank() != 0 && result[result.rank() - 1] == columns;
}

LtActivation activationOf(PointwiseOp op, DataType type) {
    if (op == PointwiseOp::Relu) return LtActivation::Relu;
    // only for 16-bit results: cuBLASLt does not document the accuracy of its hyperbolic tangent
    return op == PointwiseOp::GeluTanh && type != DataType::Float32 ? LtActivation::GeluTanh : LtActivation::None;
}

} // namespace

LtEpilogue ltEpilogue(PrepareArgs const& args, std::span<EpilogueStep const> steps, LtProduct const& product) {
    LtEpilogue taken;
    size_t& i = taken.steps;
    if (i < steps.size() && steps[i].op == PointwiseOp::Affine && steps[i].beta == 0)
        taken.alpha = static_cast<float>(steps[i++].alpha);
    for (; i < steps.size() && steps[i].op == PointwiseOp::Sum; ++i) {
        int const input = static_cast<int>(steps[i].input);
        Dims const& operand = args.inputs[static_cast<size_t>(input)];
        bool const isBias = isRow(operand, product.y.columns) && isInnermost(product.y.columns, args.outputs[0]);
        if (isBias && taken.bias < 0)
            taken.bias = input;
        else if (operand.volume() == args.outputs[0].volume() && taken.addend < 0)
            taken.addend = input;
        else
            return taken;
    }
    if (i < steps.size()) taken.activation = activationOf(steps[i].op, product.type);
    if (taken.activation != LtActivation::None) ++i;
    return taken;
}

} // namespace tenon::cuda
