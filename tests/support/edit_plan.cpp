// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/edit_plan.h"

#include "plan/json/blob_store.h"

namespace tenon::test {

Bytes editPlan(std::span<std::byte const> plan, JsonEdit const& edit, JsonEdit const& editNetwork) {
    BlobReader const blobs(plan, nullptr);
    Json json = blobs.json();
    std::string network;
    BlobWriter writer;
    for (size_t i = 0; i < blobs.count(); ++i) {
        auto const number = static_cast<int64_t>(i);
        if (LeftOut const* const leftOut = blobs.leftOut(number)) {
            writer.leaveOut(*leftOut);
            continue;
        }
        if (!editNetwork || json["network"] != number) {
            writer.add(blobs.literal(number));
            continue;
        }
        auto const text = blobs.bytes(number);
        auto const* begin = reinterpret_cast<char const*>(text.data());
        Json kept = Json::parse(begin, begin + text.size());
        editNetwork(kept);
        network = kept.dump();
        writer.add(std::as_bytes(std::span(network)));
    }
    edit(json);
    json.erase("blobs"); // the writer makes the table
    return writer.finish(json);
}

} // namespace tenon::test
