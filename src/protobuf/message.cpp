// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "protobuf/message.h"

#include <algorithm>

namespace tenon::pb {

Field const* MessageType::find(int number) const {
    auto const found = std::ranges::find(fields, number, &Field::number);
    return found == fields.end() ? nullptr : &*found;
}

Field const* MessageType::find(std::string_view fieldName) const {
    auto const found = std::ranges::find(fields, fieldName, &Field::name);
    return found == fields.end() ? nullptr : &*found;
}

} // namespace tenon::pb
