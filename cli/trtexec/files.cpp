// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "files.h"

#include "failure.h"
#include "plain_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace trtexec {

namespace fs = std::filesystem;

std::string readFile(std::string const& path) {
    std::string content;
    if (auto const why = tenon::cli::readPlainFile(path, content); !why.empty())
        fail("Cannot open file ", path, ": ", why);
    return content;
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
    if (auto const why = tenon::cli::whyNotPlainFile(path); !why.empty()) fail("Cannot open file ", path, ": ", why);
    std::error_code error;
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
