// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"

#include <string>
#include <vector>

namespace tenon::trt {

/// Opens a plugin library; its static objects register creators meanwhile. An Error names the missing symbol, also for
/// a library built against NVIDIA's headers.
void* openPluginLibrary(std::string const& path);

/// Passes the present logger to the library (its function setLoggerFinder) and lists its creators (getCreators, and
/// getPluginCreators); none if it has no such function. Functions of libraries that it depends on do not count.
std::vector<nvinfer1::IPluginCreatorInterface*> creatorsOfLibrary(void* handle);
/// Why a library has no creator: the missing functions.
std::string whyWithoutCreators(void* handle);

void closePluginLibrary(void* handle);

/// An address in the library that this object belongs to: the object's own, or, if it is on the heap, its code's.
void const* placeOf(void const* object);
/// Whether the file that contains the address is this library.
bool liesIn(void* handle, void const* address);
/// Whether one file contains both addresses.
bool lieTogether(void const* one, void const* other);
/// The path by which the library that contains this address was opened; empty for the application.
std::string pathOfLibrary(void const* address);
/// Keeps the library that was opened by this path open until closePluginLibrary(); null if it is not open.
void* holdLibrary(std::string const& path);
/// Whether a loaded file contains the address.
bool isLoaded(void const* address);

} // namespace tenon::trt
