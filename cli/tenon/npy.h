// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "array.h"

#include <map>

namespace tenon::cli {

/// The array in the bytes of a .npy file, version 1, 2 or 3, row-major or column-major. A Failure if it is invalid, or
/// has big-endian elements, records, text or objects.
Array parseNpy(std::string_view file);
/// Version 1.
std::string printNpy(Array const& array);

/// The arrays of an .npz file (a zip of .npy files), by name.
std::map<std::string, Array> readNpz(std::string const& path);
void writeNpz(std::string const& path, std::map<std::string, Array> const& arrays);

/// The array of a .npy file.
Array readNpy(std::string const& path);

} // namespace tenon::cli
