// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Builds an int8 engine with ranges calibrated from samples: bench_calibrate MODEL SHAPE SAMPLES ENGINE ALGORITHM. The
// model is ONNX and has one input, of SHAPE (1x3x48x320) for each sample; SAMPLES holds the concatenated samples, as
// raw floats. ALGORITHM: entropy, entropy2 or minmax. Prints the cache.
#include <NvInfer.h>
#include <NvOnnxParser.h>
#include <tenon/device.h>
#include <tenon/memory.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace nvinfer1;

class Logger final : public ILogger {
    void log(Severity severity, char const* text) override {
        if (severity <= Severity::kWARNING) std::cerr << text << '\n';
    }
};

std::vector<char> bytesOf(std::string const& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(path + " cannot be read");
    return {std::istreambuf_iterator<char>(file), {}};
}

/// One sample per batch.
template <class Base> class Calibrator final : public Base {
public:
    Calibrator(std::vector<char> samples, size_t size) : samples_(std::move(samples)), batch_(nullptr, size) {}

    int32_t getBatchSize() const override { return 1; }
    bool getBatch(void* bindings[], char const*[], int32_t) override {
        if (next_ + batch_.size() > samples_.size()) return false;
        stream_.copy(batch_.data(), samples_.data() + next_, batch_.size());
        stream_.wait();
        next_ += batch_.size();
        bindings[0] = batch_.data();
        return true;
    }
    void const* readCalibrationCache(size_t&) override { return nullptr; }
    void writeCalibrationCache(void const* cache, size_t size) override {
        std::cout.write(static_cast<char const*>(cache), static_cast<std::streamsize>(size));
    }

private:
    std::vector<char> samples_;
    size_t next_ = 0;
    tenon::Stream stream_;
    tenon::DeviceMemory batch_;
};

Dims dimsOf(std::string text) {
    Dims dims{};
    for (size_t end = 0; !text.empty(); text.erase(0, end)) {
        dims.d[dims.nbDims++] = std::stoll(text, &end);
        end += end < text.size() ? 1 : 0;
    }
    return dims;
}

std::unique_ptr<IInt8Calibrator> calibratorFor(std::string const& algorithm, std::string const& samples, Dims shape) {
    size_t size = sizeof(float);
    for (int32_t i = 0; i < shape.nbDims; ++i) size *= static_cast<size_t>(shape.d[i]);
    if (algorithm == "minmax") return std::make_unique<Calibrator<IInt8MinMaxCalibrator>>(bytesOf(samples), size);
    if (algorithm == "entropy") return std::make_unique<Calibrator<IInt8EntropyCalibrator>>(bytesOf(samples), size);
    return std::make_unique<Calibrator<IInt8EntropyCalibrator2>>(bytesOf(samples), size);
}

void build(std::vector<std::string> const& words) {
    Logger logger;
    std::unique_ptr<IBuilder> const builder(createInferBuilder(logger));
    std::unique_ptr<INetworkDefinition> const network(builder->createNetworkV2(0));
    std::unique_ptr<nvonnxparser::IParser> const parser(nvonnxparser::createParser(*network, logger));
    if (!parser->parseFromFile(words[1].c_str(), 1)) throw std::runtime_error("the model cannot be read");
    Dims const shape = dimsOf(words[2]);
    std::unique_ptr<IBuilderConfig> const config(builder->createBuilderConfig());
    IOptimizationProfile* const profile = builder->createOptimizationProfile();
    for (auto const at : {OptProfileSelector::kMIN, OptProfileSelector::kOPT, OptProfileSelector::kMAX})
        profile->setDimensions(network->getInput(0)->getName(), at, shape);
    config->addOptimizationProfile(profile);
    auto const calibrator = calibratorFor(words[5], words[3], shape);
    config->setFlag(BuilderFlag::kINT8);
    config->setInt8Calibrator(calibrator.get());
    std::unique_ptr<IHostMemory> const engine(builder->buildSerializedNetwork(*network, *config));
    if (!engine) throw std::runtime_error("the engine cannot be built");
    std::ofstream(words[4], std::ios::binary)
        .write(static_cast<char const*>(engine->data()), static_cast<std::streamsize>(engine->size()));
}

} // namespace

int main(int count, char** words) try {
    if (count != 6) throw std::runtime_error("bench_calibrate MODEL SHAPE SAMPLES ENGINE ALGORITHM");
    build({words, words + count});
    return 0;
} catch (std::exception const& error) {
    std::cerr << "bench_calibrate: " << error.what() << '\n';
    return 1;
}
