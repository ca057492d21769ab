// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "files.h"

#include "failure.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace tenon::cli {

std::string readFile(std::string const& path) {
    std::error_code problem;
    if (std::filesystem::is_directory(path, problem)) fail(path, ": is a folder; expected a file");
    std::ifstream file(path, std::ios::binary);
    if (!file) fail(path, ": ", std::strerror(errno));
    auto const size = std::filesystem::file_size(path, problem);
    std::string bytes(problem ? 0 : size, '\0');
    if (!problem && !file.read(bytes.data(), static_cast<std::streamsize>(size)))
        fail(path, ": cannot be read: ", std::strerror(errno));
    bytes.append(std::istreambuf_iterator<char>(file), {}); // of what says no size, such as a pipe
    if (file.bad()) fail(path, ": cannot be read: ", std::strerror(errno));
    return bytes;
}

void writeFile(std::string const& path, std::string const& bytes) {
    std::ofstream file(path, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!file.flush()) fail(path, ": cannot be written: ", std::strerror(errno));
}

} // namespace tenon::cli
