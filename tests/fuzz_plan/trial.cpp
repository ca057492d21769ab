// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trial.h"

#include "base/error.h"
#include "plan/file/plan_file.h"
#include "runtime/context.h"
#include "support/api.h"

#include <cstring>

namespace tenon::test {
namespace {

constexpr size_t kMostBytes = size_t{1} << 24; // of one tensor, or of all activations
constexpr size_t kGuard = 256;
constexpr std::byte kUntouched{0xA5};

class TooLarge {};

/// Memory of exactly this size, which detects writes after its end.
class Guarded {
public:
    explicit Guarded(size_t bytes) : bytes_(bytes) {
        if (bytes > kMostBytes) throw TooLarge();
        memory_ = allocateHost(bytes + kGuard);
        std::memset(data(), static_cast<int>(kUntouched), bytes + kGuard);
    }
    void* data() const { return memory_.get(); }
    size_t bytes() const { return bytes_; }
    void check(std::string const& what) const {
        auto const* end = static_cast<std::byte const*>(data()) + bytes_;
        bool const isWhole = std::all_of(end, end + kGuard, [](std::byte b) { return b == kUntouched; });
        if (!isWhole) throw std::runtime_error(what + " was written behind its end");
    }

private:
    size_t bytes_;
    std::shared_ptr<void> memory_;
};

class Trial {
public:
    Trial(Plan plan, Random& random) : random_(random), engine_(std::move(plan)), context_(engine_, 1) {}

    void run() {
        Graph const& graph = engine_.plan().graph;
        context_.setProfile(static_cast<int>(random_() % engine_.plan().profiles.size()));
        for (Tensor const* input : graph.inputs()) feed(*input);
        if (context_.memoryBytes() > 4 * kMostBytes) throw TooLarge();
        for (Tensor const* output : graph.outputs()) {
            buffers_.emplace_back(bytesOf(context_.largestShapeOf(output), output->label));
            if (output->producer()) context_.setAddress(output, buffers_.back().data());
        }
        for (int i = 0; i < 2; ++i) context_.enqueue(nullptr);
        for (size_t i = 0; i < buffers_.size(); ++i) buffers_[i].check("tensor " + std::to_string(i));
        engine_.memoryBytes(context_.profile());
    }

private:
    void feed(Tensor const& input) {
        Profile const& profile = engine_.plan().profiles[static_cast<size_t>(context_.profile())];
        auto const found = profile.find(input.name);
        Dims dims = found == profile.end() ? toDims(input.shape) : pick(found->second.min, found->second);
        if (input.onHost && dims.rank() == 0) dims = toDims(input.shape);
        Guarded& buffer = buffers_.emplace_back(bytesOf(dims, input.label));
        fill(buffer, input, found == profile.end() ? nullptr : &found->second);
        context_.setInputShape(&input, dims);
        context_.setAddress(&input, buffer.data());
    }

    Dims const& pick(Dims const& min, InputRange const& range) {
        size_t const way = random_() % 3;
        return way == 0 ? min : way == 1 ? range.opt : range.max;
    }

    void fill(Guarded& buffer, Tensor const& input, InputRange const* range) {
        bool const isWide = bitsOf(input.label.type) == 64;
        for (size_t at = 0; at + (isWide ? 8 : 4) <= buffer.bytes(); at += isWide ? 8 : 4) {
            float const real = static_cast<float>(random_() % 64) / 16 - 2;
            int64_t number = static_cast<int64_t>(random_() % 8) - 1;
            if (input.onHost && range != nullptr && at / 8 < range->optValues.size()) number = range->optValues[at / 8];
            auto* to = static_cast<std::byte*>(buffer.data()) + at;
            if (input.label.type == DataType::Float32)
                std::memcpy(to, &real, sizeof real);
            else
                std::memcpy(to, &number, isWide ? 8 : 4);
        }
    }

    Random& random_;
    Engine engine_;
    Context context_;
    std::vector<Guarded> buffers_;
};

/// The queries that applications make of an engine through the API.
void askApi(std::span<std::byte const> plan) {
    Messages messages;
    std::unique_ptr<nvinfer1::IRuntime> const runtime(nvinfer1::createInferRuntime(messages));
    std::unique_ptr<nvinfer1::ICudaEngine> const engine(runtime->deserializeCudaEngine(plan.data(), plan.size()));
    if (!engine) return;
    for (int32_t i = 0; i < engine->getNbIOTensors(); ++i) {
        char const* const name = engine->getIOTensorName(i);
        engine->getTensorShape(name);
        engine->getTensorFormatDesc(name);
        engine->getTensorVectorizedDim(name);
        engine->getProfileShape(name, 0, nvinfer1::OptProfileSelector::kMAX);
        engine->isShapeInferenceIO(name);
    }
    std::unique_ptr<nvinfer1::IEngineInspector> const inspector(engine->createEngineInspector());
    inspector->getEngineInformation(nvinfer1::LayerInformationFormat::kJSON);
    std::unique_ptr<nvinfer1::IExecutionContext> const context(engine->createExecutionContext());
}

} // namespace

Outcome tryPlan(std::span<std::byte const> plan, Random& random) {
    try {
        Plan read = readPlan(plan);
        if (random() % 8 == 0) writePlan(read);
        if (random() % 4 == 0) askApi(plan);
        Trial(std::move(read), random).run();
        return Outcome::Ran;
    } catch (Error const& error) {
        if (error.code() == ErrorCode::Internal) throw;
        return Outcome::Refused;
    } catch (std::bad_alloc const&) {
        return Outcome::TooLarge;
    } catch (TooLarge const&) {
        return Outcome::TooLarge;
    }
}

} // namespace tenon::test
