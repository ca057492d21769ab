// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/backend.h"

#include <initializer_list>
#include <string>

namespace tenon::cuda {

/// A library of the CUDA toolkit, opened on first use, so that everything else works without it. It is searched for in
/// this order: libraries that are already loaded, the folders of TENON_CUDA_LIBRARIES (separated by ':'), the loader's
/// search path, the toolkit's folders, and the NVIDIA packages of the Python installations in PATH.
class Library {
public:
    /// `sonames`: the accepted ones, the preferred first.
    Library(std::string name, std::initializer_list<char const*> sonames);

    bool isThere() const { return handle_ != nullptr; }
    /// The address of a function; throws an Error with the searched folders if the library or the function is missing.
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

/// ", cuDNN 9.19.0, cuBLASLt 13.1.0", of the available ones.
std::string describeLibraries();

LibraryHandles makeLibraryHandles();

} // namespace tenon::cuda
