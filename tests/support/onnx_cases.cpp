// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/onnx_cases.h"

#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/util/delimited_message_util.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace tenon::test {

std::vector<OnnxCase> readOnnxCases() {
    char const* const folder = std::getenv("TENON_ONNX_CASES");
    std::vector<OnnxCase> cases;
    for (auto const& entry : std::filesystem::directory_iterator(folder ? folder : "tests/onnx_node/data")) {
        if (entry.path().extension() != ".cases") continue;
        std::ifstream file(entry.path(), std::ios::binary);
        google::protobuf::io::IstreamInputStream stream(&file);
        auto one = std::make_shared<proto::ModelProto>();
        while (google::protobuf::util::ParseDelimitedFromZeroCopyStream(one.get(), &stream, nullptr)) {
            cases.push_back({one});
            one = std::make_shared<proto::ModelProto>();
        }
    }
    std::ranges::sort(cases, {}, &OnnxCase::name);
    return cases;
}

} // namespace tenon::test
