// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "files.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace ocr {
namespace {

std::runtime_error failed(std::filesystem::path const& file, char const* action) {
    return std::runtime_error(file.string() + ": cannot be " + action + ": " + std::strerror(errno));
}

} // namespace

std::string readFile(std::filesystem::path const& file) {
    std::ifstream in(file, std::ios::binary);
    std::string content{std::istreambuf_iterator<char>(in), {}};
    if (!in.is_open() || in.bad()) throw failed(file, "read");
    return content;
}

void writeFile(std::filesystem::path const& file, std::string_view content) {
    std::ofstream out(file, std::ios::binary);
    out.write(content.data(), std::streamsize(content.size()));
    out.close();
    if (!out) throw failed(file, "written");
}

} // namespace ocr
