// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Loads an engine from its file without reading the file into memory first.
#ifndef TENON_ENGINE_FILE_H
#define TENON_ENGINE_FILE_H

#include "NvInferRuntime.h"

TENON_C_FUNCTION void* tenonLoadEngine(void* runtime, char const* path) noexcept;

namespace tenon {

/// As IRuntime::deserializeCudaEngine of the file's bytes, which are not copied: on a CPU the engine computes with the
/// weights where the system keeps the file, so that loading takes as long as comparing checksums, and processes that
/// load the same file share them.
/// \param runtime which logs what is wrong, and says on how many threads the engine is loaded
/// \param path of a plain file. It stays as it is while the engine lives: one that is to be replaced is replaced as a
///        whole, by renaming another one; whoever writes over it changes the weights, or ends the process.
/// \return the engine, which the caller deletes; null where the file cannot be read or holds no engine
inline nvinfer1::ICudaEngine* loadEngine(nvinfer1::IRuntime& runtime, char const* path) noexcept {
    return static_cast<nvinfer1::ICudaEngine*>(tenonLoadEngine(&runtime, path));
}

} // namespace tenon

#endif // TENON_ENGINE_FILE_H
