// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cuda/cuda_backend.h"

namespace tenon::cuda {

/// Copies the bytes of input 0 to output 0; does nothing if both have the same address.
class CopyBytes final : public Executable {
public:
    explicit CopyBytes(size_t bytes) : bytes_(bytes) {}

    void run(Pointers const& pointers) override {
        backend().copy(pointers.outputs[0], pointers.inputs[0], bytes_, pointers.stream);
    }

private:
    size_t bytes_;
};

} // namespace tenon::cuda
