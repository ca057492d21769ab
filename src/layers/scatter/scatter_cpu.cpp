// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/scatter/scatter.h"

#include "backends/cpu/cpu_backend.h"
#include "base/parallel.h"
#include "base/text.h"
#include "graph/elements.h"
#include "layers/gather/gather.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

namespace tenon::cpu {
namespace {

/// Applies an update to an element.
template <class T> struct Replacing {
    using Element = T;
    void operator()(T& element, T update) const { element = update; }
};
template <class T> struct Combining {
    using Element = T;
    using Wide = std::conditional_t<std::is_integral_v<T>, int64_t, float>;
    Scatter::Reduction reduction;

    void operator()(T& element, T update) const {
        element = static_cast<T>(combined(reduction, static_cast<Wide>(element), static_cast<Wide>(update)));
    }
};

/// The most common reduction, without a branch for each element.
template <class T> struct Adding {
    using Element = T;
    using Wide = typename Combining<T>::Wide;

    void operator()(T& element, T update) const {
        element =
            static_cast<T>(combined(Scatter::Reduction::Add, static_cast<Wide>(element), static_cast<Wide>(update)));
    }
};

template <class Body> void dispatchUpdate(DataType type, Scatter::Reduction reduction, Body const& body) {
    if (reduction == Scatter::Reduction::Add) return dispatch(type, [&]<class T>(TypeTag<T>) { body(Adding<T>{}); });
    if (reduction != Scatter::Reduction::None)
        return dispatch(type, [&]<class T>(TypeTag<T>) { body(Combining<T>{reduction}); });
    switch (elementBytes(type)) {
    case 1: return body(Replacing<uint8_t>{});
    case 2: return body(Replacing<uint16_t>{});
    case 4: return body(Replacing<uint32_t>{});
    }
    body(Replacing<uint64_t>{});
}

class Scattering : public Executable {
public:
    explicit Scattering(PrepareArgs const& args)
        : x_(args.inputs[Scatter::kX]), type_(args.variant.inputs[Scatter::kX].type),
          reduction_(as<Scatter>(*args.node.layer)->reduction),
          wide_(args.variant.inputs[Scatter::kIndices].type == DataType::Int64) {}

protected:
    int64_t indexAt(Pointers const& pointers, int64_t i) const {
        void const* const indices = pointers.inputs[Scatter::kIndices];
        return wide_ ? static_cast<int64_t const*>(indices)[i] : static_cast<int32_t const*>(indices)[i];
    }
    /// Elements [begin, end) of X to Y.
    void copy(Pointers const& pointers, int64_t begin, int64_t end) const {
        auto const bytes = static_cast<int64_t>(elementBytes(type_));
        auto const* x = static_cast<std::byte const*>(pointers.inputs[Scatter::kX]) + begin * bytes;
        auto* y = static_cast<std::byte*>(pointers.outputs[0]) + begin * bytes;
        if (x != y) std::memcpy(y, x, static_cast<size_t>((end - begin) * bytes));
    }

    static constexpr int64_t kGrain = 16 << 10; // elements

    Dims x_;
    DataType type_;
    Scatter::Reduction reduction_;
    bool wide_;
};

/// Indices [O,I,J]: a line consists of the elements along the axis at one (o, j), of updates and of Y. Lines are
/// independent; the updates of one are applied in their order.
class ScatteringElements final : public Scattering {
public:
    explicit ScatteringElements(PrepareArgs const& args)
        : Scattering(args), dims_(args.inputs[Scatter::kIndices]), strides_(rowMajorStrides(x_)),
          axis_(resolveAxis(as<Scatter>(*args.node.layer)->axis, x_.rank())),
          inner_(dims_.volume(axis_ + 1, dims_.rank())) {}

    void run(Pointers const& pointers) override {
        parallelFor(x_.volume(), kGrain, [&](int64_t begin, int64_t end) { copy(pointers, begin, end); });
        if (dims_.volume() == 0) return;
        std::atomic<int64_t> wrong{-1}; // bodies of parallelFor must not throw
        dispatchUpdate(type_, reduction_, [&](auto const& update) {
            parallelFor(dims_.volume() / dims_[axis_], grain(), [&](int64_t begin, int64_t end) {
                int64_t const bad = wide_ ? scatter<int64_t>(update, begin, end, pointers)
                                          : scatter<int32_t>(update, begin, end, pointers);
                if (bad >= 0) wrong.store(bad);
            });
        });
        if (wrong >= 0) failOnIndex(indexAt(pointers, wrong), x_[axis_], axis_);
    }

private:
    static constexpr int64_t kTile = 256;      // lines that are processed together, at most
    static constexpr int64_t kSideBySide = 32; // and at least

    /// Lines of one thread: at least some adjacent ones, since they share cache lines of the indices, the updates and
    /// Y, and as many of these as the number of threads allows.
    int64_t grain() const {
        int64_t const lines = dims_.volume() / dims_[axis_];
        int64_t const least = std::max(std::min(inner_, kSideBySide), kGrain / dims_[axis_]);
        return std::max(least, std::min(kTile, lines / usefulSlots(lines, least)));
    }

