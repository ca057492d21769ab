// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cuda/cudnn_graph.h"

#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/libraries.h"
#include "backends/cuda/status.h"
#include "base/disk_cache.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <mutex>

namespace tenon::cuda {
namespace {

struct Api {
    decltype(&cudnnCreate) create;
    decltype(&cudnnSetStream) setStream;
    decltype(&cudnnGetErrorString) errorString;
    decltype(&cudnnBackendCreateDescriptor) createDescriptor;
    decltype(&cudnnBackendDestroyDescriptor) destroyDescriptor;
    decltype(&cudnnBackendSetAttribute) setAttribute;
    decltype(&cudnnBackendGetAttribute) getAttribute;
    decltype(&cudnnBackendFinalize) finalize;
    decltype(&cudnnBackendExecute) execute;

    Api() {
        Library const& library = cudnnLibrary();
        library.find(create, "cudnnCreate");
        library.find(setStream, "cudnnSetStream");
        library.find(errorString, "cudnnGetErrorString");
        library.find(createDescriptor, "cudnnBackendCreateDescriptor");
        library.find(destroyDescriptor, "cudnnBackendDestroyDescriptor");
        library.find(setAttribute, "cudnnBackendSetAttribute");
        library.find(getAttribute, "cudnnBackendGetAttribute");
        library.find(finalize, "cudnnBackendFinalize");
        library.find(execute, "cudnnBackendExecute");
    }
};

Api const& api() {
    static Api const all;
    return all;
}

template <class... Call> void checkCudnn(cudnnStatus_t status, Call const&... call) {
    if (status != CUDNN_STATUS_SUCCESS)
        fail(ErrorCode::Device, call..., " returned ", static_cast<int>(status), " (", api().errorString(status), ')');
}

// ---- handles

/// Creating a handle may allocate and wait; this allows it while the thread records a stream.
class AllowedWhileRecording {
public:
    AllowedWhileRecording() {
        check(cudaThreadExchangeStreamCaptureMode(&mode_), "cudaThreadExchangeStreamCaptureMode");
    }
    ~AllowedWhileRecording() { cudaThreadExchangeStreamCaptureMode(&mode_); }
    AllowedWhileRecording(AllowedWhileRecording const&) = delete;
    AllowedWhileRecording& operator=(AllowedWhileRecording const&) = delete;

private:
    cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

/// Idle handles of all devices. They are never destroyed: creating a handle takes long, and when the process ends the
/// driver may be unloaded before.
class HandlePool {
public:
    cudnnHandle_t take(int device) {
        {
            std::lock_guard const lock(mutex_);
            std::vector<cudnnHandle_t>& free = free_[device];
            if (!free.empty()) {
                cudnnHandle_t const handle = free.back();
                free.pop_back();
                return handle;
            }
        }
        AllowedWhileRecording const allowed;
        cudnnHandle_t handle = nullptr;
        checkCudnn(api().create(&handle), "cudnnCreate");
        return handle;
    }
    void giveBack(int device, cudnnHandle_t handle) {
        std::lock_guard const lock(mutex_);
        free_[device].push_back(handle);
    }
    static HandlePool& instance() {
        static auto* const pool = new HandlePool;
        return *pool;
    }

private:
    std::mutex mutex_;
    std::map<int, std::vector<cudnnHandle_t>> free_;
};

/// A handle holds its stream, so threads must not share one, and contexts must not keep one each: there may be
/// hundreds. A thread has one for each device that it uses, until it ends.
struct ThreadHandles {
    std::vector<cudnnHandle_t> ofDevice;
    ThreadHandles() = default;
    ~ThreadHandles() {
        for (size_t i = 0; i < ofDevice.size(); ++i) {
            if (ofDevice[i]) HandlePool::instance().giveBack(static_cast<int>(i), ofDevice[i]);
        }
    }
    ThreadHandles(ThreadHandles const&) = delete;
    ThreadHandles& operator=(ThreadHandles const&) = delete;
};

cudnnHandle_t threadHandle() {
    thread_local ThreadHandles handles;
    auto const device = static_cast<size_t>(backend().current());
    if (handles.ofDevice.size() <= device) handles.ofDevice.resize(device + 1);
    if (!handles.ofDevice[device]) handles.ofDevice[device] = HandlePool::instance().take(static_cast<int>(device));
    return handles.ofDevice[device];
}

cudnnDataType_t toCudnn(DataType type) {
    switch (type) {
    case DataType::Float32: return CUDNN_DATA_FLOAT;
    case DataType::Float16: return CUDNN_DATA_HALF;
    case DataType::BFloat16: return CUDNN_DATA_BFLOAT16;
    case DataType::Int8: return CUDNN_DATA_INT8;
    case DataType::Int32: return CUDNN_DATA_INT32;
    case DataType::Float8:
    case DataType::Int4:
    case DataType::Float4:
    case DataType::E8M0:
    case DataType::UInt8:
    case DataType::Int64:
    case DataType::Bool: break;
    }
    failOnType(type);
}

} // namespace

// ---- descriptors

CudnnDescriptor::CudnnDescriptor(cudnnBackendDescriptorType_t type) {
    cudnnBackendDescriptor_t raw = nullptr;
    checkCudnn(api().createDescriptor(type, &raw), "cudnnBackendCreateDescriptor of ", static_cast<int>(type));
    raw_ = {raw, [](void* descriptor) { api().destroyDescriptor(descriptor); }};
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count,
                          void const* values) {
    checkCudnn(api().setAttribute(raw(), name, type, count, values), "cudnnBackendSetAttribute of ",
               static_cast<int>(name));
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name, Dims const& values) {
    set(name, CUDNN_TYPE_INT64, values.rank(), values.span().data());
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name, CudnnDescriptor const& value) {
    cudnnBackendDescriptor_t const raw = value.raw();
    set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &raw);
}

int64_t CudnnDescriptor::get(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count,
                             void* values) const {
    int64_t found = 0;
    checkCudnn(api().getAttribute(raw(), name, type, count, &found, values), "cudnnBackendGetAttribute of ",
               static_cast<int>(name));
    return found;
}

void CudnnDescriptor::finalize() { checkCudnn(api().finalize(raw()), "cudnnBackendFinalize"); }

// ---- the operations of a graph

int64_t CudnnGraph::add(DataType type, Dims const& dims, Dims const& strides, bool isVirtual) {
    auto const id = static_cast<int64_t>(tensors_.size());
    cudnnDataType_t const elements = toCudnn(type);
    types_.push_back(type);
    said_ += text(isVirtual ? "between " : "tensor ", type, ' ', dims, ' ', strides, '\n');
    CudnnDescriptor& made = tensors_.emplace_back(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    made.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &elements);
    made.set(CUDNN_ATTR_TENSOR_DIMENSIONS, dims);
    made.set(CUDNN_ATTR_TENSOR_STRIDES, strides);
    made.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, id);
    made.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, 16);
    made.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, &isVirtual);
    made.finalize();
    if (!isVirtual) inMemory_.push_back(id);
    return id;
}

