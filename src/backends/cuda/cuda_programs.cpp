// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cuda/cuda_programs.h"

#include "backends/cuda/nvrtc.h"

namespace tenon::cuda {
namespace {

dim3 toDim3(std::array<uint32_t, 3> const& size) { return {size[0], size[1], size[2]}; }

class CudaPrograms final : public Programs {
public:
    void* load(std::string const& code, std::string const& name) const override { return loadKernel(code, name); }

    void launch(void* kernel, LaunchSize const& size, void** arguments, void* stream) const override {
        launchKernel(static_cast<CUfunction>(kernel),
                     {toDim3(size.grid), toDim3(size.block), streamOf(stream), size.sharedBytes}, arguments);
    }
};

} // namespace

Programs const& programs() {
    static CudaPrograms const instance;
    return instance;
}

} // namespace tenon::cuda
