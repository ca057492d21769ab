// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "failure.h"
#include "npy.h"
#include "plain_file.h"

#include <array>
#include <memory>
#include <zip.h>

namespace tenon::cli {
namespace {

constexpr std::string_view kSuffix = ".npy";

struct Discard { // a writer that was not closed leaves the file unchanged
    void operator()(zip_t* archive) const { zip_discard(archive); }
    void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using Archive = std::unique_ptr<zip_t, Discard>;
using Entry = std::unique_ptr<zip_file_t, Discard>;

Archive open(std::string const& path, int flags) {
    int code = 0;
    Archive archive(zip_open(path.c_str(), flags, &code));
    if (archive) return archive;
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    std::string const why = zip_error_strerror(&error);
    zip_error_fini(&error);
    fail(path, ": is not read as .npz: ", why);
}

/// In pieces, so that an entry with a wrong size allocates no more memory than its data.
std::string bytesOf(zip_t* archive, zip_uint64_t index) {
    Entry const entry(zip_fopen_index(archive, index, 0));
    if (!entry) fail("cannot be unpacked: ", zip_strerror(archive));
    std::string bytes;
    std::array<char, 65536> piece;
    zip_int64_t got = 0;
    while ((got = zip_fread(entry.get(), piece.data(), piece.size())) > 0)
        bytes.append(piece.data(), static_cast<size_t>(got));
    if (got < 0) fail("cannot be unpacked: ", zip_file_strerror(entry.get()));
    return bytes;
}

void add(zip_t* archive, std::string const& name, std::string const& bytes) {
    zip_source_t* const source = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
    zip_int64_t const index = source ? zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8) : -1;
    if (source && index < 0) zip_source_free(source);
    if (index < 0) fail(name, " cannot be added: ", zip_strerror(archive));
    zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0); // as numpy's savez
}

} // namespace

std::map<std::string, Array> readNpz(std::string const& path) {
    if (auto const why = whyNotPlainFile(path); !why.empty()) fail(path, ": ", why);
    Archive const archive = open(path, ZIP_RDONLY | ZIP_CHECKCONS);
    std::map<std::string, Array> arrays;
    zip_int64_t const count = zip_get_num_entries(archive.get(), 0);
    for (zip_uint64_t i = 0; i < static_cast<zip_uint64_t>(count); ++i) {
        char const* const raw = zip_get_name(archive.get(), i, 0);
        std::string name = raw ? raw : "";
        try {
            if (!name.ends_with(kSuffix)) fail("is not a .npy file");
            Array array = parseNpy(bytesOf(archive.get(), i));
            arrays.emplace(name.substr(0, name.size() - kSuffix.size()), std::move(array));
        } catch (Failure const& failure) {
            fail(path, ": ", name, " ", failure.what());
        }
    }
    return arrays;
}

void writeNpz(std::string const& path, std::map<std::string, Array> const& arrays) {
    Archive archive = open(path, ZIP_CREATE | ZIP_TRUNCATE);
    std::map<std::string, std::string> files; // until the archive is closed
    for (auto const& [name, array] : arrays) add(archive.get(), joined(name, kSuffix), files[name] = printNpy(array));
    if (zip_close(archive.get()) != 0) fail(path, ": cannot be written: ", zip_strerror(archive.get()));
    static_cast<void>(archive.release()); // closed
}

} // namespace tenon::cli
