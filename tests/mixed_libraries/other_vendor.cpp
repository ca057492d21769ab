// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Stands for another vendor's library of the API: it defines a function by which such a library is known.

extern "C" [[gnu::visibility("default")]] void* createInferBuilder_INTERNAL(void*, int) { return nullptr; }
