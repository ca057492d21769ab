// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/data_type.h"
#include "base/dims.h"

#include <cudnn_graph.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tenon::cuda {

/// An object of cuDNN's graph API.
class CudnnDescriptor {
public:
    explicit CudnnDescriptor(cudnnBackendDescriptorType_t type);
    /// An Error that names what was set where cuDNN does not take it.
    void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count, void const* values);
    void set(cudnnBackendAttributeName_t name, int64_t value) { set(name, CUDNN_TYPE_INT64, 1, &value); }
    void set(cudnnBackendAttributeName_t name, Dims const& values);
    void set(cudnnBackendAttributeName_t name, CudnnDescriptor const& value);
    /// How many values there are; up to `count` of them are written to `values`.
    int64_t get(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count, void* values) const;
    void finalize();

    cudnnBackendDescriptor_t raw() const { return raw_.get(); }

private:
    std::shared_ptr<void> raw_;
};

/// A convolution's window along the spatial axes.
struct CudnnWindow {
    Dims stride, dilation, pre, post;
};

/// One elementwise operation of a graph, in float32. `set` holds those of its numbers that differ from cuDNN's.
struct CudnnPointwise {
    cudnnPointwiseMode_t mode;
    std::vector<std::pair<cudnnBackendAttributeName_t, double>> set = {};
};

/// Which engines of cuDNN may run a graph.
struct CudnnLimits {
    size_t workspaceBytes = size_t{256} << 20;
    bool exactFactors = false; // no rounding of float32 factors to TF32, and no algorithms that lose as much
    bool compiles = true;      // engines that are compiled when they are asked for may run it too
};

/// An engine of cuDNN made ready for a graph. One thread at a time.
class CudnnPlan {
public:
    size_t workspaceBytes() const { return workspaceBytes_; }
    /// `pointers` in the order of the tensors of the graph that are not intermediate.
    void run(std::vector<void*> const& pointers, void* workspace, void* stream);

private:
    friend class CudnnGraph;
    CudnnPlan(CudnnDescriptor plan, std::vector<int64_t> tensors);

    CudnnDescriptor plan_;
    size_t workspaceBytes_ = 0;
    std::vector<int64_t> tensors_;
    std::vector<void*> pointers_; // what arguments_ says
    void* workspace_ = nullptr;
    std::optional<CudnnDescriptor> arguments_;
};

/// Operations between tensors, which cuDNN fuses into one kernel or a few. Tensors are known by number.
class CudnnGraph {
public:
    /// A tensor in memory, given to CudnnPlan::run(): aligned to 16 bytes.
    int64_t tensor(DataType type, Dims const& dims, Dims const& strides);
    /// A float32 or int32 tensor that exists between two operations only.
    int64_t intermediate(Dims const& dims, Dims const& strides, DataType type = DataType::Float32);

    /// Of int8: sums in int32.
    void convolve(CudnnWindow const& window, int64_t x, int64_t w, int64_t y);
    /// The gradient of x: `y` spread by the windows over `x`.
    void convolveBackwards(CudnnWindow const& window, int64_t y, int64_t w, int64_t x);
    void compute(CudnnPointwise const& operation, int64_t x, int64_t y);
    void compute(CudnnPointwise const& operation, int64_t x, int64_t b, int64_t y);

    /// Whether cuDNN's heuristics name any engine for it; none is built.
    bool hasEngine();
    /// The first engine from number `first` on, in the order of cuDNN's heuristics, that is within the limits and can
    /// be built; where there is none that far down, the first of all. Null when there is none at all.
    std::unique_ptr<CudnnPlan> plan(CudnnLimits const& limits, int64_t first = 0);

private:
    int64_t add(DataType type, Dims const& dims, Dims const& strides, bool isVirtual);
    CudnnDescriptor& operation(cudnnBackendDescriptorType_t type);
    void say(std::string_view what, CudnnWindow const& window, Dims const& tensors);
    void say(CudnnPointwise const& pointwise, Dims const& tensors);
    CudnnDescriptor finished() const;
    std::unique_ptr<CudnnPlan> search(CudnnLimits const& limits, int64_t first);
    std::unique_ptr<CudnnPlan> searchOrRecall(CudnnLimits const& limits, int64_t first);

    std::vector<CudnnDescriptor> tensors_;
    std::vector<DataType> types_; // of the tensors
    std::vector<int64_t> inMemory_;
    std::vector<CudnnDescriptor> parts_; // windows and kinds of elementwise operations
    std::vector<CudnnDescriptor> operations_;
    std::string said_; // all that was asked for, to find it again
};

} // namespace tenon::cuda
