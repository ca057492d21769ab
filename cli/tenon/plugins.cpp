// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "api.h"
#include "command.h"
#include "failure.h"
#include "json.h"
#include "table.h"

#include <cstdio>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

namespace tenon::cli {
namespace {

constexpr Flag kFlags[]{{"--json", "", "for scripts, instead of a table"}};

char const* typeText(nvinfer1::PluginFieldType type) {
    using Type = nvinfer1::PluginFieldType;
    switch (type) {
    case Type::kFLOAT16: return "float16";
    case Type::kFLOAT32: return "float32";
    case Type::kFLOAT64: return "float64";
    case Type::kINT8: return "int8";
    case Type::kINT16: return "int16";
    case Type::kINT32: return "int32";
    case Type::kCHAR: return "char";
    case Type::kDIMS: return "Dims";
    case Type::kUNKNOWN: return "bytes";
    case Type::kBF16: return "bfloat16";
    case Type::kINT64: return "int64";
    case Type::kFP8: return "float8";
    case Type::kINT4: return "int4";
    case Type::kFP4: return "float4";
    }
    return "a type that is not known";
}

Json fieldsReport(nvinfer1::PluginFieldCollection const* fields) {
    Json all = Json::array();
    for (int32_t i = 0; fields && fields->fields && i < fields->nbFields; ++i) {
        nvinfer1::PluginField const& field = fields->fields[i];
        all.push_back(
            {{"name", field.name ? field.name : ""}, {"type", typeText(field.type)}, {"length", field.length}});
    }
    return all;
}

Json pluginReport(nvinfer1::IPluginCreatorInterface& creator) {
    PluginId const id = idOf(creator);
    return {{"name", id.name},
            {"version", id.version},
            {"namespace", id.nameSpace},
            {"creator", classOf(creator)},
            {"fields", fieldsReport(fieldsOf(creator))}};
}

std::string pluginsText(Json const& plugins) {
    Table table({"plugin", "version", "namespace", "creator", "fields"});
    for (Json const& plugin : plugins) {
        std::string fields;
        for (Json const& field : plugin.at("fields")) {
            auto const length = field.at("length").get<int32_t>();
            fields += joined(fields.empty() ? "" : "\n", field.at("name").get<std::string>(), ": ",
                             field.at("type").get<std::string>(), length > 1 ? joined("[", length, "]") : "");
        }
        auto const nameSpace = plugin.at("namespace").get<std::string>();
        table.add({plugin.at("name"), plugin.at("version"), nameSpace.empty() ? "\"\"" : nameSpace,
                   plugin.at("creator"), fields});
    }
    return table.text(0);
}

int listPlugins(std::string const& path, bool asJson) {
    Api api;
    Json report = Json::array();
    for (nvinfer1::IPluginCreatorInterface* creator : api.loadLibrary(path)) report.push_back(pluginReport(*creator));
    std::fputs((asJson ? printed(report) : pluginsText(report)).c_str(), stdout);
    return kFine;
}

/// In a process of its own, since the library's code may do anything. Never returns.
[[noreturn]] void listAndEnd(std::string const& path, bool asJson) {
    int status = kFailed;
    try {
        status = listPlugins(path, asJson);
    } catch (std::exception const& error) {
        std::fprintf(stderr, "tenon: %s\n", error.what());
    }
    std::fflush(stdout);
    _exit(status); // not through the library's destructors
}

int plugins(Arguments const& arguments) {
    if (arguments.operands().size() != 1)
        fail("tenon plugins takes one file, a plugin library; found ", arguments.operands().size());
    std::string const& path = arguments.operands().front();
    pid_t const child = fork();
    if (child < 0) fail("no process could be made to load the library in: ", std::strerror(errno));
    if (child == 0) listAndEnd(path, arguments.has("--json"));
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    if (WIFSIGNALED(status))
        fail(path, " crashed while it was loaded or asked for its plugins: signal ", WTERMSIG(status), ", ",
             strsignal(WTERMSIG(status)));
    return WEXITSTATUS(status);
}

} // namespace

Command const kPlugins{
    "plugins",
    "LIB.so",
    "Lists the plugins that a library registers.",
    kFlags,
    "Of the library only this runs, in a process of its own: its static constructors, its functions\n"
    "setLoggerFinder, getCreators and getPluginCreators, and what its creators say of themselves.",
    plugins};

} // namespace tenon::cli
