// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/edit_plan.h"

#include "plan/blob_store.h"

namespace tenon::test {

std::vector<std::byte> editPlan(std::span<std::byte const> plan,
                                std::function<void(nlohmann::ordered_json&)> const& edit) {
    BlobReader const blobs(plan, nullptr);
    Json json = blobs.json();
    edit(json);
    BlobWriter writer;
    for (size_t i = 0; i < blobs.count(); ++i) writer.add(blobs.literal(static_cast<int64_t>(i)));
    return writer.finish(std::move(json));
}

} // namespace tenon::test
