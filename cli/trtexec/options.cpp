// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "options.h"

namespace trtexec {

std::vector<std::pair<std::string_view, std::string>> outputFiles(Options const& options) {
    std::vector<std::pair<std::string_view, std::string>> files{
        {"--saveEngine", options.build.saveEngine},      {"--timingCacheFile", options.build.timingCacheFile},
        {"--exportTimes", options.report.timesFile},     {"--exportOutput", options.report.outputFile},
        {"--exportProfile", options.report.profileFile}, {"--exportLayerInfo", options.report.layersFile}};
    for (auto const& [tensor, path] : options.inference.debugFiles) files.emplace_back("--saveDebugTensors", path);
    std::erase_if(files, [](auto const& file) { return file.second.empty(); });
    return files;
}

} // namespace trtexec
