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
    /// Throws an Error that names the attribute if cuDNN rejects it.
    void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count, void const* values);
    void set(cudnnBackendAttributeName_t name, int64_t value) { set(name, CUDNN_TYPE_INT64, 1, &value); }
    void set(cudnnBackendAttributeName_t name, Dims const& values);
    void set(cudnnBackendAttributeName_t name, CudnnDescriptor const& value);
    /// Returns the number of values; up to `count` of them are written to `values`.
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

/// One elementwise operation of a graph, in float32. `set` contains its parameters that differ from cuDNN's defaults.
struct CudnnPointwise {
    cudnnPointwiseMode_t mode;
    std::vector<std::pair<cudnnBackendAttributeName_t, double>> set = {};
};

/// Constraints on the cuDNN engines for a graph.
struct CudnnLimits {
    size_t workspaceBytes = size_t{256} << 20;
    bool exactFactors = false; // no rounding of float32 factors to TF32, and no algorithms that lose as much precision
    bool compiles = true;      // engines that are compiled at run time are allowed
};

/// A cuDNN engine prepared for a graph. Not thread-safe.
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
    std::vector<void*> pointers_; // the pointers in arguments_
    void* workspace_ = nullptr;
    std::optional<CudnnDescriptor> arguments_;
};

/// Operations between tensors, which cuDNN fuses into one kernel or a few. Tensors are identified by number.
class CudnnGraph {
public:
    /// A tensor in memory, passed to CudnnPlan::run(): aligned to 16 bytes.
    int64_t tensor(DataType type, Dims const& dims, Dims const& strides);
    /// A float32 or int32 tensor between two operations, which is not stored.
    int64_t intermediate(Dims const& dims, Dims const& strides, DataType type = DataType::Float32);

    /// For int8: sums in int32.
    void convolve(CudnnWindow const& window, int64_t x, int64_t w, int64_t y);
    /// The gradient of x: scatters `y` by the windows to `x`.
    void convolveBackwards(CudnnWindow const& window, int64_t y, int64_t w, int64_t x);
    void compute(CudnnPointwise const& operation, int64_t x, int64_t y);
    void compute(CudnnPointwise const& operation, int64_t x, int64_t b, int64_t y);

    /// Whether cuDNN's heuristics list any engine for it; none is built.
    bool hasEngine();
    /// The first engine from index `first` on, in the order of cuDNN's heuristics, that meets the limits and can be
    /// built; if there is none from there on, the first of all. Null if there is none at all.
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
    std::vector<CudnnDescriptor> parts_; // windows and elementwise operations
    std::vector<CudnnDescriptor> operations_;
    std::string said_; // the requested graph as text, the key of the cache
};

} // namespace tenon::cuda
