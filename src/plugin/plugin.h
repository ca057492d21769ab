// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/backend.h"
#include "backends/kernel.h"
#include "graph/graph.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tenon {

/// The name under which a plugin is registered, written to plans and looked up.
struct PluginName {
    std::string name;
    std::string version;
    std::string nameSpace;

    friend bool operator==(PluginName const&, PluginName const&) = default;
};

void append(std::string& to, PluginName const& name); // plugin YoloLayer_TRT, version 1, namespace ""

/// One typed value by name: an argument of a creator, or saved by a V3 plugin.
struct PluginValue {
    enum class Type {
        Float16,
        Float32,
        Float64,
        Int8,
        Int16,
        Int32,
        Char,
        Dims,
        BFloat16,
        Int64,
        Float8,
        Int4,
        Unknown
    };

    std::string name;
    Type type = Type::Unknown;
    int64_t length = 0; // elements; of Char: bytes
    std::vector<std::byte> bytes;

    void fields(Fields& f);
};

size_t bytesOf(PluginValue::Type type, int64_t length); // 0 for Unknown
std::span<std::string_view const> names(PluginValue::Type);

/// A plugin's state in a plan: one opaque value without a name (V2 and older), or named values (V3).
using PluginState = std::vector<PluginValue>;

struct PluginTraits {
    bool sharesObject = false; // clones share the user's object (IPlugin)
    bool compiles = false;     // it gives the plan a kernel; it is neither saved nor needed afterwards
    bool hearsShapes = false;  // receives all shapes before a run, not only the batch
    bool savesValues = false;  // V3: typed values instead of bytes
    std::optional<std::string> timingCacheId = {}; // the arguments that made it; nullopt: its times are not cached
    int64_t formatLimit = 100;                     // the maximum number of combinations queried
};

struct OutputRules {
    std::vector<Result> outputs;
    std::vector<SizeTensor> sizes;
};

/// One input or output over the range of a profile: the argument of configure() and the format queries.
struct PortRange {
    Shape shape; // constants if the network is static
    Dims min;
    Dims opt;
    Dims max;
    Label label;
};

struct PortRanges {
    std::vector<PortRange> inputs;
    std::vector<PortRange> outputs;
};

/// The upper bounds of all extents, concatenated.
std::vector<int64_t> largestExtents(PortRanges const& ranges);

/// One input or output at a fixed shape; a data-dependent extent is -1.
struct PortDesc {
    Dims dims;
    Label label;
};

struct PortDescs {
    std::vector<PortDesc> inputs;
    std::vector<PortDesc> outputs;
};

/// Resources that a plugin may use while it is attached to a context. The core knows nothing of their types.
struct PluginResources {
    Device device = Device::Cpu; // where it runs
    void* cudnn = nullptr;       // cudnnHandle_t and cublasHandle_t; null on the CPU
    void* cublas = nullptr;
    void* allocator = nullptr;     // null: memory of the device
    void* hostAllocator = nullptr; // the same for plugins that run on the CPU in an engine of a GPU
    void* errorRecorder = nullptr; // the application's, if it set one
};

/// Decisions made when the engine was built and kept in the plan: an object of the runtime phase may not know them.
struct PluginBuilt {
    std::vector<int64_t> shapeInputs; // inputs that are shape tensors: their elements decide shapes
    int64_t tactic = 0;
    int64_t workspace = 0;        // bytes at the largest shapes of all profiles
    std::vector<int64_t> aliases; // for each output the input whose memory it shares, or -1; empty: none shares
    bool refits = false;          // its class has no dynamic shapes: queried and configured again for other shapes
    int64_t batchInput = 0;       // for classes that compute batches: the input whose first axis is the batch
    bool implicitBatch = false;   // the application omits the batch: an input without one is a sample for all of it
    std::vector<int64_t> repeated = {}; // inputs without a batch that are copied for each sample
    /// The extents for which the workspace was computed: for each profile the largest extents of all inputs, then of
    /// all outputs. Empty in plans of older versions.
    std::vector<int64_t> largest = {};

    /// The workspace; an Error if these shapes exceed those for which it was computed.
    size_t workspaceFor(PortRanges const& io) const;
    void fields(Fields& f);
};

struct CompiledKernel;

/// A custom layer of any generation, as the core sees it: one object is one clone and is used by one thread at a time.
/// Adapters (trt/plugin_*.cpp) translate calls into those of the generation's contract. A contract violation by the
/// plugin is an Error that names the method, its arguments and the result; the caller prepends the node.
class Plugin {
public:
    virtual ~Plugin() = default;

    /// The node that it computes, for messages (see CallScope).
    std::string node;
    PluginBuilt built;

    virtual PluginName const& name() const = 0;
    virtual std::string_view generation() const = 0; // "IPluginV2DynamicExt"
    virtual PluginTraits traits() const = 0;
    virtual int outputCount() const = 0;

    /// Types and shapes of the outputs. Extents of `in` that are not constant are symbols; an integer input that
    /// decides shapes has `values`. New size symbols are called "size.<output>". If the plugin accepts only constant
    /// shapes and these are not, an extent may be a symbol "call.<output>.<axis>", and built.refits is set.
    virtual OutputRules outputs(Operands const& in) = 0;
    /// Whether an input may be one sample for all of a batch: its first extent 1, where that of others is larger.
    virtual bool repeatsSample(int) const { return false; }
    /// For each output the input whose memory it is to share (the plugin writes in place), or -1; empty: none.
    virtual std::vector<int64_t> aliases() const { return {}; }
    /// Accepted combinations of types and formats (and tactics) among those offered for each port; if empty, `refusals`
    /// has the table of all queries and answers.
    virtual std::vector<Variant> variants(PortRanges const& io, std::vector<std::vector<Label>> const& offered,
                                          std::string& refusals) = 0;
    virtual void configure(PortRanges const& io, Variant const& chosen) = 0;
    virtual size_t workspace(PortRanges const& io) const = 0;

    virtual PluginState save() const = 0;
    /// If traits().compiles: the kernel of the last configuration.
    virtual std::shared_ptr<CompiledKernel> kernel() const { return nullptr; }
    /// Its own description, for the engine inspector.
    virtual std::string metadata() const { return {}; }
    /// Another object; the caller sets `node` and `built` (PluginLife).
    virtual std::unique_ptr<Plugin> clone() const = 0;
    /// For an engine: a plugin whose clones all share this user's object, for a class whose clones need not keep the
    /// configuration; else null.
    virtual std::unique_ptr<Plugin> sharedToRun() const { return nullptr; }

    /// Whether the engine's object itself runs in the first context (the second generation).
    virtual bool runsInContext() const { return false; }
    /// Whether clones that run are started and stopped too (the second generation at level 7).
    virtual bool startsClones() const { return false; }

    /// Once for an engine, on the engine's object, and on clones where startsClones() (V2: initialize and terminate).
    virtual void start() = 0;
    virtual void stop() noexcept = 0;
    /// Once for a context, on the object that it runs; may replace the user's object (V3: attachToContext returns it).
    virtual void attach(PluginResources const& resources) = 0;
    virtual void detach() noexcept = 0;
    /// Before the first run at these shapes and after each change of them. Descriptors are converted here, so that
    /// enqueue() converts and allocates nothing.
    virtual void shapesChanged(PortDescs const& io) = 0;
    virtual void enqueue(Pointers const& pointers) = 0;

    /// The user's object, for getPlugin().
    virtual void* userObject() const = 0;
};

} // namespace tenon
