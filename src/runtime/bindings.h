// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "runtime/segment.h"

namespace tenon {

/// Receives an output whose size is known at run time only.
class OutputSink {
public:
    virtual ~OutputSink() = default;
    /// Memory for this many bytes, or null.
    virtual void* allocate(std::string const& name, size_t bytes) = 0;
    virtual void shapeIs(std::string const& name, Dims const& dims) = 0;
};

/// An input or output of an engine, with the caller's settings for it.
struct Binding {
    Tensor const* tensor = nullptr;
    int number = -1;
    bool isInput = false;
    bool shapeSet = false;
    Dims dims;
    void* data = nullptr;
    OutputSink* sink = nullptr;
    Literal host; // elements of a shape tensor at the last readShapeTensors()

    /// Memory of the sink; an Error for null, unless zero bytes were requested.
    void* allocateBySink(size_t bytes) const;
    [[noreturn]] void failForAddress() const;
};

/// Inputs and outputs of a context: the profile, shapes, values of shape tensors, addresses and sinks. It checks them
/// against the engine and its profile. One thread at a time.
class Bindings {
public:
    explicit Bindings(Engine const& engine);

    Engine const& engine() const { return engine_; }
    std::span<Binding const> all() const { return all_; }
    /// The binding of a tensor; an Error if it is not an input or output.
    Binding const& of(Tensor const* io) const;

    /// Copies profile, shapes and addresses, but no sinks. Shape tensors keep the values last read by `other`.
    void copyFrom(Bindings const& other);
    /// For a graph inside a layer: its profile has elements at single points only, and guesses for extents that depend
    /// on data, so nothing is checked against it. The shapes of the outer network are.
    void ignoreRanges() { ignoresRanges_ = true; }
    bool areInside() const { return ignoresRanges_; }

    /// Unsets the shapes that the profile does not fix.
    void setProfile(int profile);
    int profile() const { return profile_; }
    /// The shape of an input or output as far as the profile fixes it; -1 for other extents.
    Dims dimsInProfile(Tensor const& io) const;

    /// An Error, without any change, for a shape that the network or the profile does not allow.
    void setShape(Tensor const* input, Dims const& dims);
    /// An Error if an element of a shape tensor is outside its range in the profile.
    void expectInRange(Tensor const* input, void const* elements) const { expectInRange(of(input), elements); }
    void setAddress(Tensor const* io, void* data) { find(io).data = data; }
    void setSink(Tensor const* output, OutputSink* sink) { find(output).sink = sink; }

    /// Names of inputs without a shape, and of shape tensors without an address.
    std::vector<std::string> missingForShapes() const;
    /// Reads the elements of shape tensors, which may change without a call.
    void readShapeTensors();
    /// Whether shapes, or values of shape tensors, changed since settle().
    bool haveChanged() const { return haveChanged_; }
    void settle() { haveChanged_ = false; }
    /// Shapes and values that determine all shapes; an Error for an input whose shape is not set.
    std::vector<ShapeProgram::Input> shapeInputs() const;

    /// Passes addresses to a segment; for outputs with a sink, memory of the sink if the size is known. An Error names
    /// the tensor that has none.
    void bind(Segment& segment);
    /// Of an input, also without elements.
    void* addressOf(Binding const& input);

private:
    Binding& find(Tensor const* io) { return const_cast<Binding&>(of(io)); }
    Profile const& range() const;
    void takeFixedShapes();
    void expectFits(Binding const& binding, Dims const& dims) const;
    void expectInRange(Binding const& binding, Dims const& dims) const;
    void expectInRange(Binding const& binding, void const* elements) const;
    static void bindOutput(Segment& segment, Binding const& output);

    Engine const& engine_;
    std::vector<Binding> all_; // inputs, then outputs
    int profile_ = 0;
    bool ignoresRanges_ = false;
    bool haveChanged_ = true;
    std::shared_ptr<void> nowhere_; // the address of empty inputs for which the application set none
};

} // namespace tenon
