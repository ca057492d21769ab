// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/builder/calibrator_call.h"

#include "base/error.h"
#include "trt/edge/call_program.h"
#include "trt/edge/reachable.h"

namespace tenon::trt {
namespace {

namespace api = nvinfer1;

/// Runs a method of the application.
template <class Body> auto call(std::string_view method, Body&& body) {
    return callProgram(text("the calibrator's ", method), body);
}

CalibrationMethod methodOf(api::IInt8Calibrator& calibrator) {
    auto const given = static_cast<int32_t>(call("getAlgorithm", [&] { return calibrator.getAlgorithm(); }));
    auto const count = static_cast<int32_t>(names(CalibrationMethod{}).size());
    if (given < 0 || given >= count)
        fail(ErrorCode::InvalidArgument, "the calibrator's getAlgorithm returned ", given,
             "; expected a CalibrationAlgoType, 0 to ", count - 1);
    return static_cast<CalibrationMethod>(given);
}

/// The results of readCalibrationCache and readHistogramCache.
template <class Read> std::optional<std::string> textFrom(std::string_view method, Read&& read) {
    size_t length = 0;
    void const* const data = call(method, [&] { return read(length); });
    if (data == nullptr || length == 0) return std::nullopt;
    return std::string(static_cast<char const*>(data), length);
}

double fraction(std::string_view method, double value) {
    if (!(value >= 0 && value <= 1))
        fail(ErrorCode::InvalidArgument, "the calibrator's ", method, " returned ", value, "; expected 0 to 1");
    return value;
}

} // namespace

CalibratorCall::CalibratorCall(api::IInt8Calibrator& calibrator)
    : calibrator_(calibrator), method_(methodOf(calibrator)) {}

int32_t CalibratorCall::batchSize() const {
    return call("getBatchSize", [&] { return calibrator_.getBatchSize(); });
}

bool CalibratorCall::nextBatch(std::vector<Tensor const*> const& inputs, std::vector<void*>& addresses,
                               DeviceChoice const& where) {
    std::vector<char const*> names;
    for (Tensor const* input : inputs) names.push_back(input->name.c_str());
    auto const count = static_cast<int32_t>(inputs.size());
    if (!call("getBatch", [&] { return calibrator_.getBatch(addresses.data(), names.data(), count); })) return false;
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (addresses[i] == nullptr)
            fail(ErrorCode::InvalidArgument, "the calibrator's getBatch returned true, but no address for input ",
                 inputs[i]->name, " (bindings[", i, "] is null); expected false after the last batch");
        locate([] { return "the calibrator's getBatch"; },
               [&] { expectReachable(inputs[i]->name, addresses[i], where, cuda_); });
    }
    if (where.device == Device::Cpu) cuda_.waitFor(nullptr); // copies that the application began there
    return true;
}

std::optional<std::string> CalibratorCall::cache() {
    return textFrom("readCalibrationCache", [&](size_t& length) { return calibrator_.readCalibrationCache(length); });
}

void CalibratorCall::keep(std::string const& cache) {
    call("writeCalibrationCache", [&] { calibrator_.writeCalibrationCache(cache.data(), cache.size()); });
}

/// The object reports its algorithm, as in TensorRT: an application may be built without RTTI.
api::IInt8LegacyCalibrator& CalibratorCall::legacy() const {
    return static_cast<api::IInt8LegacyCalibrator&>(calibrator_);
}

LegacyParameters CalibratorCall::parameters() const {
    if (method_ != CalibrationMethod::Legacy) return {};
    return {
        fraction("getQuantile", call("getQuantile", [&] { return legacy().getQuantile(); })),
        fraction("getRegressionCutoff", call("getRegressionCutoff", [&] { return legacy().getRegressionCutoff(); }))};
}

std::optional<std::string> CalibratorCall::histogramCache() {
    if (method_ != CalibrationMethod::Legacy) return std::nullopt;
    return textFrom("readHistogramCache", [&](size_t& length) { return legacy().readHistogramCache(length); });
}

void CalibratorCall::keepHistograms(std::string const& cache) {
    if (method_ != CalibrationMethod::Legacy) return;
    call("writeHistogramCache", [&] { legacy().writeHistogramCache(cache.data(), cache.size()); });
}

} // namespace tenon::trt
