// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a standard plugin is. Each lives in a folder of its own, which defines
//
//     std::span<Definition const> xPlugins();     in x/x.cpp, with X in camelCase: efficientNmsPlugins
//
// and the folder's name is the registration. A plugin computes in float, on host memory, and says what is particular to
// it; what all have in common (the classes of the API, half precision, checks, saving) is done once, around it.
#pragma once

#include "fields.h"

#include <NvInferRuntime.h>

#include <memory>
#include <span>
#include <vector>

namespace tenon::plugins {

/// The types that a tensor may have. All kReal tensors of a plugin are of one type.
enum class Kind {
    kReal,  ///< FLOAT or HALF
    kFloat, ///< FLOAT
    kInt32, ///< INT32
};

/// A place for a tensor, as error texts and the documentation show it.
struct Slot {
    char const* name;
    char const* shape; ///< Such as "[B,N,4]"; see shape_pattern.h.
    Kind kind = Kind::kReal;
};

/// What goes in and comes out. Input shapes are checked against it, output shapes and types follow from it.
struct Signature {
    std::span<Slot const> inputs;
    std::span<Slot const> outputs;
    size_t optionalInputs = 0; ///< So many of the last inputs may be missing.
};

/// A tensor of a run. What is HALF outside is float here.
struct Tensor {
    nvinfer1::Dims dims;
    void* data;

    int64_t operator[](int32_t axis) const { return dims.d[axis]; }
    int32_t rank() const { return dims.nbDims; }
    /// The product of the extents from axis `first` to `last`, without the latter.
    int64_t count(int32_t first, int32_t last) const;
    int64_t count() const { return count(0, rank()); }
    float* floats() const { return static_cast<float*>(data); }
    int32_t* ints() const { return static_cast<int32_t*>(data); }
};

using Tensors = std::span<Tensor const>;
using Shapes = std::span<nvinfer1::DimsExprs const>;

/// One plugin: its fields are all that it is. One thread at a time uses an object, so run() may keep its scratch memory
/// in members, which after the first run of a shape allocates nothing.
class Plugin {
public:
    virtual ~Plugin() = default;

    /// Shows `visit` every field, always in the same order.
    virtual void fields(FieldVisitor& visit) = 0;

    /// Throws std::invalid_argument where the fields do not make sense.
    virtual void check() const {}

    virtual Signature signature() const = 0;

    /// Throws std::invalid_argument where shapes that are as the signature says do not fit the fields; -1 stands for an
    /// extent that is not known yet.
    virtual void checkInputs(std::span<nvinfer1::Dims const>) const {}

    /// Computes. The shapes have been checked; inputs are not changed.
    virtual void run(Tensors inputs, Tensors outputs) = 0;
};

/// The class of the API that programs see the plugin as.
enum class Generation {
    kV2DynamicExt, ///< IPluginV2DynamicExt
    kV3,           ///< IPluginV3
};

/// A plugin under its published name.
struct Definition {
    char const* name;
    char const* version;
    Generation generation;
    std::unique_ptr<Plugin> (*make)(); ///< One whose fields have their defaults.
};

template <typename T> std::unique_ptr<Plugin> make() { return std::make_unique<T>(); }

/// All plugins of all folders.
std::vector<Definition const*> const& allPlugins();

} // namespace tenon::plugins
