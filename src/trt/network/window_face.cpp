// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/network/window_face.h"

namespace tenon::trt {

std::vector<int64_t> spatialOf(Dims64 const& dims) {
    if (dims.nbDims != 2 && dims.nbDims != 3)
        fail(ErrorCode::InvalidArgument, dims.nbDims, " spatial sizes; expected 2 or 3");
    return {dims.d, dims.d + dims.nbDims};
}

} // namespace tenon::trt