    /// Returns the position of an index that is out of range; -1 if there is none.
    template <class Index, class Update>
    int64_t scatter(Update const& update, int64_t begin, int64_t end, Pointers const& pointers) const {
        for (int64_t line = begin, count = 0; line < end; line += count) {
            count = std::min({kTile, end - line, inner_ - line % inner_});
            int64_t const bad = scatterTile<Index>(update, line, count, pointers);
            if (bad >= 0) return bad;
        }
        return -1;
    }

    /// Processes adjacent lines.
    template <class Index, class Update>
    int64_t scatterTile(Update const& update, int64_t line, int64_t count, Pointers const& pointers) const {
        using T = typename Update::Element;
        auto* y = static_cast<T*>(pointers.outputs[0]);
        std::array<int64_t, kTile> to;
        for (int64_t l = 0; l < count; ++l) to[static_cast<size_t>(l)] = startOf(line + l);
        int64_t const extent = x_[axis_];
        int64_t const stride = strides_[axis_];
        int64_t at = line / inner_ * dims_[axis_] * inner_ + line % inner_;
        for (int64_t i = 0; i < dims_[axis_]; ++i, at += inner_) {
            auto const* indices = static_cast<Index const*>(pointers.inputs[Scatter::kIndices]) + at;
            auto const* updates = static_cast<T const*>(pointers.inputs[Scatter::kUpdates]) + at;
            for (int64_t l = 0; l < count; ++l) {
                int64_t const index = indices[l];
                if (index < -extent || index >= extent) return at + l;
                update(y[to[static_cast<size_t>(l)] + (index < 0 ? index + extent : index) * stride], updates[l]);
            }
        }
        return -1;
    }

    int64_t startOf(int64_t line) const {
        int64_t start = 0;
        for (int axis = dims_.rank() - 1; axis >= 0; --axis) {
            if (axis == axis_) continue;
            start += line % dims_[axis] * strides_[axis];
            line /= dims_[axis];
        }
        return start;
    }

    Dims dims_; // of indices and updates
    Dims strides_;
    int axis_;
    int64_t inner_; // J
};

/// Indices [I,k], updates [I,J]. Each thread owns a range of Y, reads all indices, and applies the updates within its
/// range in their order: so equal indices do not conflict.
class ScatteringBlocks final : public Scattering {
public:
    explicit ScatteringBlocks(PrepareArgs const& args) : Scattering(args) {
        Dims const& indices = args.inputs[Scatter::kIndices];
        int const last = indices.rank() - 1;
        length_ = static_cast<int>(indices[last]);
        count_ = indices.volume(0, last);
        inner_ = x_.volume(length_, x_.rank());
    }

    void run(Pointers const& pointers) override {
        std::atomic<int64_t> wrong{-1}; // bodies of parallelFor must not throw
        dispatchUpdate(type_, reduction_, [&](auto const& update) {
            int64_t const ranges = usefulSlots(x_.volume(), kGrain); // each reads all indices
            parallelFor(ranges, 1, [&](int64_t first, int64_t last) {
                int64_t const begin = x_.volume() * first / ranges;
                int64_t const end = x_.volume() * last / ranges;
                copy(pointers, begin, end);
                int64_t const bad = scatter(update, begin, end, pointers);
                if (bad >= 0) wrong.store(bad);
            });
        });
        if (wrong >= 0) failOnIndex(indexAt(pointers, wrong), x_[axisOf(wrong)], axisOf(wrong));
    }

private:
    int axisOf(int64_t number) const { return static_cast<int>(number % length_); }

    /// Returns the position of an index that is out of range; -1 if there is none.
    template <class Update>
    int64_t scatter(Update const& update, int64_t begin, int64_t end, Pointers const& pointers) const {
        using T = typename Update::Element;
        auto const* updates = static_cast<T const*>(pointers.inputs[Scatter::kUpdates]);
        auto* y = static_cast<T*>(pointers.outputs[0]);
        for (int64_t tuple = 0; tuple < count_; ++tuple) {
            int64_t block = 0;
            for (int k = 0; k < length_; ++k) {
                int64_t const index = indexAt(pointers, tuple * length_ + k);
                if (index < -x_[k] || index >= x_[k]) return tuple * length_ + k;
                block = block * x_[k] + (index < 0 ? index + x_[k] : index);
            }
            int64_t const first = block * inner_;
            int64_t const last = std::min(first + inner_, end);
            int64_t const shift = tuple * inner_ - first;
            for (int64_t at = std::max(first, begin); at < last; ++at) update(y[at], updates[shift + at]);
        }
        return -1;
    }

    int length_ = 1;    // components of an index
    int64_t count_ = 0; // indices
    int64_t inner_ = 1; // elements of a block
};

class CpuScatter final : public Kernel {
public:
    std::string_view name() const override { return "scatter"; }

    // any type, linear
    Offer offer(KernelQuery const& query) const override { return offerMoving(query, {.reads = {2, 0, 2}}); }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        if (as<Scatter>(*args.node.layer)->mode == Scatter::Mode::Element)
            return std::make_unique<ScatteringElements>(args);
        return std::make_unique<ScatteringBlocks>(args);
    }
};

constexpr CpuScatter kScatter;
constexpr Kernel const* kKernels[]{&kScatter};

} // namespace

KernelList scatterKernels() { return {Scatter::kKind, kKernels}; }

} // namespace tenon::cpu
