// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "files.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace ocr {
namespace {

std::runtime_error failed(std::filesystem::path const& file, char const* action, std::string const& reason) {
    return std::runtime_error(file.string() + ": cannot be " + action + ": " + reason);
}

} // namespace

std::string readFile(std::filesystem::path const& file) {
    std::error_code error;
    auto const size = std::filesystem::file_size(file, error);
    if (error) throw failed(file, "read", error.message());
    std::string content(size, '\0');
    std::ifstream in(file, std::ios::binary);
    if (!in.read(content.data(), std::streamsize(size))) throw failed(file, "read", std::strerror(errno));
    return content;
}

void writeFile(std::filesystem::path const& file, std::string_view content) {
    std::ofstream out(file, std::ios::binary);
    out.write(content.data(), std::streamsize(content.size()));
    out.close();
    if (!out) throw failed(file, "written", std::strerror(errno));
}

} // namespace ocr
