// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan_edits.h"

#include "plan/json/blob_store.h"

#include <cstring>

namespace tenon::test {
namespace {

size_t below(Random& random, size_t count) { return count == 0 ? 0 : random() % count; }
bool oneIn(Random& random, size_t count) { return below(random, count) == 0; }

/// As documented in docs/plan_format.md.
struct Header {
    char magic[8];
    uint32_t format, reserved;
    uint64_t fileBytes, apiVersion, jsonChecksum, dataOffset, jsonBytes, headerChecksum;
};
static_assert(sizeof(Header) == 64);

Header headerOf(std::span<std::byte const> plan) {
    Header header;
    std::memcpy(&header, plan.data(), sizeof header);
    return header;
}

void seal(Bytes& file, Header header) {
    header.headerChecksum = checksum(std::as_bytes(std::span(&header, 1)).first(offsetof(Header, headerChecksum)));
    std::memcpy(file.data(), &header, sizeof header);
}

/// The file with this description, and its original data.
Bytes withDescription(std::span<std::byte const> plan, std::string const& text, Bytes const& data) {
    Header header = headerOf(plan);
    header.jsonBytes = text.size();
    header.jsonChecksum = checksum(std::as_bytes(std::span(text)));
    header.dataOffset = (sizeof header + text.size() + 63) / 64 * 64;
    header.fileBytes = header.dataOffset + data.size();
    Bytes file(header.fileBytes);
    std::memcpy(file.data() + sizeof header, text.data(), text.size());
    std::memcpy(file.data() + header.dataOffset, data.data(), data.size());
    seal(file, header);
    return file;
}

struct Place {
    std::string key; // of its object, or of the list
    Json* value;
    Json* parent;
};

void collect(Json& json, std::string const& key, Json* parent, std::vector<Place>& places) {
    places.push_back({key, &json, parent});
    if (json.is_object()) {
        for (auto& [name, value] : json.get_ref<Json::object_t&>()) collect(value, name, &json, places);
    } else if (json.is_array()) {
        for (Json& element : json) collect(element, key, &json, places);
    }
}

Json oddNumber(Json const& now, Random& random) {
    static int64_t const kOdd[]{0,         1,         -1,        2,         3,         5,         7,
                                8,         16,        31,        32,        63,        100,       255,
                                1000,      65536,     INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, int64_t{1} << 32,
                                1LL << 33, 1LL << 40, 1LL << 61, 1LL << 62, -2,        -8,        999999};
    int64_t const number = now.is_number_integer() ? now.get<int64_t>() : 1;
    switch (below(random, 8)) {
    case 0: return number == INT64_MAX ? 0 : number + 1;
    case 1: return number == INT64_MIN ? 0 : number - 1;
    case 2: return static_cast<int64_t>(static_cast<uint64_t>(number) * 2);
    case 3: return static_cast<int64_t>(0 - static_cast<uint64_t>(number));
    case 4: return now.is_number_float() ? Json(1e308) : Json(0.5);
    default: return kOdd[below(random, std::size(kOdd))];
    }
}

Json oddValue(Random& random) {
    Json nested = 1;
    switch (below(random, 9)) {
    case 0: return nullptr;
    case 1: return true;
    case 2: return "";
    case 3: return Json::array();
    case 4: return Json::object();
    case 5: return "N";
    case 6: return Json::array({"product", "N", "N"});
    case 7:
        for (size_t depth = below(random, 400); depth != 0; --depth) nested = Json::array({"sum", nested, "N"});
        return nested;
    default: return oddNumber(0, random);
    }
}

void editList(Json& list, Random& random) {
    size_t const at = below(random, list.size());
    switch (below(random, 5)) {
    case 0: list.erase(at); break;
    case 1: list.push_back(Json(list[at])); break;
    case 2: std::swap(list[at], list[below(random, list.size())]); break;
    case 3: list.clear(); break;
    default: list.insert(list.begin() + static_cast<long>(at), Json(list[below(random, list.size())]));
    }
}

/// Usually a value of the same key from elsewhere; it is of the right kind and has another meaning.
void editValue(std::vector<Place>& places, Place& place, Random& random) {
    Json& value = *place.value;
    std::vector<Json*> twins;
    for (Place& other : places) {
        bool const isTwin = other.key == place.key && other.value->type() == value.type() && *other.value != value;
        if (isTwin) twins.push_back(other.value);
    }
    size_t const way = below(random, 10);
    if (way < 4 && !twins.empty()) {
        Json const copy = *twins[below(random, twins.size())]; // which may be nested
        value = copy;
    } else if (way < 8 && value.is_number()) {
        value = oddNumber(value, random);
    } else if (way < 8 && value.is_boolean()) {
        value = !value.get<bool>();
    } else if (way < 8 && value.is_array() && !value.empty()) {
        editList(value, random);
    } else if (way == 8 && place.parent != nullptr && place.parent->is_object()) {
        place.parent->erase(place.key);
    } else {
        value = oddValue(random);
    }
}

void editJson(Json& json, Random& random) {
    for (size_t edits = 1 + below(random, 3); edits != 0; --edits) {
        std::vector<Place> places;
        collect(json, "", nullptr, places);
        editValue(places, places[below(random, places.size())], random);
    }
}

/// The current content of blob `number` of the file.
void replaceBlob(Json& json, Bytes& data, size_t number, std::span<std::byte const> blob) {
    while (data.size() % 64 != 0) data.push_back({});
    Json& row = json["blobs"][number];
    row["offset"] = data.size();
    row["bytes"] = blob.size();
    row["checksum"] = checksum(blob);
    row["type"] = "uint8";
    row["dims"] = {blob.size()};
    data.insert(data.end(), blob.begin(), blob.end());
}

Bytes blobOf(Json const& json, Bytes const& data, size_t number) {
    Json const& row = json["blobs"][number];
    auto const first = data.begin() + row["offset"].get<long>();
    return {first, first + row["bytes"].get<long>()};
}

/// The network is read only to build for another device.
void editNetwork(Json& json, Bytes& data, Random& random) {
    auto const number = json["network"].get<size_t>();
    Bytes const text = blobOf(json, data, number);
    Json network = Json::parse(reinterpret_cast<char const*>(text.data()),
                               reinterpret_cast<char const*>(text.data()) + text.size());
    editJson(network, random);
    std::string const changed = network.dump();
    replaceBlob(json, data, number, std::as_bytes(std::span(changed)));
    json["device"] = "cuda";
}

void editPacked(Json& json, Bytes& data, Random& random) {
    std::vector<size_t> packed;
    for (Json const& node : json["nodes"]) {
        if (node.contains("packed")) packed.push_back(node["packed"]["blob"].get<size_t>());
    }
    if (packed.empty()) return;
    size_t const number = packed[below(random, packed.size())];
    Bytes blob = blobOf(json, data, number);
    for (size_t edits = below(random, 4) + 1; edits != 0 && !blob.empty(); --edits) {
        size_t const at = below(random, std::min<size_t>(blob.size(), 900)) / 4 * 4;
        static uint8_t const kOdd[]{0, 1, 2, 8, 16, 127, 128, 255};
        blob[at] = std::byte{kOdd[below(random, std::size(kOdd))]};
    }
    if (oneIn(random, 4)) blob.resize(below(random, blob.size() + 100));
    replaceBlob(json, data, number, blob);
}

Bytes damaged(std::span<std::byte const> plan, Random& random) {
    Bytes file(plan.begin(), plan.end());
    if (oneIn(random, 3)) {
        Header header = headerOf(plan);
        uint64_t* const fields[]{&header.fileBytes, &header.jsonBytes, &header.dataOffset};
        *fields[below(random, 3)] = oneIn(random, 2) ? below(random, 200) : random();
        if (oneIn(random, 2)) file.resize(sizeof header + below(random, 200));
        seal(file, header);
        return file;
    }
    for (size_t edits = 1 + below(random, 4); edits != 0; --edits)
        file[below(random, file.size())] ^= static_cast<std::byte>(1U << below(random, 8));
    if (oneIn(random, 4)) file.resize(below(random, file.size()));
    return file;
}

} // namespace

Bytes edited(std::span<std::byte const> plan, Random& random) {
    if (oneIn(random, 20)) return damaged(plan, random);
    Header const header = headerOf(plan);
    auto const text = plan.subspan(sizeof header, header.jsonBytes);
    Json json = Json::parse(reinterpret_cast<char const*>(text.data()),
                            reinterpret_cast<char const*>(text.data()) + text.size());
    Bytes data(plan.begin() + static_cast<long>(header.dataOffset), plan.end());
    if (oneIn(random, 8) && json.contains("network"))
        editNetwork(json, data, random);
    else if (oneIn(random, 12))
        editPacked(json, data, random);
    else
        editJson(json, random);
    if (oneIn(random, 10) && json.is_object()) json["built_on"] = "another machine";
    return withDescription(plan, json.dump(), data);
}

} // namespace tenon::test
