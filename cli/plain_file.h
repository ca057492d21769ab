// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace tenon::cli {

/// Why a path cannot be read as a file, as a clause; empty if it can. A pipe or a device is refused: reading it might
/// never end. Nothing is opened, so a pipe without a writer does not block.
inline std::string whyNotPlainFile(std::string const& path) {
    if (path.find('\0') != std::string::npos) return "its name contains a NUL";
    struct stat about {};
    if (stat(path.c_str(), &about) != 0) return std::strerror(errno);
    if (S_ISDIR(about.st_mode)) return "it is a folder; expected a file";
    return S_ISREG(about.st_mode) ? "" : "it is a pipe or a device; expected a file";
}

/// Reads a regular file into `bytes`. Returns why that failed, as a clause; empty on success.
inline std::string readPlainFile(std::string const& path, std::string& bytes) {
    if (auto const why = whyNotPlainFile(path); !why.empty()) return why;
    int const file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return std::strerror(errno);
    struct stat about {};
    std::string why = fstat(file, &about) != 0 ? std::strerror(errno) : "";
    if (why.empty() && !S_ISREG(about.st_mode)) why = "it is a pipe or a device; expected a file"; // since stat()
    bytes.assign(why.empty() ? static_cast<size_t>(about.st_size) : 0, '\0');
    size_t done = 0;
    while (why.empty() && done < bytes.size()) {
        ssize_t const got = read(file, bytes.data() + done, bytes.size() - done);
        if (got < 0 && errno != EINTR) why = std::strerror(errno);
        if (got == 0) bytes.resize(done); // it was truncated in the meantime
        if (got > 0) done += static_cast<size_t>(got);
    }
    close(file);
    return why;
}

} // namespace tenon::cli