int64_t CudnnGraph::tensor(DataType type, Dims const& dims, Dims const& strides) {
    return add(type, dims, strides, false);
}

int64_t CudnnGraph::intermediate(Dims const& dims, Dims const& strides, DataType type) {
    return add(type, dims, strides, true);
}

CudnnDescriptor& CudnnGraph::operation(cudnnBackendDescriptorType_t type) { return operations_.emplace_back(type); }

namespace {

CudnnDescriptor describe(CudnnWindow const& window, DataType sums) {
    CudnnDescriptor made(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
    cudnnDataType_t const compute = toCudnn(sums);
    cudnnConvolutionMode_t const mode = CUDNN_CROSS_CORRELATION;
    made.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, window.stride.rank());
    made.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &compute);
    made.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode);
    made.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, window.stride);
    made.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, window.dilation);
    made.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, window.pre);
    made.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, window.post);
    made.finalize();
    return made;
}

CudnnDescriptor describe(CudnnPointwise const& operation) {
    CudnnDescriptor made(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    cudnnDataType_t const compute = CUDNN_DATA_FLOAT;
    made.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, 1, &operation.mode);
    made.set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, 1, &compute);
    for (auto const& [name, value] : operation.set) made.set(name, CUDNN_TYPE_DOUBLE, 1, &value);
    made.finalize();
    return made;
}

