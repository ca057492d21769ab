// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/tensor_reader.h"

#include "base/error.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>

namespace tenon::onnx {
namespace {

namespace fs = std::filesystem;

struct Place {
    std::string location;
    uint64_t offset = 0;
    std::optional<uint64_t> length;
};

uint64_t number(std::string const& key, std::string const& value) {
    uint64_t result = 0;
    auto const [end, problem] = std::from_chars(value.data(), value.data() + value.size(), result);
    if (problem != std::errc{} || end != value.data() + value.size())
        fail(ErrorCode::InvalidModel, "the ", key, " of its external data is '", value,
             "'; expected a number of bytes");
    return result;
}

Place placeOf(pb::TensorProto const& tensor) {
    Place place;
    for (auto const& entry : tensor.externalData) {
        if (entry.key == "location") place.location = entry.value;
        if (entry.key == "offset") place.offset = number("offset", entry.value);
        if (entry.key == "length") place.length = number("length", entry.value);
    }
    if (place.location.empty()) fail(ErrorCode::InvalidModel, "its data is external, but no location is given");
    return place;
}

constexpr char const* kAllowLinks = "TENON_ALLOW_LINKED_DATA";

bool areLinksAllowed() {
    char const* const set = std::getenv(kAllowLinks);
    return set != nullptr && std::string_view(set) == "1";
}

/// Its file, without links. A link that leads out of the model's folder would give an untrusted model any file that its
/// user can read. The folder is that of the user's path, even if the model itself is a link.
fs::path followed(fs::path const& path, std::string const& location, std::string const& modelPath) {
    std::error_code problem;
    fs::path const given = fs::path(modelPath).parent_path();
    fs::path const folder = fs::canonical(given.empty() ? "." : given, problem);
    fs::path const target = problem ? path : fs::canonical(path, problem);
    if (problem)
        fail(ErrorCode::InvalidModel, "its external data in '", path.string(), "' cannot be read: ", problem.message());
    bool const isBelow = std::ranges::mismatch(folder, target).in1 == folder.end();
    if (!isBelow && !areLinksAllowed())
        fail(ErrorCode::InvalidModel, "its external data at '", location, "' is a link to '", target.string(),
             "', outside of the model's folder '", folder.string(), "'; if you trust the model, allow it by ",
             kAllowLinks, "=1 in the environment (trtexec: --allowLinkedData, tenon: --allow-linked-data)");
    return target;
}

/// A model must not reach files outside its own folder.
fs::path resolve(std::string const& location, std::string const& modelPath) {
    fs::path const path(location);
    bool const climbs = std::ranges::find(path, fs::path("..")) != path.end();
    if (path.is_absolute() || climbs || location.find('\0') != std::string::npos)
        fail(ErrorCode::InvalidModel, "its external data is at '", location,
             "'; expected a path below the model's folder, neither absolute nor with '..'");
    if (modelPath.empty())
        fail(ErrorCode::InvalidModel, "its data is in the file '", location,
             "' beside the model, but the model was given as bytes; give its path too");
    return fs::path(modelPath).parent_path() / path;
}

std::shared_ptr<MappedFile const> open(fs::path const& path, std::string const& location,
                                       std::string const& modelPath) {
    std::error_code problem;
    if (!fs::is_regular_file(path, problem))
        fail(ErrorCode::InvalidModel, "its external data is in '", path.string(),
             "', which is missing or not a regular file; keep it beside the model");
    fs::path const target = followed(path, location, modelPath);
    return locate([&] { return text("its external data in '", path.string(), '\''); },
                  [&] { return std::make_shared<MappedFile const>(target.string()); });
}

} // namespace

std::shared_ptr<void const> ExternalFiles::find(pb::TensorProto const& tensor, std::string const& modelPath,
                                                size_t bytes) {
    Place const place = placeOf(tensor);
    fs::path const path = resolve(place.location, modelPath);
    if (place.length.value_or(bytes) != bytes)
        fail(ErrorCode::InvalidModel, "needs ", bytes, " bytes, and its external data in '", place.location, "' has ",
             *place.length);
    auto& file = opened_[path.string()];
    if (!file) file = open(path, place.location, modelPath);
    uint64_t const size = file->bytes().size();
    if (size < place.offset || size - place.offset < bytes)
        fail(ErrorCode::InvalidModel, "needs ", bytes, " bytes from byte ", place.offset, " of '", path.string(),
             "', which ends at ", size, ": it is truncated, or belongs to another model");
    static constexpr std::byte kNothing{};
    return {file, size == 0 ? &kNothing : file->bytes().data() + place.offset};
}

} // namespace tenon::onnx
