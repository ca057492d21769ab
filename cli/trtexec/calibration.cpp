// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "calibration.h"

#include "element.h"
#include "failure.h"
#include "files.h"
#include "log.h"
#include "network.h"

#include <algorithm>

namespace trtexec {

using namespace nvinfer1;

namespace {

/// Of the input at the profile's optimum shape.
size_t elementsOf(ITensor const& input, IOptimizationProfile const* profile) {
    Dims dims = input.getDimensions();
    bool const isOpen = std::any_of(dims.d, dims.d + dims.nbDims, [](int64_t extent) { return extent == -1; });
    if (isOpen && profile) dims = profile->getDimensions(input.getName(), OptProfileSelector::kOPT);
    size_t count = 1;
    for (int32_t axis = 0; axis < dims.nbDims; ++axis) count *= static_cast<size_t>(std::max<int64_t>(dims.d[axis], 1));
    return count;
}

/// The network computes in float32, with the data for int8 and other types.
DataType typeInside(ITensor const& input) {
    DataType const type = input.getType();
    bool const isReal = type == DataType::kHALF || type == DataType::kBF16 || type == DataType::kINT8;
    return isReal ? DataType::kFLOAT : type;
}

} // namespace

Calibrator::Calibrator(std::string const& file, INetworkDefinition const& network, IOptimizationProfile const* profile,
                       Log& log) {
    if (fileExists(file)) {
        cache_ = readFile(file);
        if (cache_.empty())
            fail("--calib=", file,
                 ": it is empty; expected a calibration cache, or no such file, which calibrates with "
                 "random inputs");
        return;
    }
    log.warning("--calib=", file,
                ": there is no such file; calibrating with random inputs. Times are right, results are "
                "not");
    for (int32_t i = 0; i < network.getNbInputs(); ++i) {
        ITensor const& input = *network.getInput(i);
        DataType const type = typeInside(input);
        inputs_[input.getName()] = {type, (elementsOf(input, profile) * static_cast<size_t>(bitsOf(type)) + 7) / 8};
    }
}

bool Calibrator::getBatch(void* bindings[], char const* names[], int32_t nbBindings) {
    if (isRun_ || inputs_.empty()) return false;
    isRun_ = true;
    tenon::Stream stream;
    for (int32_t i = 0; i < nbBindings; ++i) {
        Input const& input = inputs_.at(names[i]);
        std::vector<std::byte> values(input.bytes);
        fillRandom(input.type, values);
        memory_.emplace_back(nullptr, input.bytes);
        bindings[i] = memory_.back().data();
        stream.copy(bindings[i], values.data(), values.size());
        stream.wait();
    }
    return true;
}

void const* Calibrator::readCalibrationCache(size_t& length) {
    length = cache_.size();
    return cache_.empty() ? nullptr : cache_.data();
}

std::unique_ptr<Calibrator> setCalibration(BuildOptions const& options, INetworkDefinition const& network,
                                           IBuilder& builder, IBuilderConfig& config,
                                           std::vector<IOptimizationProfile*> const& profiles, Log& log) {
    if (options.calibrationFile.empty() || !options.has(BuilderFlag::kINT8)) return nullptr;
    IOptimizationProfile const* profile = nullptr;
    if (!options.calibrationShapes.empty()) {
        profile = makeProfile(options.calibrationShapes, network, builder, "calibration", log);
    } else if (!profiles.empty()) {
        profile = profiles[static_cast<size_t>(options.calibrationProfile)];
    }
    if (profile && !config.setCalibrationProfile(profile))
        fail("the calibration profile is not valid; see the log above");
    auto calibrator = std::make_unique<Calibrator>(options.calibrationFile, network, profile, log);
    config.setInt8Calibrator(calibrator.get());
    return calibrator;
}

} // namespace trtexec
