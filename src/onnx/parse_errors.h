// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "onnx/flat_nodes.h"
#include "onnx/parse_error_code.h"
#include "onnx/values.h"

#include <string>
#include <string_view>

namespace tenon::onnx {

// What a ParseError says of an Error: code, source line and node.

/// The code of an error that is not about a node.
ParseErrorCode graphCode(ErrorCode code);
/// The code of an error of a node; a KnownError has its own.
ParseErrorCode nodeCode(Error const& error);

/// The line with its path from src/ on, without the folder of the build.
SourceLine fromSource(SourceLine line);

/// "conv1 (Conv, opset 17, node 3)", for the text of an error.
std::string whereIs(FlatNode const& node);

/// Throws the Error for a tensor that does not exist: `verb` is its reader's ("reads"). Suggests a similar name.
[[noreturn]] void failMissing(std::string_view verb, std::string const& tensor, Values const& values);

} // namespace tenon::onnx
