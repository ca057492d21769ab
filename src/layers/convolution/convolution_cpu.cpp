// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/convolution/convolution.h"
#include "layers/convolution/direct_convolution_cpu.h"
#include "layers/convolution/direct_int8_convolution_cpu.h"
#include "layers/convolution/grouped_convolution_cpu.h"
#include "layers/convolution/onednn_convolution_cpu.h"
#include "layers/convolution/onednn_int8_convolution_cpu.h"
#include "layers/convolution/tile_deconvolution_cpu.h"
#include "layers/convolution/winograd_convolution_cpu.h"
#include "layers/deconvolution/deconvolution.h"

namespace tenon::cpu {
namespace {

Kernel const* const kKernels[]{&directInt8Convolution(), &onednnInt8Convolution(), &winogradConvolution(),
                               &directConvolution(),     &groupedConvolution(),    &tileDeconvolution(),
                               &onednnConvolution()};

} // namespace

KernelList convolutionKernels() { return {{Convolution::kKind, Deconvolution::kKind}, kKernels}; }

} // namespace tenon::cpu
