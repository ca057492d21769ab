// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/log.h"
#include "onnx/model.h"

namespace tenon::onnx {

/// Looks at what a newer ONNX wrote into a message and our protobuf classes do not know. Fields that change nothing in
/// what the model computes (metadata_props, device_configurations …) are passed over; an unknown value of a known field
/// is an Error; any other field is told to the log.
void checkUnknownFields(google::protobuf::Message const& message, Log const& log);

/// A string or message field that is newer than our protobuf classes; empty when it is not there.
std::string newerField(google::protobuf::Message const& message, int number);

// newer fields that do change what a model computes
constexpr int kNodeOverload = 8;
constexpr int kFunctionOverload = 13;
constexpr int kFunctionAttributeDefault = 11; // repeated AttributeProto

} // namespace tenon::onnx
