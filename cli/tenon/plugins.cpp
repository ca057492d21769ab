// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "api.h"
#include "command.h"
#include "failure.h"
#include "json.h"
#include "standard_plugins.h"
#include "table.h"
#include "tenon/plugin.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <map>
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
    return "an unknown type";
}

/// The double with the float's shortest text: 0.1, and not 0.10000000149.
Json number(float value) {
    char text[32]{};
    std::to_chars(std::begin(text), std::end(text) - 1, value);
    return std::stod(text);
}
template <class T> Json number(T value) { return value; }

/// One number, or a list of them.
template <class T> Json numbers(nvinfer1::PluginField const& field) {
    auto const* const values = static_cast<T const*>(field.data);
    if (field.length == 1) return number(*values);
    Json all = Json::array();
    std::for_each_n(values, field.length, [&](T value) { all.push_back(number(value)); });
    return all;
}

/// The default value of a field; null if the creator does not declare one.
Json defaultOf(nvinfer1::PluginField const& field) {
    using Type = nvinfer1::PluginFieldType;
    if (field.data == nullptr || field.length < 1) return nullptr;
    switch (field.type) {
    case Type::kFLOAT32: return numbers<float>(field);
    case Type::kFLOAT64: return numbers<double>(field);
    case Type::kINT8: return numbers<int8_t>(field);
    case Type::kINT16: return numbers<int16_t>(field);
    case Type::kINT32: return numbers<int32_t>(field);
    case Type::kINT64: return numbers<int64_t>(field);
    case Type::kCHAR: return std::string(static_cast<char const*>(field.data), static_cast<size_t>(field.length));
    default: return nullptr;
    }
}

Json fieldReport(nvinfer1::PluginField const& field) {
    Json report{{"name", field.name ? field.name : ""}, {"type", typeText(field.type)}, {"length", field.length}};
    if (Json value = defaultOf(field); !value.is_null()) report["default"] = std::move(value);
    return report;
}

Json fieldsReport(nvinfer1::PluginFieldCollection const* fields) {
    Json all = Json::array();
    for (int32_t i = 0; fields && fields->fields && i < fields->nbFields; ++i)
        all.push_back(fieldReport(fields->fields[i]));
    return all;
}

/// Empty where nothing is declared.
Json devicesReport(PluginId const& id) {
    auto const devices = pluginDevices(id.name.c_str(), id.version.c_str(), id.nameSpace.c_str());
    Json all = Json::array();
    if (static_cast<int32_t>(devices) & static_cast<int32_t>(PluginDevices::kCPU)) all.push_back("cpu");
    if (static_cast<int32_t>(devices) & static_cast<int32_t>(PluginDevices::kCUDA)) all.push_back("cuda");
    return all;
}

Json pluginReport(PluginId const& id, nvinfer1::IPluginCreatorInterface& creator) {
    return {{"name", id.name},
            {"version", id.version},
            {"namespace", id.nameSpace},
            {"creator", classOf(creator)},
            {"devices", devicesReport(id)},
            {"fields", fieldsReport(fieldsOf(creator))}};
}

std::string fieldText(Json const& field) {
    auto const length = field.at("length").get<int32_t>();
    auto const type = field.at("type").get<std::string>();
    return joined(field.at("name").get<std::string>(), ": ", type,
                  length > 1 && type != "char" ? joined("[", length, "]") : "",
                  field.contains("default") ? " = " + field.at("default").dump() : "");
}

std::string devicesText(Json const& devices) {
    std::string text;
    for (Json const& device : devices) text += joined(text.empty() ? "" : ", ", device.get<std::string>());
    return text.empty() ? "not said" : text;
}

std::string pluginsText(Json const& plugins) {
    Table table({"plugin", "version", "namespace", "creator", "devices", "fields"});
    for (Json const& plugin : plugins) {
        std::string fields;
        for (Json const& field : plugin.at("fields")) fields += (fields.empty() ? "" : "\n") + fieldText(field);
        auto const nameSpace = plugin.at("namespace").get<std::string>();
        table.add({plugin.at("name"), plugin.at("version"), nameSpace.empty() ? "\"\"" : nameSpace,
                   plugin.at("creator"), devicesText(plugin.at("devices")), fields});
    }
    return table.text(0);
}

using Creators = std::vector<nvinfer1::IPluginCreatorInterface*>;

std::map<PluginId, nvinfer1::IPluginCreatorInterface*> sorted(Creators const& creators) {
    std::map<PluginId, nvinfer1::IPluginCreatorInterface*> all;
    for (nvinfer1::IPluginCreatorInterface* creator : creators) all[idOf(*creator)] = creator;
    return all;
}

/// Of the library, or the standard plugins if `path` is empty.
Creators creatorsOf(Api& api, std::string const& path) {
    if (!path.empty()) return api.loadLibrary(path);
    api.loadPlugins({});
    Creators all = registeredCreators();
    if (all.empty())
        fail("the standard plugins could not be loaded, neither as libnvinfer_plugin.so beside the library that this "
             "program uses nor as ",
             kStandardPlugins, "; install them, or name a plugin library: tenon plugins LIB.so");
    return all;
}

int listPlugins(std::string const& path, bool asJson) {
    Api api;
    Json report = Json::array();
    for (auto const& [id, creator] : sorted(creatorsOf(api, path))) report.push_back(pluginReport(id, *creator));
    std::fputs((asJson ? printed(report) : pluginsText(report)).c_str(), stdout);
    return kFine;
}

/// In a child process, since the library's code may do anything. Never returns.
[[noreturn]] void listAndEnd(std::string const& path, bool asJson) {
    int status = kFailed;
    try {
        status = listPlugins(path, asJson);
    } catch (std::exception const& error) {
        std::fprintf(stderr, "tenon: %s\n", error.what());
    }
    std::fflush(stdout);
    _exit(status); // without running the library's destructors
}

int plugins(Arguments const& arguments) {
    if (arguments.operands().size() > 1)
        fail("tenon plugins needs one file, a plugin library, or none, for the standard plugins; found ",
             arguments.operands().size());
    std::string const path = arguments.operands().empty() ? "" : arguments.operands().front();
    pid_t const child = fork();
    if (child < 0) fail("cannot create a process to load the library: ", std::strerror(errno));
    if (child == 0) listAndEnd(path, arguments.has("--json"));
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    if (WIFSIGNALED(status))
        fail(path.empty() ? "the library of standard plugins" : path,
             " crashed while it was loaded or its plugins were listed: signal ", WTERMSIG(status), ", ",
             strsignal(WTERMSIG(status)));
    return WEXITSTATUS(status);
}

} // namespace

Command const kPlugins{
    "plugins",
    "[LIB.so]",
    "Lists the plugins that a library registers; without one, the standard plugins.",
    kFlags,
    "Only this code of the library runs, in a process of its own: its static constructors, its functions\n"
    "setLoggerFinder, getCreators and getPluginCreators, and the queries of its creators.",
    plugins};

} // namespace tenon::cli
