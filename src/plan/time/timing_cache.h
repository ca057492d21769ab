// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

/// Times that were measured on one device, by a digest of the measured problem. Any thread may use it.
class TimingCache {
public:
    using Key = std::array<uint8_t, 16>;
    struct Entry {
        uint64_t tactic = 0;
        float milliseconds = 0;

        friend bool operator==(Entry const&, Entry const&) = default;
    };

    explicit TimingCache(std::string device) : device_(std::move(device)) {}

    /// From the bytes of write(). An Error for other bytes.
    static std::shared_ptr<TimingCache> read(std::string_view bytes);
    std::string write() const;
    /// The device that it was measured on.
    std::string const& device() const { return device_; }
    std::optional<Entry> find(Key const& key) const;
    void set(Key const& key, Entry const& entry);
    void remove(Key const& key);
    /// Adds the other's entries with missing keys.
    void add(TimingCache const& other);
    void clear();
    std::vector<Key> keys() const;

    static Key keyOf(std::string_view description);

private:
    std::map<Key, Entry> entries() const;

    mutable std::mutex mutex_;
    std::string device_;
    std::map<Key, Entry> entries_;
};

} // namespace tenon
