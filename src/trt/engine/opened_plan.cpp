// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/bytes.h"
#include "base/error.h"
#include "base/mapped_file.h"
#include "plan/file/plan_file.h"
#include "plan/json/blob_store.h"
#include "plan/json/graph_json.h"
#include "runtime/engine.h"
#include "tenon/plan.h"

#include <cstring>

using tenon::ErrorCode;
using tenon::Json;

/// A closed type in the public header.
struct TenonPlan {
    TenonPlan(std::shared_ptr<void const> memory, size_t size);

    std::span<std::byte const> bytes() const { return {static_cast<std::byte const*>(owner.get()), size}; }

    std::shared_ptr<void const> owner; // of the file's bytes
    size_t size;
    tenon::BlobReader blobs;
    std::string device;
    std::string builtOn;
    std::string description;
    int32_t apiVersion;
    std::vector<std::string> texts; // of the plugins
    std::vector<TenonPlanPlugin> plugins;

private:
    void listPlugins();
};

namespace {

/// The result of a C function: valid until the thread's next call.
char const* keep(std::string text) {
    thread_local std::string kept;
    kept = std::move(text);
    return kept.c_str();
}

template <class Body> char const* errorOf(Body&& body) noexcept try {
    body();
    return nullptr;
} catch (std::bad_alloc const&) {
    return "there is not enough memory";
} catch (std::exception const& error) {
    return keep(error.what());
}

std::unique_ptr<TenonPlan> openFile(char const* path) {
    if (path == nullptr) tenon::fail(ErrorCode::InvalidArgument, "path is null");
    return tenon::locate([&] { return path; },
                         [&] {
                             tenon::MappedFile const file(path);
                             return std::make_unique<TenonPlan>(tenon::copied(file.bytes()), file.bytes().size());
                         });
}

uint64_t memoryAt(TenonPlan const& plan, int32_t profile) {
    tenon::ReadOptions options;
    options.device = tenon::deviceAt(plan.blobs.json());
    options.plugins = false;
    tenon::backendOf(options.device);
    tenon::Plan read = tenon::readPlan(plan.bytes(), plan.owner, options);
    if (profile < 0 || static_cast<size_t>(profile) >= read.profiles.size())
        tenon::fail(ErrorCode::InvalidArgument, "profile ", profile, " of ", read.profiles.size());
    return tenon::Engine(std::move(read)).memoryBytes(profile);
}

} // namespace

TenonPlan::TenonPlan(std::shared_ptr<void const> memory, size_t count)
    : owner(std::move(memory)), size(count), blobs(bytes(), owner), device(tenon::stringAt(blobs.json(), "device")),
      builtOn(tenon::stringAt(blobs.json(), "built_on")), description(blobs.json().dump()),
      apiVersion(blobs.json().contains("api_version")
                     ? static_cast<int32_t>(tenon::integerAt(blobs.json(), "api_version", 0, INT32_MAX))
                     : 0) {
    listPlugins();
}

void TenonPlan::listPlugins() {
    static constexpr char const* kNames[]{"node", "name", "version", "namespace", "generation", "library", "build_id"};
    constexpr size_t kCount = std::size(kNames);
    Json const& manifest = tenon::at(blobs.json(), "plugins");
    for (Json const& plugin : manifest) {
        for (char const* name : kNames) texts.push_back(tenon::stringAt(plugin, name));
    }
    for (size_t i = 0; i < manifest.size(); ++i) {
        auto const text = [&](size_t field) { return texts[i * kCount + field].c_str(); };
        auto const bytes = tenon::integerAt(manifest[i], "bytes", 0, INT64_MAX);
        plugins.push_back(
            {text(0), text(1), text(2), text(3), text(4), text(5), text(6), static_cast<uint64_t>(bytes)});
    }
}

char const* tenonOpenPlan(char const* path, TenonPlan** plan) noexcept {
    return errorOf([&] { *plan = openFile(path).release(); });
}

char const* tenonReadPlan(void const* data, size_t bytes, TenonPlan** plan) noexcept {
    return errorOf([&] {
        if (data == nullptr) tenon::fail(ErrorCode::InvalidArgument, "data is null");
        auto copy = tenon::copied({static_cast<std::byte const*>(data), bytes});
        *plan = std::make_unique<TenonPlan>(std::move(copy), bytes).release();
    });
}

void tenonClosePlan(TenonPlan* plan) noexcept { std::unique_ptr<TenonPlan> const ends(plan); }

uint32_t tenonPlanFormat(TenonPlan const* plan) noexcept { return plan->blobs.format(); }
int32_t tenonPlanApiVersion(TenonPlan const* plan) noexcept { return plan->apiVersion; }
char const* tenonPlanDevice(TenonPlan const* plan) noexcept { return plan->device.c_str(); }
char const* tenonPlanBuiltOn(TenonPlan const* plan) noexcept { return plan->builtOn.c_str(); }
char const* tenonPlanDescription(TenonPlan const* plan) noexcept { return plan->description.c_str(); }
int32_t tenonPlanPluginCount(TenonPlan const* plan) noexcept { return static_cast<int32_t>(plan->plugins.size()); }

TenonPlanPlugin const* tenonPlanPlugin(TenonPlan const* plan, int32_t index) noexcept {
    bool const exists = index >= 0 && index < tenonPlanPluginCount(plan);
    return exists ? &plan->plugins[static_cast<size_t>(index)] : nullptr;
}

char const* tenonVerifyPlan(TenonPlan const* plan) noexcept {
    return errorOf([&] { plan->blobs.verify(); });
}

char const* tenonPlanMemory(TenonPlan const* plan, int32_t profile, uint64_t* bytes) noexcept {
    return errorOf([&] { *bytes = memoryAt(*plan, profile); });
}
