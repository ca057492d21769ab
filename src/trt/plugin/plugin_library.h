// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"

#include <string>
#include <vector>

namespace tenon::trt {

/// Opens a plugin library; what it registers by itself it registers meanwhile. An Error says what is missing, also
/// where that is a library built against NVIDIA's headers.
void* openPluginLibrary(std::string const& path);

/// Tells the library which logger is in use (its function setLoggerFinder) and lists its creators (getCreators, and
/// getPluginCreators); none where it has no such function. What libraries have that it depends on does not count.
std::vector<nvinfer1::IPluginCreatorInterface*> creatorsOfLibrary(void* handle);
/// Of a library that brought no creator, what it lacks.
std::string whyWithoutCreators(void* handle);

void closePluginLibrary(void* handle);

/// An address in the file that this object came from, which tells whose it is: its own, or, for one on the heap, its
/// code's.
void const* placeOf(void const* object);
/// The file that holds the address is this library.
bool liesIn(void* handle, void const* address);
/// Some loaded file holds the address.
bool isLoaded(void const* address);

} // namespace tenon::trt
