// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/backend.h"

#include <initializer_list>
#include <string>

namespace tenon::cuda {

/// A library of the CUDA toolkit, opened when it is first needed, so that all else works without it. It is looked
/// for, in this order: what the process has loaded already, the folders of TENON_CUDA_LIBRARIES (separated by ':'),
/// where the loader looks, the toolkit's folders, and the NVIDIA packages beside the Python programs of PATH.
class Library {
public:
    /// `sonames`: those that will do, the most wanted first.
    Library(std::string name, std::initializer_list<char const*> sonames);

    bool isThere() const { return handle_ != nullptr; }
    /// The address of a function; an Error that says where was looked when the library or the function is not there.
    void* find(char const* function) const;
    template <class Function> void find(Function& pointer, char const* function) const {
        pointer = reinterpret_cast<Function>(find(function));
    }

private:
    std::string name_;
    std::string tried_;
    void* handle_ = nullptr;
};

Library const& cudnnLibrary();
Library const& cublasLibrary();
Library const& cublasLtLibrary();
Library const& nvrtcLibrary();

/// ", cuDNN 9.19.0, cuBLASLt 13.1.0", of those that are there.
std::string describeLibraries();

LibraryHandles makeLibraryHandles();

} // namespace tenon::cuda
