// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "debug_tensors.h"

#include "element.h"
#include "failure.h"
#include "files.h"
#include "log.h"
#include "specs.h"
#include "text.h"

#include <cctype>
#include <cstdio>

namespace trtexec {
namespace {

/// "0003_": files sort in the order of the tensors.
std::string numberText(size_t number) {
    char digits[24];
    std::snprintf(digits, sizeof digits, "%04zu_", number);
    return digits;
}

/// As in trtexec's summaries: "FLOAT", "BF16".
std::string typeText(nvinfer1::DataType type) {
    if (type == nvinfer1::DataType::kFLOAT) return "FLOAT";
    if (type == nvinfer1::DataType::kHALF) return "HALF";
    std::string text(nameOf(type));
    for (char& character : text) character = static_cast<char>(std::toupper(static_cast<unsigned char>(character)));
    return text;
}

} // namespace

void DebugFiles::attach(nvinfer1::ICudaEngine const& engine, nvinfer1::IExecutionContext& context) {
    if (options_.debugFiles.empty() && options_.debugFormats.empty()) return;
    engineName_ = engine.getName();
    if (!context.setDebugListener(this)) fail("--saveDebugTensors is refused; see the log above");
    for (auto const& [name, file] : options_.debugFiles) {
        if (!context.setTensorDebugState(name.c_str(), true))
            fail("--saveDebugTensors: ", name,
                 " is not a debug tensor of the engine; name it in --markDebug when the engine "
                 "is built");
    }
    if (options_.debugFormats.empty()) return;
    context.setAllTensorsDebugState(true);
    if (showsUnfused_) context.setUnfusedTensorsDebugState(true);
}

void DebugFiles::write(std::string const& name, TensorValue const& tensor) {
    std::vector<std::string> files; // as members of a JSON object
    auto const save = [&](std::string_view kind, std::string const& file, std::string_view content) {
        writeFile(file, content);
        files.push_back(concat(jsonString(kind), ": ", jsonString(file)));
    };
    size_t const number = numbers_.try_emplace(name, numbers_.size()).first->second;
    std::string const start = numberText(number) + name;
    if (auto const file = options_.debugFiles.find(name); file != options_.debugFiles.end())
        save("assigned", file->second, tensor.bytes);
    if (has(DebugFormat::kNumpy)) {
        NumpyFile const file = numpyFile(tensor);
        save("numpy", safeFileName(start + file.ending), file.bytes);
    }
    if (has(DebugFormat::kString)) save("string", safeFileName(start + ".str"), nestedText(tensor));
    if (has(DebugFormat::kRaw)) save("raw", safeFileName(start + ".raw"), tensor.bytes);
    if (has(DebugFormat::kSummary))
        summary_[number] = concat("{ \"name\": ", jsonString(name), ", \"shape\": [", joined(tensor.dims, ", "),
                                  "], \"type\": ", jsonString(typeText(tensor.type)),
                                  ",\n    \"statistics\": ", statisticsJson(tensor), ",\n    \"files\": { ",
                                  joined(files, ", "), " } }");
}

void DebugFiles::finish() const {
    if (!options_.debugFormats.empty() && numbers_.empty())
        log_.warning("--saveAllDebugTensors: the engine has no debug tensors; build it with --markDebug or "
                     "--markUnfusedTensorsAsDebugTensors.");
    if (!has(DebugFormat::kSummary)) return;
    std::vector<std::string> tensors;
    for (auto const& [number, tensor] : summary_) tensors.push_back(tensor);
    writeFile("tensor_summary.json",
              concat("{ \"metadata\": { \"title\": \"Tensor Summary Report\", \"engine_name\": ",
                     jsonString(engineName_), " },\n  \"tensors\": [\n  ", joined(tensors, ",\n  "), "\n  ]\n}\n"));
}

bool DebugFiles::processDebugTensor(void const* memory, nvinfer1::TensorLocation, nvinfer1::DataType type,
                                    nvinfer1::Dims const& shape, char const* name, cudaStream_t) try {
    TensorValue tensor{type, {shape.d, shape.d + shape.nbDims}, {}};
    tensor.bytes.resize(static_cast<size_t>((tensor.elements() * bitsOf(type) + 7) / 8));
    queue_->download(reinterpret_cast<std::byte*>(tensor.bytes.data()), memory, tensor.bytes.size()); // computed by now
    queue_->finish();
    write(name, tensor);
    return true;
} catch (std::exception const& error) { // the caller does not accept exceptions
    log_.error(error.what());
    return false;
}

} // namespace trtexec
