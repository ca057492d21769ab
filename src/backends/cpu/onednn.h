// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"
#include "base/error.h"

#include <dnnl.hpp>

namespace tenon::cpu {

/// The process's oneDNN engine.
dnnl::engine const& dnnlEngine();

/// How oneDNN names a tensor of ours; of rank 1 at least (a scalar is [1]).
dnnl::memory::desc describe(Dims const& dims, Label const& label);
dnnl::memory::dims toDnnl(Dims const& dims);
dnnl::memory::data_type toDnnl(DataType type);
/// scratchpad_mode::user: workspace comes from us, so that running allocates nothing of its own.
dnnl::primitive_attr userScratchpad();

/// Which tensor of the node (or the packed weights) is which argument of the primitive.
struct DnnlArgument {
    enum class Source { Input, Output, Packed };
    int argument; // DNNL_ARG_…
    Source source;
    int index; // of the input or output; byte offset of packed weights
    dnnl::memory::desc desc;
};

/// A oneDNN primitive as an Executable.
std::unique_ptr<Executable> makeDnnlExecutable(dnnl::primitive const& primitive, dnnl::memory::desc const& scratchpad,
                                               std::vector<DnnlArgument> const& arguments,
                                               std::shared_ptr<Packed const> packed = nullptr);

/// Runs `body`; what oneDNN throws becomes an Error that names the node and the kernel.
template <class Body> decltype(auto) guardDnnl(Node const& node, std::string_view kernel, Body&& body) {
    try {
        return body();
    } catch (dnnl::error const& error) {
        fail(ErrorCode::Internal, node, ": ", kernel, ": oneDNN says \"", std::string_view(error.message),
             "\" (status ", static_cast<int>(error.status), ")");
    }
}

// The primitives whose making differs between oneDNN 2 and 3, in one place.

struct DnnlSoftmax {
    dnnl::memory::desc source;
    dnnl::memory::desc target;
    int axis;
    bool log;
};
std::unique_ptr<Executable> makeSoftmax(DnnlSoftmax const& softmax);

} // namespace tenon::cpu
