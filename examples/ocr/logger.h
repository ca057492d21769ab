// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInferRuntime.h>

#include <iostream>

namespace ocr {

// Prints warnings and errors to stderr, after the program's name.
class Logger final : public nvinfer1::ILogger {
public:
    explicit Logger(char const* program) : program_(program) {}

    void log(Severity severity, char const* message) noexcept override {
        if (severity <= Severity::kWARNING) std::cerr << program_ << ": " << message << '\n';
    }

private:
    char const* program_;
};

} // namespace ocr
