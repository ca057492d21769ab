// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/utf8.h"

#include "base/error.h"

#include <algorithm>
#include <cstdint>

namespace tenon {
namespace {

/// The number of bytes of a character that starts with this one; 0 if none does.
size_t lengthBy(uint8_t first) {
    if (first < 0x80) return 1;
    if (first < 0xc2) return 0;
    if (first < 0xe0) return 2;
    if (first < 0xf0) return 3;
    return first < 0xf5 ? 4 : 0;
}

/// The range of the second byte, which excludes overlong forms, surrogates and code points beyond U+10FFFF.
bool maySecond(uint8_t first, uint8_t second) {
    uint8_t const least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    uint8_t const most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    return second >= least && second <= most;
}

} // namespace

bool isUtf8(std::string_view bytes) {
    while (!bytes.empty()) {
        auto const byteAt = [&](size_t i) { return static_cast<uint8_t>(bytes[i]); };
        size_t const length = lengthBy(byteAt(0));
        if (length == 0 || length > bytes.size()) return false;
        if (length > 1 && !maySecond(byteAt(0), byteAt(1))) return false;
        for (size_t i = 2; i < length; ++i) {
            if ((byteAt(i) & 0xc0U) != 0x80) return false;
        }
        bytes.remove_prefix(length);
    }
    return true;
}

std::string escaped(std::string_view bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string all;
    for (char const c : bytes) {
        auto const byte = static_cast<uint8_t>(c);
        if (byte >= ' ' && byte < 0x7f && c != '"' && c != '\\') {
            all += c;
        } else {
            all += text("\\x", kDigits[byte >> 4U], kDigits[byte & 15U]);
        }
    }
    return all;
}

void expectUtf8(std::string_view bytes, std::string_view what) {
    if (!isUtf8(bytes)) fail(ErrorCode::InvalidArgument, what, ", \"", escaped(bytes), "\", is not UTF-8");
}

void expectName(std::string_view bytes, std::string_view what) {
    expectUtf8(bytes, what);
    if (bytes.find('\0') != std::string_view::npos)
        fail(ErrorCode::InvalidArgument, what, ", \"", escaped(bytes),
             "\", contains a NUL; expected a name without one");
}

} // namespace tenon
