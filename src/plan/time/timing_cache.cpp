// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/time/timing_cache.h"

#include "base/error.h"
#include "plan/json/blob_store.h"

#include <cstring>

namespace tenon {
namespace {

constexpr std::string_view kHead = "tenon timing cache 2\n"; // a JSON text follows

[[noreturn]] void notACache(size_t size, std::string_view why) {
    fail(ErrorCode::InvalidArgument, "the ", size, " bytes are not a timing cache that this Tenon reads (", why,
         "); start with an empty one (size 0)");
}

std::string hex(TimingCache::Key const& key) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string digits;
    for (uint8_t byte : key) digits += {kDigits[byte >> 4U], kDigits[byte & 15U]};
    return digits;
}

std::optional<TimingCache::Key> fromHex(std::string const& digits) {
    TimingCache::Key key;
    if (digits.size() != 2 * key.size() || digits.find_first_not_of("0123456789abcdef") != std::string::npos)
        return std::nullopt;
    for (size_t i = 0; i < key.size(); ++i)
        key[i] = static_cast<uint8_t>(std::stoul(digits.substr(2 * i, 2), nullptr, 16));
    return key;
}

} // namespace

std::shared_ptr<TimingCache> TimingCache::read(std::string_view bytes) {
    if (!bytes.starts_with(kHead)) notACache(bytes.size(), "they do not begin with its header");
    Json const json = Json::parse(bytes.substr(kHead.size()), nullptr, false);
    bool const whole = json.is_object() && json.contains("device") && json["device"].is_string() &&
                       json.contains("entries") && json["entries"].is_object();
    if (!whole) notACache(bytes.size(), "damaged or cut off");
    auto cache = std::make_shared<TimingCache>(json["device"].get<std::string>());
    for (auto const& [digits, value] : json["entries"].items()) {
        auto const key = fromHex(digits);
        bool const isEntry =
            key && value.is_array() && value.size() == 2 && value[0].is_number_unsigned() && value[1].is_number();
        if (!isEntry) notACache(bytes.size(), text("entry ", digits, " is damaged"));
        cache->set(*key, {value[0].get<uint64_t>(), value[1].get<float>()});
    }
    return cache;
}

std::string TimingCache::write() const {
    Json entries = Json::object();
    for (auto const& [key, entry] : this->entries()) entries[hex(key)] = {entry.tactic, entry.milliseconds};
    return std::string(kHead) + Json{{"device", device_}, {"entries", std::move(entries)}}.dump() + '\n';
}

std::map<TimingCache::Key, TimingCache::Entry> TimingCache::entries() const {
    std::lock_guard const lock(mutex_);
    return entries_;
}

std::optional<TimingCache::Entry> TimingCache::find(Key const& key) const {
    std::lock_guard const lock(mutex_);
    auto const found = entries_.find(key);
    return found == entries_.end() ? std::nullopt : std::optional(found->second);
}

void TimingCache::set(Key const& key, Entry const& entry) {
    std::lock_guard const lock(mutex_);
    entries_[key] = entry;
}

void TimingCache::remove(Key const& key) {
    std::lock_guard const lock(mutex_);
    entries_.erase(key);
}

void TimingCache::add(TimingCache const& other) {
    auto const more = other.entries(); // a copy: `other` may be this one
    std::lock_guard const lock(mutex_);
    entries_.insert(more.begin(), more.end());
}

void TimingCache::clear() {
    std::lock_guard const lock(mutex_);
    entries_.clear();
}

std::vector<TimingCache::Key> TimingCache::keys() const {
    std::vector<Key> keys;
    for (auto const& [key, entry] : entries()) keys.push_back(key);
    return keys;
}

TimingCache::Key TimingCache::keyOf(std::string_view description) {
    std::string const salted = text(description, "#"); // two digests of 64 bits
    uint64_t const halves[]{checksum(std::as_bytes(std::span(description))),
                            checksum(std::as_bytes(std::span(salted)))};
    Key key;
    std::memcpy(key.data(), halves, sizeof halves);
    return key;
}

} // namespace tenon
