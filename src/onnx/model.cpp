// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/model.h"

#include "base/error.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <filesystem>
#include <fstream>

namespace tenon::onnx {
namespace {

using google::protobuf::io::CodedInputStream;

constexpr int64_t kMostBytes = INT32_MAX; // protobuf's own limit

struct Lookalike {
    std::string_view start;
    std::string_view what;
};
constexpr std::array<Lookalike, 6> kLookalikes{
    {{"version https://git-lfs", "a Git LFS pointer (run git lfs pull)"},
     {"PK\x03\x04", "a zip archive (unpack it, or export it to ONNX)"},
     {"\x1f\x8b", "compressed by gzip (unpack it)"},
     {"ptrt", "an engine file, not a network"},
     {"ftrt", "an engine file, not a network"},
     {"<", "markup, or text in the syntax of onnx.parser (save it as .onnx)"}}};

/// Passes over one field; false where the bytes end before it does.
bool skipField(CodedInputStream& in, uint32_t tag) {
    uint64_t varint = 0;
    uint32_t length = 0;
    switch (tag & 7U) {
    case 0: return in.ReadVarint64(&varint);
    case 1: return in.Skip(8);
    case 2: return in.ReadVarint32(&length) && length <= INT32_MAX && in.Skip(static_cast<int>(length));
    case 5: return in.Skip(4);
    default: return false;
    }
}

/// Where the outermost fields stop making sense.
std::string damage(std::span<std::byte const> bytes) {
    CodedInputStream in(reinterpret_cast<uint8_t const*>(bytes.data()), static_cast<int>(bytes.size()));
    std::string_view last = "the start";
    while (in.CurrentPosition() < static_cast<int>(bytes.size())) {
        int const at = in.CurrentPosition();
        uint32_t const tag = in.ReadTag();
        auto const* field = pb::ModelProto::descriptor()->FindFieldByNumber(static_cast<int>(tag >> 3U));
        if (field == nullptr)
            return text("after ", last, ", byte ", at,
                        " starts no field that models have: not an ONNX model, or damaged");
        if (!skipField(in, tag))
            return text("its field '", field->name(), "', from byte ", at, " on, goes beyond the end at ", bytes.size(),
                        ": the file was cut off or damaged; get it again");
        last = field->name();
    }
    return "its outermost fields are whole, but something inside is not: damaged; get it again";
}

bool looksLikeText(std::span<std::byte const> bytes) {
    auto const start = bytes.first(std::min<size_t>(bytes.size(), 512));
    return std::ranges::all_of(start, [](std::byte b) {
        int const c = std::to_integer<int>(b);
        return std::isprint(c) != 0 || std::isspace(c) != 0;
    });
}

class FirstTextError final : public google::protobuf::io::ErrorCollector {
public:
    void AddError(int line, int column, std::string const& message) override {
        if (text_.empty()) text_ = text("line ", line + 1, ", column ", column + 1, ": ", message);
    }
    std::string const& what() const { return text_; }

private:
    std::string text_;
};

void readText(std::span<std::byte const> bytes, pb::ModelProto& model) {
    google::protobuf::io::ArrayInputStream in(bytes.data(), static_cast<int>(bytes.size()));
    FirstTextError error;
    google::protobuf::TextFormat::Parser parser;
    parser.RecordErrorsTo(&error);
    if (!parser.Parse(&in, &model))
        fail(ErrorCode::InvalidModel, "is text, but no model in protobuf's text format: ", error.what());
}

void expectSize(uintmax_t bytes) {
    if (bytes == 0) fail(ErrorCode::InvalidModel, "is empty");
    if (bytes > kMostBytes)
        fail(ErrorCode::InvalidModel, "has ", bytes, " bytes, and protobuf reads at most ", kMostBytes,
             "; save the weights as external data");
}

void expectModel(pb::ModelProto const& model) {
    if (!model.has_graph()) fail(ErrorCode::InvalidModel, "holds no graph: not an ONNX model, or damaged");
    if (model.graph().output_size() == 0) fail(ErrorCode::InvalidModel, "its graph has no outputs");
}

/// A pipe or a device is refused too: it might never end.
void expectPlainFile(std::string const& path) {
    if (path.empty()) fail(ErrorCode::InvalidModel, "the path of the file is empty");
    std::error_code problem;
    auto const type = std::filesystem::status(path, problem).type();
    using enum std::filesystem::file_type;
    if (type == regular) return;
    if (type == not_found) fail(ErrorCode::InvalidModel, "there is no such file");
    if (type == directory) fail(ErrorCode::InvalidModel, "is a folder; give the path of the ONNX file in it");
    if (problem) fail(ErrorCode::InvalidModel, "cannot be read: ", problem.message());
    fail(ErrorCode::InvalidModel, "is a pipe or a device; save the model in a file");
}

std::vector<std::byte> readBytes(std::string const& path) {
    expectPlainFile(path);
    std::error_code problem;
    auto const size = std::filesystem::file_size(path, problem);
    if (problem) fail(ErrorCode::InvalidModel, "cannot be read: ", problem.message());
    expectSize(size);
    std::vector<std::byte> bytes(size);
    std::ifstream file(path, std::ios::binary);
    if (!file) fail(ErrorCode::InvalidModel, "cannot be read: ", std::strerror(errno));
    if (!file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size)))
        fail(ErrorCode::InvalidModel, "cannot be read: ", std::strerror(errno));
    return bytes;
}

template <class Imports> Opsets byDomain(Imports const& imports) {
    Opsets opsets;
    for (auto const& import : imports) opsets[canonicalDomain(import.domain())] = static_cast<int>(import.version());
    return opsets;
}

} // namespace

Model readModel(std::span<std::byte const> bytes) {
    expectSize(bytes.size());
    std::string_view const start(reinterpret_cast<char const*>(bytes.data()), std::min<size_t>(bytes.size(), 64));
    for (Lookalike const& other : kLookalikes) {
        if (start.starts_with(other.start)) fail(ErrorCode::InvalidModel, "is no ONNX model but ", other.what);
    }
    auto model = std::make_shared<pb::ModelProto>();
    if (!model->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
        if (!looksLikeText(bytes)) fail(ErrorCode::InvalidModel, "cannot be read: ", damage(bytes));
        readText(bytes, *model);
    }
    expectModel(*model);
    return model;
}

Model readModelFile(std::string const& path) { return readModel(readBytes(path)); }

std::string const& canonicalDomain(std::string const& domain) {
    static std::string const onnx;
    return domain == "ai.onnx" ? onnx : domain;
}

Opsets opsetsOf(pb::ModelProto const& model) {
    Opsets opsets = byDomain(model.opset_import());
    if (model.ir_version() < 3 && opsets.empty()) opsets[""] = 1; // so old that models had no such list
    return opsets;
}

Opsets opsetsOf(pb::FunctionProto const& function) { return byDomain(function.opset_import()); }

} // namespace tenon::onnx
