// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "runtime/bindings.h"

#include <functional>

namespace tenon {

/// Passes tensors of a run to a function, for debug listeners and calibration. Belongs to a context.
class TensorWatch {
public:
    using Watch = std::function<void(Tensor const& tensor, Dims const& dims, void const* data)>;

    explicit TensorWatch(Engine const& engine) : engine_(engine) {}
    void set(Watch watch) { watch_ = std::move(watch); }
    bool isOn() const { return static_cast<bool>(watch_); }

    /// Debug tensors that are inputs or constants.
    void showGiven(Bindings& bindings) const;
    void showOutputs(Segment const& segment, size_t step) const;
    /// Debug tensors that are computed with the shapes.
    void showShapeTensors(ShapeProgram::Shapes const& shapes) const;

private:
    Engine const& engine_;
    Watch watch_;
};

} // namespace tenon
