// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/data_type.h"

namespace tenon::cpu {

/// Calls body(TypeTag<T>{}) with the C++ type of a floating point type; throws an Error for other types.
template <class Body> void dispatchFloat(DataType type, Body const& body) {
    switch (type) {
    case DataType::Float32: return body(TypeTag<float>{});
    case DataType::Float16: return body(TypeTag<Half>{});
    case DataType::BFloat16: return body(TypeTag<BFloat16>{});
    default: failOnType(type);
    }
}

} // namespace tenon::cpu
