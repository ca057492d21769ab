// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Collects errors instead of reading the log.

#include "client.h"

#include <mutex>
#include <utility>

using namespace nvinfer1;

namespace {

class Recorder final : public IErrorRecorder {
public:
    int32_t getNbErrors() const noexcept override { return static_cast<int32_t>(errors_.size()); }
    ErrorCode getErrorCode(int32_t i) const noexcept override { return errors_[static_cast<size_t>(i)].first; }
    ErrorDesc getErrorDesc(int32_t i) const noexcept override { return errors_[static_cast<size_t>(i)].second.c_str(); }
    bool hasOverflowed() const noexcept override { return false; }
    void clear() noexcept override { errors_.clear(); }
    bool reportError(ErrorCode code, ErrorDesc text) noexcept override {
        std::lock_guard<std::mutex> const lock(mutex_);
        errors_.emplace_back(code, text);
        return true;
    }
    RefCount incRefCount() noexcept override { return ++users_; }
    RefCount decRefCount() noexcept override { return --users_; }

private:
    std::mutex mutex_;
    std::vector<std::pair<ErrorCode, std::string>> errors_;
    RefCount users_ = 0;
};

} // namespace

int main() {
    client::Logger logger;
    Recorder recorder;
    client::Definition d(logger);
    ITensor* x = d.network->addInput("x", DataType::kFLOAT, Dims2(-1, 4));
    d.output(d.network->addIdentity(*x)->getOutput(0), "y");
    d.range("x", Dims2(1, 4), Dims2(2, 4), Dims2(8, 4));
    client::Owned<IRuntime> runtime(createInferRuntime(logger));
    runtime->setErrorRecorder(&recorder);
    client::require(runtime->deserializeCudaEngine("rubbish", 7) == nullptr, "a refusal");
    client::require(recorder.getNbErrors() == 1, "one error");
    client::require(recorder.getErrorCode(0) != ErrorCode::kSUCCESS, "a code");

    recorder.clear();
    auto const file = d.build();
    client::Owned<ICudaEngine> engine(runtime->deserializeCudaEngine(file->data(), file->size()));
    client::Owned<IExecutionContext> context(engine->createExecutionContext()); // its recorder is the runtime's
    client::require(!context->setInputShape("x", Dims2(9, 4)), "a refusal");
    client::require(recorder.getNbErrors() == 1, "one error");
    std::string const text = recorder.getErrorDesc(0);
    client::require(text.find("x") != std::string::npos && text.find("9") != std::string::npos,
                    "the input and its shape");
    std::puts("ok");
}
