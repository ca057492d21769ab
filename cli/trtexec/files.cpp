// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "files.h"

#include "failure.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace trtexec {

namespace fs = std::filesystem;

std::string readFile(std::string const& path) {
    std::error_code error;
    if (fs::is_directory(path, error)) fail("Cannot open file ", path, ": it is a folder");
    std::ifstream file(path, std::ios::binary);
    if (!file) fail("Cannot open file ", path, ": ", std::strerror(errno));
    std::ostringstream content;
    content << file.rdbuf();
    if (file.bad() || content.bad()) fail("Cannot read file ", path);
    return std::move(content).str();
}

void writeFile(std::string const& path, std::string_view content) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    if (!file) fail("Cannot open file ", path, " for writing: ", std::strerror(errno));
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    file.close();
    if (!file) fail("Cannot write ", content.size(), " bytes to ", path, ": ", std::strerror(errno));
}

bool fileExists(std::string const& path) {
    std::error_code error;
    return fs::exists(path, error);
}

uintmax_t fileSize(std::string const& path) {
    std::error_code error;
    if (fs::is_directory(path, error)) fail("Cannot open file ", path, ": it is a folder");
    uintmax_t const bytes = fs::file_size(path, error);
    if (error) fail("Cannot open file ", path, ": ", error.message());
    return bytes;
}

void expectWritable(std::string_view flag, std::string const& path) {
    std::error_code error;
    fs::path const folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : fs::path(".");
    if (fs::is_directory(path, error)) fail(flag, '=', path, ": this is a folder; expected the name of a file");
    if (!fs::is_directory(folder, error)) fail(flag, '=', path, ": there is no folder ", folder.string());
    char const* const written = fs::exists(path, error) ? path.c_str() : folder.c_str();
    if (access(written, W_OK) != 0) fail(flag, '=', path, ": cannot be written: ", std::strerror(errno));
}

} // namespace trtexec
