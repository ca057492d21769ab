// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "tenon/engine_file.h"

#include "support/api.h"

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace tenon {
namespace {

using namespace nvinfer1;

class EngineFile : public testing::Test {
protected:
    ~EngineFile() override { std::filesystem::remove(path_); }

    void write(std::string_view bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }

    /// The log of loading a file; "" if it is an engine.
    std::string errorOf(char const* path) {
        std::unique_ptr<ICudaEngine> const engine(loadEngine(*runtime_, path));
        return engine ? "" : messages_.lastError();
    }

    std::string path_ = testing::TempDir() + "tenon_engine_file_" + std::to_string(getpid());
    test::Messages messages_;
    std::unique_ptr<IRuntime> runtime_{createInferRuntime(messages_)};
};

/// y = x w + b; 10 columns, so that weights are packed with padding
std::unique_ptr<IHostMemory> product() {
    test::Defining d;
    std::vector<float> w;
    for (int i = 0; i < 30; ++i) w.push_back(static_cast<float>(i % 7 - 3));
    std::vector<float> const b{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    ITensor& x = d.input("x", {2, 3});
    ITensor* const weights = d.network->addConstant(Dims2{3, 10}, test::weights(w))->getOutput(0);
    ITensor* const bias = d.network->addConstant(Dims2{1, 10}, test::weights(b))->getOutput(0);
    auto* const times = d.network->addMatrixMultiply(x, MatrixOperation::kNONE, *weights, MatrixOperation::kNONE);
    d.output(d.network->addElementWise(*times->getOutput(0), *bias, ElementWiseOperation::kSUM)->getOutput(0));
    return d.build();
}

TEST_F(EngineFile, computesWhatItsBytesInMemoryDo) {
    auto const saved = product();
    write({static_cast<char const*>(saved->data()), saved->size()});
    test::Running run(*saved);
    run.context.reset();
    run.engine.reset(loadEngine(*run.runtime, path_.c_str()));
    ASSERT_NE(run.engine, nullptr);
    run.context.reset(run.engine->createExecutionContext());
    // x = [[1, 0, 0], [0, 2, 0]]: rows of w, which are (i mod 7) - 3, and b
    EXPECT_EQ(run.run({1, 0, 0, 0, 2, 0}, 20),
              (std::vector<float>{-3, -1, 1, 3, 5, 7, 9, 4, 6, 8, 0, 3, 6, 9, -2, 1, 4, 7, 10, 13}));
    std::filesystem::remove(path_); // its bytes stay while the engine lives
    EXPECT_EQ(run.run({0, 0, 0, 0, 0, 0}, 20)[9], 9);
}

TEST_F(EngineFile, saysWhatIsWrongWithIt) {
    EXPECT_EQ(errorOf("no/such/engine"), "loadEngine: no/such/engine: cannot be read: No such file or directory");
    EXPECT_EQ(errorOf("/"), "loadEngine: /: is not a regular file");
    EXPECT_EQ(errorOf(nullptr), "loadEngine: path is null");
    write("");
    EXPECT_EQ(errorOf(path_.c_str()),
              "loadEngine: " + path_ + ": this is not a Tenon engine: 0 bytes that do not begin with its header");
    auto const saved = product();
    write({static_cast<char const*>(saved->data()), saved->size() - 1});
    EXPECT_EQ(errorOf(path_.c_str()), "loadEngine: " + path_ + ": the engine is truncated: it has " +
                                          std::to_string(saved->size() - 1) + " bytes of " +
                                          std::to_string(saved->size()));
}

} // namespace
} // namespace tenon
