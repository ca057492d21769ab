// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/convolution/convolution.h"

#include "backends/cuda/cuda_backend.h"
#include "layers/convolution/cudnn_convolution_cuda.h"
#include "layers/convolution/depthwise_cuda.h"
#include "layers/convolution/direct_convolution_cuda.h"
#include "layers/convolution/grouped_int8_convolution_cuda.h"
#include "layers/convolution/int8_convolution_cuda.h"
#include "layers/convolution/patch_deconvolution_cuda.h"
#include "layers/deconvolution/deconvolution.h"

namespace tenon::cuda {
namespace {

Kernel const* const kKernels[]{&depthwiseConvolution(),   &patchDeconvolution(), &int8Convolution(),
                               &groupedInt8Convolution(), &cudnnConvolution(),   &directConvolution()};

} // namespace

KernelList convolutionKernels() { return {{Convolution::kKind, Deconvolution::kKind}, kKernels}; }

} // namespace tenon::cuda