/// cuDNN's names of the parts of a convolution; the backward ones differ.
struct ConvolutionNames {
    cudnnBackendDescriptorType_t type;
    cudnnBackendAttributeName_t window, from, weights, to, alpha, beta;

    void describe(CudnnDescriptor& made, CudnnDescriptor const& geometry, CudnnDescriptor const& x,
                  CudnnDescriptor const& w, CudnnDescriptor const& y) const {
        float const one = 1;
        float const zero = 0;
        made.set(window, geometry);
        made.set(from, x);
        made.set(weights, w);
        made.set(to, y);
        made.set(alpha, CUDNN_TYPE_FLOAT, 1, &one);
        made.set(beta, CUDNN_TYPE_FLOAT, 1, &zero);
        made.finalize();
    }
};

constexpr ConvolutionNames kForwards{CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
                                     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
                                     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
                                     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
                                     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
                                     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
                                     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
constexpr ConvolutionNames kBackwards{CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
                                      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
                                      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
                                      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
                                      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
                                      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
                                      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};

} // namespace

void CudnnGraph::say(std::string_view what, CudnnWindow const& window, Dims const& tensors) {
    said_ += text(what, ' ', window.stride, window.dilation, window.pre, window.post, ' ', tensors, '\n');
}

void CudnnGraph::say(CudnnPointwise const& pointwise, Dims const& tensors) {
    said_ += text("pointwise ", static_cast<int>(pointwise.mode), ' ', tensors);
    for (auto const& [name, value] : pointwise.set) said_ += text(' ', static_cast<int>(name), '=', value);
    said_ += '\n';
}

void CudnnGraph::convolve(CudnnWindow const& window, int64_t x, int64_t w, int64_t y) {
    say("convolve", window, {x, w, y});
    bool const isInt8 = types_[static_cast<size_t>(x)] == DataType::Int8;
    CudnnDescriptor const& geometry =
        parts_.emplace_back(describe(window, isInt8 ? DataType::Int32 : DataType::Float32));
    kForwards.describe(operation(kForwards.type), geometry, tensors_[static_cast<size_t>(x)],
                       tensors_[static_cast<size_t>(w)], tensors_[static_cast<size_t>(y)]);
}

void CudnnGraph::convolveBackwards(CudnnWindow const& window, int64_t y, int64_t w, int64_t x) {
    say("backwards", window, {y, w, x});
    CudnnDescriptor const& geometry = parts_.emplace_back(describe(window, DataType::Float32));
    kBackwards.describe(operation(kBackwards.type), geometry, tensors_[static_cast<size_t>(y)],
                        tensors_[static_cast<size_t>(w)], tensors_[static_cast<size_t>(x)]);
}

void CudnnGraph::compute(CudnnPointwise const& pointwise, int64_t x, int64_t y) {
    say(pointwise, {x, y});
    CudnnDescriptor const& kind = parts_.emplace_back(describe(pointwise));
    CudnnDescriptor& made = operation(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    made.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, kind);
    made.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, tensors_[static_cast<size_t>(x)]);
    made.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, tensors_[static_cast<size_t>(y)]);
    made.finalize();
}

void CudnnGraph::compute(CudnnPointwise const& pointwise, int64_t x, int64_t b, int64_t y) {
    say(pointwise, {x, b, y});
    CudnnDescriptor const& kind = parts_.emplace_back(describe(pointwise));
    CudnnDescriptor& made = operation(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    made.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, kind);
    made.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, tensors_[static_cast<size_t>(x)]);
    made.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, tensors_[static_cast<size_t>(b)]);
    made.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, tensors_[static_cast<size_t>(y)]);
    made.finalize();
}

