// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <compare>
#include <string>
#include <string_view>

namespace tenon {

/// A kind of device, by the name of its backend: "cpu", "cuda", or that of a backend library of any vendor. It stores
/// the name itself, so that libraries need not agree on a list of numbers.
class Device {
public:
    static Device const Cpu; // the host

    static constexpr size_t kMostCharacters = 15;
    /// 1 to 15 characters of a-z, 0-9 and _: it becomes a part of a file's name.
    static constexpr bool isName(std::string_view name) {
        for (char const c : name) {
            if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_') return false;
        }
        return !name.empty() && name.size() <= kMostCharacters;
    }

    constexpr Device() : Device("cpu") {} // the host
    /// Throws an Error if the name is not valid.
    constexpr explicit Device(std::string_view name) {
        if (!isName(name)) refuse(name);
        for (size_t i = 0; i < name.size(); ++i) name_[i] = name[i];
    }

    constexpr std::string_view name() const {
        size_t length = 0;
        while (length < name_.size() && name_[length] != '\0') ++length;
        return {name_.data(), length};
    }

    friend constexpr bool operator==(Device const&, Device const&) = default;
    friend constexpr auto operator<=>(Device const&, Device const&) = default;

private:
    [[noreturn]] static void refuse(std::string_view name);

    std::array<char, kMostCharacters + 1> name_{}; // padded with zeros
};

inline constexpr Device Device::Cpu{"cpu"};

inline void append(std::string& to, Device const& device) { to += device.name(); }

} // namespace tenon
