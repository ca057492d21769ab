// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/einsum/einsum.h"

#include "base/error.h"
#include "graph/elements.h"

#include <algorithm>
#include <map>

namespace tenon {

namespace layers {
LayerEntry einsumLayer() { return entryOf<Einsum>(); }
} // namespace layers

namespace {

template <class Inputs> std::vector<int> ranksOf(Inputs const& inputs) {
    std::vector<int> ranks;
    for (auto const& input : inputs) ranks.push_back(input.dims.rank());
    return ranks;
}

/// The extent of each label; an extent of 1 broadcasts to the other's.
class Extents {
public:
    void take(Labels const& labels, Shape const& shape, std::string_view equation) {
        expectSquare(labels, shape, equation);
        for (size_t i = 0; i < labels.size(); ++i) {
            if (firstOf(labels, i) < i) continue; // the diagonal's extent is set already
            auto const [found, isNew] = all_.emplace(labels[i], shape[i]);
            if (isNew) continue;
            found->second = locate([&] { return text("equation \"", equation, '"'); },
                                   [&] { return broadcast({found->second}, {shape[i]})[0]; });
        }
    }
    DimExpr const& of(int label) const { return all_.at(label); }
    std::map<int, DimExpr> const& all() const { return all_; }

private:
    /// The first axis with the label of axis i.
    static size_t firstOf(Labels const& labels, size_t i) {
        return static_cast<size_t>(std::ranges::find(labels, labels[i]) - labels.begin());
    }

    /// Axes of one input that share a label are a diagonal's.
    static void expectSquare(Labels const& labels, Shape const& shape, std::string_view equation) {
        for (size_t i = 0; i < labels.size(); ++i) {
            size_t const first = firstOf(labels, i);
            if (shape[i].constantOr(shape[first].constantOr(0)) != shape[first].constantOr(shape[i].constantOr(0)))
                fail(ErrorCode::InvalidArgument, "equation \"", equation, "\": axes ", first, " and ", i, " of ", shape,
                     " are a diagonal; expected equal extents");
        }
    }

    std::map<int, DimExpr> all_;
};

/// Strides of one input along each of `labels`: 0 for labels that it lacks or has with extent 1.
std::vector<int64_t> stepsAlong(Labels const& labels, Labels const& own, Dims const& dims) {
    Dims const strides = rowMajorStrides(dims);
    std::vector<int64_t> steps(labels.size(), 0);
    for (size_t i = 0; i < own.size(); ++i) {
        auto const at = std::ranges::find(labels, own[i]) - labels.begin();
        if (dims[static_cast<int>(i)] != 1) steps[static_cast<size_t>(at)] += strides[static_cast<int>(i)];
    }
    return steps;
}

template <class T> struct Product {
    using Sum = std::conditional_t<std::is_integral_v<T>, uint64_t, double>; // integers wrap around
    std::vector<T const*> data;
    std::vector<std::vector<int64_t>> steps;

    Sum at(Dims const& index) const {
        Sum product = 1;
        for (size_t input = 0; input < data.size(); ++input) {
            int64_t offset = 0;
            for (int axis = 0; axis < index.rank(); ++axis)
                offset += index[axis] * steps[input][static_cast<size_t>(axis)];
            product *= static_cast<Sum>(data[input][offset]);
        }
        return product;
    }
};

} // namespace

// X… [the axes of its term] → Y [those of the output]
std::vector<Result> Einsum::infer(Operands const& in) const {
    in.expectCount(1, INT32_MAX).expectNumbers(0);
    std::vector<int> ranks;
    for (int i = 0; i < in.count(); ++i) {
        in.expectSameType(0, i);
        ranks.push_back(in.rank(i));
    }
    EinsumTerms const terms = einsumTerms(equation, ranks);
    Extents extents;
    for (int i = 0; i < in.count(); ++i) extents.take(terms.inputs[static_cast<size_t>(i)], in[i].shape, equation);
    Shape shape;
    for (int const label : terms.output) shape.push_back(extents.of(label));
    return {{in[0].type, shape}};
}

void Einsum::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    EinsumTerms const terms = einsumTerms(equation, ranksOf(in));
    Extents extents;
    for (size_t i = 0; i < in.size(); ++i) extents.take(terms.inputs[i], toShape(in[i].dims), equation);
    Labels labels = terms.output; // then the labels that are summed over
    for (auto const& [label, extent] : extents.all()) {
        if (std::ranges::find(labels, label) == labels.end()) labels.push_back(label);
    }
    std::vector<int64_t> dims;
    for (int const label : labels) dims.push_back(extents.of(label).constant());
    auto const outer = static_cast<int64_t>(terms.output.size());
    Dims const summed(std::span<int64_t const>(dims).subspan(static_cast<size_t>(outer)));
    dispatch(in[0].type, [&]<class T>(TypeTag<T>) {
        Product<T> product;
        for (size_t i = 0; i < in.size(); ++i) {
            product.data.push_back(in[i].as<T>().data());
            product.steps.push_back(stepsAlong(labels, terms.inputs[i], in[i].dims));
        }
        Dims index = Dims::filled(static_cast<int>(labels.size()), 0);
        Dims const all(dims);
        for (T& y : out[0].as<T>()) {
            typename Product<T>::Sum sum = 0;
            for (int64_t i = 0; i < summed.volume(); ++i, nextIndex(index, all)) sum += product.at(index);
            if constexpr (std::is_integral_v<T>)
                y = static_cast<T>(sum);
            else
                y = static_cast<T>(static_cast<float>(sum));
        }
    });
}

} // namespace tenon