// ---- from a graph to a plan

namespace {

/// The engines that the heuristics list for a graph, each with its settings; the best first.
std::vector<CudnnDescriptor> settingsFor(CudnnDescriptor const& graph, cudnnBackendHeurMode_t mode) {
    CudnnDescriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
    heuristics.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
    heuristics.finalize();
    auto const getResults = [&](int64_t count, void* to) {
        return heuristics.get(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, count, to);
    };
    int64_t const count = getResults(0, nullptr);
    std::vector<CudnnDescriptor> results;
    std::vector<cudnnBackendDescriptor_t> raw;
    for (int64_t i = 0; i < count; ++i) raw.push_back(results.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR).raw());
    if (count == 0) return {};
    int64_t const written = getResults(count, raw.data());
    results.erase(results.begin() + std::min(written, count), results.end());
    return results;
}

/// The notes of an engine, of one kind.
template <class Note, size_t most>
std::vector<Note> notesOf(CudnnDescriptor const& engine, cudnnBackendAttributeName_t name,
                          cudnnBackendAttributeType_t type) {
    std::vector<Note> notes(most);
    int64_t const count = engine.get(name, type, most, notes.data());
    notes.resize(static_cast<size_t>(std::clamp(count, int64_t{0}, int64_t{most})));
    return notes;
}

bool mayRun(CudnnDescriptor const& settings, CudnnLimits const& limits) {
    CudnnDescriptor const engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    cudnnBackendDescriptor_t raw = engine.raw();
    settings.get(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &raw);
    auto const behavior = notesOf<cudnnBackendBehaviorNote_t, CUDNN_BEHAVIOR_NOTE_TYPE_COUNT>(
        engine, CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, CUDNN_TYPE_BEHAVIOR_NOTE);
    if (!limits.compiles && std::ranges::count(behavior, CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION) != 0) return false;
    auto const numbers = notesOf<cudnnBackendNumericalNote_t, CUDNN_NUMERICAL_NOTE_TYPE_COUNT>(
        engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE);
    return std::ranges::none_of(numbers, [&](cudnnBackendNumericalNote_t note) {
        switch (note) {
        case CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC:
        case CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION: return true;
        case CUDNN_NUMERICAL_NOTE_TENSOR_CORE: // of float32 factors: as TF32
        case CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS:
        case CUDNN_NUMERICAL_NOTE_FFT:
        case CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_6x6:
        case CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13: return limits.exactFactors;
        default: return false;
        }
    });
}

/// nullopt if cuDNN rejects the settings after all.
std::optional<CudnnDescriptor> built(CudnnDescriptor const& settings, CudnnLimits const& limits) {
    try {
        if (!mayRun(settings, limits)) return std::nullopt;
        CudnnDescriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
        cudnnHandle_t const handle = threadHandle();
        plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
        plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, settings);
        plan.finalize();
        int64_t workspace = 0;
        plan.get(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &workspace);
        if (static_cast<size_t>(workspace) > limits.workspaceBytes) return std::nullopt;
        return plan;
    } catch (Error const&) {
        return std::nullopt;
    }
}

} // namespace

CudnnDescriptor CudnnGraph::finished() const {
    CudnnDescriptor graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    std::vector<cudnnBackendDescriptor_t> raw;
    for (CudnnDescriptor const& operation : operations_) raw.push_back(operation.raw());
    cudnnHandle_t const handle = threadHandle();
    graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
    graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, static_cast<int64_t>(raw.size()),
              raw.data());
    graph.finalize();
    return graph;
}

bool CudnnGraph::hasEngine() {
    try {
        return !settingsFor(finished(), CUDNN_HEUR_MODE_A).empty();
    } catch (Error const&) { // no cuDNN engine supports such a graph
        return false;
    }
}

