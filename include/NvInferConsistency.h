// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// The checker of engines for the safety runtime. There are none here (see NvInferSafeRuntime.h), so no engine passes.
#ifndef NV_INFER_CONSISTENCY_H
#define NV_INFER_CONSISTENCY_H

#include "NvInferRuntime.h"

#if (TENON_LEVEL < 8 || TENON_LEVEL > 10) && !defined(TENON_ALL_LEVELS)
#error "NvInferConsistency.h began with level 8 and ended with level 10: there is nothing in its place."
#else

namespace nvinfer1 {

namespace consistency {

/// Whether a saved engine is one that the safety runtime may run.
class IConsistencyChecker {
public:
    IConsistencyChecker(IConsistencyChecker const&) = delete;
    IConsistencyChecker& operator=(IConsistencyChecker const&) = delete;
    virtual ~IConsistencyChecker() = default;

    /// \return false, with an error in the log: no engine of this library was built with EngineCapability::kSAFETY
    virtual bool validate() const noexcept = 0;

protected:
    IConsistencyChecker() = default;
};

/// A creator that says whether what its plugins saved is consistent. Nothing asks it.
class IPluginChecker : public IPluginCreator {
public:
    IPluginChecker() = default;
    ~IPluginChecker() override = default;

    /// \param in, out `nbInputs` and `nbOutputs` tensors \param workspaceSize bytes
    virtual bool validate(char const* name, void const* serialData, size_t serialLength, PluginTensorDesc const* in,
                          size_t nbInputs, PluginTensorDesc const* out, size_t nbOutputs,
                          int64_t workspaceSize) const noexcept = 0;

protected:
    IPluginChecker(IPluginChecker const&) = default;
    IPluginChecker& operator=(IPluginChecker const&) & = default;
};

} // namespace consistency

namespace tenonAbi {

/// The checker that createConsistencyChecker() makes.
class ConsistencyChecker : public consistency::IConsistencyChecker {
public:
    explicit ConsistencyChecker(ILogger* logger = nullptr) : logger_(logger) {}

    bool validate() const noexcept override {
        logger_->log(ILogger::Severity::kERROR, "IConsistencyChecker::validate: the engine was not built with "
                                                "EngineCapability::kSAFETY, which is not supported");
        return false;
    }

private:
    ILogger* logger_; // never null
};

} // namespace tenonAbi

namespace consistency {

/// \param logger must live as long as the checker \param blob the saved engine of `size` bytes
/// \return the caller's, which deletes it
inline IConsistencyChecker* createConsistencyChecker(ILogger& logger, void const*, size_t) {
    return new tenonAbi::ConsistencyChecker(&logger);
}

} // namespace consistency

} // namespace nvinfer1

#endif

#endif // NV_INFER_CONSISTENCY_H
