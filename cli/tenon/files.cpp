// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "files.h"

#include "failure.h"
#include "plain_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>

namespace tenon::cli {

std::string readFile(std::string const& path) {
    std::string bytes;
    if (auto const why = readPlainFile(path, bytes); !why.empty()) fail(path, ": ", why);
    return bytes;
}

void writeFile(std::string const& path, std::string const& bytes) {
    std::ofstream file(path, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!file.flush()) fail(path, ": cannot be written: ", std::strerror(errno));
}

} // namespace tenon::cli
