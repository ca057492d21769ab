// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/mapped_file.h"

#include "base/error.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tenon {
namespace {

[[noreturn]] void failToRead() { fail(ErrorCode::InvalidArgument, "cannot be read: ", std::strerror(errno)); }

struct Descriptor {
    int number;
    ~Descriptor() { close(number); }
};

} // namespace

MappedFile::MappedFile(std::string const& path, Use use) {
    Descriptor const file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file.number < 0) failToRead();
    struct stat about {};
    if (fstat(file.number, &about) != 0) failToRead();
    if (!S_ISREG(about.st_mode)) fail(ErrorCode::InvalidArgument, "is not a regular file");
    if (about.st_size == 0) return; // an empty file cannot be mapped
    auto const size = static_cast<size_t>(about.st_size);
    int const access = use == Use::Change ? PROT_READ | PROT_WRITE : PROT_READ;
    void* const memory = mmap(nullptr, size, access, MAP_PRIVATE, file.number, 0);
    if (memory == MAP_FAILED) failToRead();
    bytes_ = {static_cast<std::byte const*>(memory), size};
}

MappedFile::~MappedFile() {
    if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

} // namespace tenon
