// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Looks into a saved engine (a plan) without making an engine of it: no plugin is looked up, no library named in it is
/// loaded, and neither a device nor a runtime is needed, but for memory(). Damaged or hostile bytes are an error with a
/// text. `tenon inspect` shows what can be seen this way.
#ifndef TENON_PLAN_H
#define TENON_PLAN_H

#include "tenon/api/level.h"

#include <cstddef>
#include <cstdint>

/// A plugin that a plan needs, for one of its layers. Texts live as long as the plan.
struct TenonPlanPlugin {
    char const* node;       ///< The layer's name.
    char const* name;       ///< What the plugin is registered by: name, version, namespace.
    char const* version;    ///
    char const* nameSpace;  ///
    char const* generation; ///< The class that it was built as: "IPluginV2DynamicExt", "IPluginV3".
    char const* library;    ///< The file that held its code when the plan was built; "" where that is not known.
    char const* buildId;    ///< That file's build-id, hexadecimal; "" where it has none.
    uint64_t bytes;         ///< How much data of its own it keeps in the plan.
};

struct TenonPlan;

// The C functions behind tenon::PlanView. Those that return a text return null when all is well, else what is wrong;
// this text lives until the thread's next call.
TENON_C_FUNCTION void tenonKeepNetworks(bool keep) noexcept;
TENON_C_FUNCTION char const* tenonOpenPlan(char const* path, TenonPlan** plan) noexcept;
TENON_C_FUNCTION char const* tenonReadPlan(void const* data, size_t bytes, TenonPlan** plan) noexcept;
TENON_C_FUNCTION void tenonClosePlan(TenonPlan* plan) noexcept;
TENON_C_FUNCTION uint32_t tenonPlanFormat(TenonPlan const* plan) noexcept;
TENON_C_FUNCTION int32_t tenonPlanApiVersion(TenonPlan const* plan) noexcept;
TENON_C_FUNCTION char const* tenonPlanDevice(TenonPlan const* plan) noexcept;
TENON_C_FUNCTION char const* tenonPlanBuiltOn(TenonPlan const* plan) noexcept;
TENON_C_FUNCTION char const* tenonPlanDescription(TenonPlan const* plan) noexcept;
TENON_C_FUNCTION int32_t tenonPlanPluginCount(TenonPlan const* plan) noexcept;
TENON_C_FUNCTION TenonPlanPlugin const* tenonPlanPlugin(TenonPlan const* plan, int32_t index) noexcept;
TENON_C_FUNCTION char const* tenonVerifyPlan(TenonPlan const* plan) noexcept;
TENON_C_FUNCTION char const* tenonPlanMemory(TenonPlan const* plan, int32_t profile, uint64_t* bytes) noexcept;

namespace tenon {

/// Whether the plans that this process builds from now on keep the network as it was defined, so that they can be built
/// again for another device, as they do unless told otherwise. Without it a plan is smaller, and every other device
/// refuses it. Any thread.
inline void keepNetworks(bool keep) noexcept { tenonKeepNetworks(keep); }

/// A plan that is looked into. Open it, see that error() is null, then ask. Questions may come from any thread. All
/// texts but those of errors belong to it and end with it.
class PlanView {
public:
    /// Reads the file at `path`.
    explicit PlanView(char const* path) noexcept : error_(tenonOpenPlan(path, &plan_)) {}
    /// Reads a plan from memory; the bytes are copied.
    PlanView(void const* data, size_t bytes) noexcept : error_(tenonReadPlan(data, bytes, &plan_)) {}
    ~PlanView() { tenonClosePlan(plan_); }
    PlanView(PlanView const&) = delete;
    PlanView& operator=(PlanView const&) = delete;

    /// Null where the plan could be opened, else why not: no file, no plan, an engine of another library or version,
    /// truncated, a changed header or description. The weights are not looked at: see verify(). The text lives until
    /// this thread's next call. Where it is not null, nothing else may be called.
    char const* error() const noexcept { return error_; }

    /// The version of the file format.
    uint32_t format() const noexcept { return tenonPlanFormat(plan_); }
    /// The version of TensorRT's API that the building program was compiled for: major * 10000 + minor * 100 + patch; 0
    /// where it used no such API, and in plans up to format 2.
    int32_t apiVersion() const noexcept { return tenonPlanApiVersion(plan_); }
    /// What it was built for: "cpu", "cuda", or another backend's name.
    char const* device() const noexcept { return tenonPlanDevice(plan_); }
    /// The processor and libraries that it was built with, for people.
    char const* builtOn() const noexcept { return tenonPlanBuiltOn(plan_); }
    /// Everything that it holds but weights, as JSON in UTF-8; docs/plan_format.md names the fields.
    char const* description() const noexcept { return tenonPlanDescription(plan_); }

    /// The manifest: one entry for each layer that a plugin computes.
    int32_t pluginCount() const noexcept { return tenonPlanPluginCount(plan_); }
    /// \param index from 0, less than pluginCount()
    TenonPlanPlugin const& plugin(int32_t index) const noexcept { return *tenonPlanPlugin(plan_, index); }

    /// Reads all weights and compares their checksums. \return null when they fit, else what does not; the text lives
    ///         until this thread's next call.
    char const* verify() const noexcept { return tenonVerifyPlan(plan_); }

    /// The scratch memory that an execution context takes for the largest shapes of a profile: activations and
    /// workspaces; those of plugins as they were for the first profile. Kernels are asked, so this takes a while, and
    /// this machine must have the device.
    /// \param profile from 0
    /// \param bytes the answer; untouched where there is none
    /// \return null when it is answered, else why not; the text lives until this thread's next call
    char const* memory(int32_t profile, uint64_t& bytes) const noexcept {
        return tenonPlanMemory(plan_, profile, &bytes);
    }

private:
    TenonPlan* plan_ = nullptr;
    char const* error_;
};

} // namespace tenon

#endif // TENON_PLAN_H