std::unique_ptr<CudnnPlan> CudnnGraph::search(CudnnLimits const& limits, int64_t first) {
    CudnnDescriptor const graph = finished();
    for (cudnnBackendHeurMode_t const mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
        for (CudnnDescriptor const& settings : settingsFor(graph, mode)) {
            if (first-- > 0) continue;
            std::optional<CudnnDescriptor> plan = built(settings, limits);
            if (plan) return std::unique_ptr<CudnnPlan>(new CudnnPlan(std::move(*plan), inMemory_));
        }
    }
    return nullptr;
}

namespace {

/// Restores a plan that cuDNN serialized; null if it cannot read it.
std::optional<CudnnDescriptor> recalled(std::string const& json) {
    try {
        CudnnDescriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
        cudnnHandle_t const handle = threadHandle();
        plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
        plan.set(CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, static_cast<int64_t>(json.size()),
                 json.data());
        plan.finalize();
        return plan;
    } catch (Error const&) {
        return std::nullopt;
    }
}

/// A serialized plan with its compiled code; empty if cuDNN cannot serialize it.
std::string written(CudnnDescriptor const& plan) {
    try {
        std::string json;
        auto const get = [&](void* to) {
            return plan.get(CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
                            static_cast<int64_t>(json.size()), to);
        };
        json.resize(static_cast<size_t>(get(nullptr)));
        json.resize(static_cast<size_t>(get(json.data())));
        return json;
    } catch (Error const&) {
        return {};
    }
}

} // namespace

/// cuDNN takes a fifth of a second and more to compile an engine: the disk cache keeps it for the next process.
std::unique_ptr<CudnnPlan> CudnnGraph::searchOrRecall(CudnnLimits const& limits, int64_t first) {
    std::string const key = text("cudnn plan of ", backend().describe(), '\n', said_, limits.workspaceBytes, ' ',
                                 limits.exactFactors, limits.compiles ? " " : " nothing compiled ", first);
    if (auto const json = readCached(key)) {
        if (auto plan = recalled(*json)) return std::unique_ptr<CudnnPlan>(new CudnnPlan(std::move(*plan), inMemory_));
    }
    constexpr auto kLong = std::chrono::milliseconds(20);
    auto const start = std::chrono::steady_clock::now();
    auto found = search(limits, first);
    if (!found && first > 0) found = search(limits, 0);
    if (!found || std::chrono::steady_clock::now() - start < kLong) return found;
    if (std::string const json = written(found->plan_); !json.empty()) writeCached(key, json);
    return found;
}

std::unique_ptr<CudnnPlan> CudnnGraph::plan(CudnnLimits const& limits, int64_t first) {
    std::unique_ptr<CudnnPlan> found;
    try {
        found = searchOrRecall(limits, first);
    } catch (Error const&) { // no cuDNN engine supports such a graph
    }
    cudaGetLastError();
    return found;
}

CudnnPlan::CudnnPlan(CudnnDescriptor plan, std::vector<int64_t> tensors)
    : plan_(std::move(plan)), tensors_(std::move(tensors)) {
    int64_t bytes = 0;
    plan_.get(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &bytes);
    workspaceBytes_ = static_cast<size_t>(bytes);
}

void CudnnPlan::run(std::vector<void*> const& pointers, void* workspace, void* stream) {
    if (!arguments_ || pointers != pointers_ || workspace != workspace_) {
        CudnnDescriptor& made = arguments_.emplace(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
        auto const count = static_cast<int64_t>(tensors_.size());
        made.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, count, tensors_.data());
        made.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, count, pointers.data());
        made.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace);
        made.finalize();
        pointers_ = pointers;
        workspace_ = workspace;
    }
    cudnnHandle_t const handle = threadHandle();
    checkCudnn(api().setStream(handle, streamOf(stream)), "cudnnSetStream");
    checkCudnn(api().execute(handle, plan_.raw(), arguments_->raw()), "cudnnBackendExecute");
}

} // namespace tenon::cuda
