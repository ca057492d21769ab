// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "graph/evaluate.h"

#include "base/error.h"
#include "base/tensor_size.h"

#include <algorithm>
#include <map>

namespace tenon {
namespace {

Operand operandOf(Literal const* literal) {
    if (literal == nullptr) return {.present = false, .shape = {}, .values = {}};
    return {.type = literal->type(), .shape = toShape(literal->dims()), .values = {}, .literal = literal};
}

/// Computes what a tensor depends on, each node once. Not by recursion: a chain of nodes may be as long as a model.
class Folding {
public:
    std::optional<Literal> value(Tensor const& tensor) {
        if (auto known = ownValue(tensor)) return known;
        std::vector<Node const*> waiting;
        if (tensor.producer() != nullptr) waiting.push_back(tensor.producer());
        while (!waiting.empty()) {
            Node const* const first = compute(*waiting.back());
            if (first != nullptr) {
                waiting.push_back(first);
            } else {
                waiting.pop_back();
            }
        }
        return madeValue(tensor);
    }

private:
    static std::optional<Literal> ownValue(Tensor const& tensor) {
        if (Literal const* literal = tensor.literal()) return *literal;
        return valuesOf(tensor);
    }

    /// Of a tensor whose producer is known.
    std::optional<Literal> madeValue(Tensor const& tensor) const {
        auto const made = known_.find(tensor.producer());
        if (made == known_.end() || made->second.empty()) return std::nullopt;
        return made->second[static_cast<size_t>(tensor.producerIndex())];
    }

    /// Null, and the node is known; or another one that must be known first.
    Node const* compute(Node const& node) {
        std::vector<Literal> inputs(node.inputs().size());
        std::vector<Literal const*> pointers(node.inputs().size(), nullptr);
        for (size_t i = 0; i < inputs.size(); ++i) {
            Tensor const* const input = node.inputs()[i];
            if (input == nullptr) continue;
            auto value = ownValue(*input);
            if (!value && input->producer() != nullptr && !known_.contains(input->producer())) return input->producer();
            if (!value) value = madeValue(*input);
            if (!value) return known_[&node].clear(), nullptr;
            inputs[i] = *value;
            pointers[i] = &inputs[i];
        }
        known_[&node] = computed(node, pointers);
        return nullptr;
    }

    static std::vector<Literal> computed(Node const& node, std::span<Literal const* const> inputs) {
        if (isHuge(node, inputs) || node.kind() == "Loop") return {}; // a loop may take as long as it likes
        try {
            return evaluate(node, inputs);
        } catch (Error const&) {
            return {}; // a plugin, or a data-dependent size
        }
    }

    /// Much larger than its inputs: no model needs such a constant, and its author may not have meant it.
    static bool isHuge(Node const& node, std::span<Literal const* const> inputs) {
        constexpr size_t kAlwaysFine = size_t{1} << 26;
        size_t from = 0;
        for (Literal const* input : inputs) from += input ? input->bytes() : 0;
        size_t to = 0;
        for (Tensor const* output : node.outputs())
            to += isConstant(output->shape) ? bytesOf(output->type, toDims(output->shape).volume()) : 0;
        return to > std::max(kAlwaysFine, 2 * from);
    }

    std::map<Node const*, std::vector<Literal>> known_; // empty: depends on more than constants
};

} // namespace

std::vector<Literal> computeByReference(Layer const& layer, std::span<HostTensor const> in,
                                        std::span<OutputSpace const> out) {
    std::vector<Literal> results;
    std::vector<HostTensor> views;
    for (OutputSpace const& output : out) {
        auto memory = allocateHost(output.bytes());
        views.push_back({output.type, output.dims, memory.get()});
        results.push_back(Literal::borrowed(output.type, output.dims, memory.get(), memory));
    }
    layer.reference(in, views);
    return results;
}

namespace {

/// The outputs where data-dependent extents are these; nullptr: at their upper bounds.
std::vector<OutputSpace> spacesOf(std::vector<Result> const& results, std::vector<SizeTensor> const& sizes,
                                  std::vector<Literal> const* known) {
    auto const valueOf = [&](std::string const& symbol) -> std::optional<DimExpr> {
        for (SizeTensor const& size : sizes) {
            if (size.symbol == symbol)
                return known ? DimExpr((*known)[static_cast<size_t>(size.output)].toInt64()[0]) : size.upper;
        }
        return std::nullopt;
    };
    std::vector<OutputSpace> spaces;
    for (Result const& result : results) {
        Shape shape;
        for (DimExpr const& dim : result.shape) shape.push_back(dim.substitute(valueOf));
        spaces.push_back({result.type, toDims(shape)});
        expectExtents(spaces.back().dims, spaces.size() - 1);
        expectHoldable(result.type, spaces.back().dims);
    }
    return spaces;
}

std::vector<Literal> evaluate(Node const& node, Operands const& operands, std::span<HostTensor const> in) {
    auto const results = node.layer->infer(operands);
    auto const sizes = node.layer->sizes(operands);
    auto const spaces = spacesOf(results, sizes, nullptr);
    auto found = computeByReference(*node.layer, in, spaces);
    if (sizes.empty()) return found;
    auto const actual = spacesOf(results, sizes, &found);
    for (size_t i = 0; i < found.size(); ++i) {
        if (actual[i].bytes() > spaces[i].bytes())
            fail(ErrorCode::Internal, "output ", i, " has shape ", actual[i].dims, "; the most is ", spaces[i].dims);
        if (actual[i].dims != spaces[i].dims)
            found[i] = Literal::copyOf(actual[i].type, actual[i].dims, found[i].data());
    }
    return found;
}

} // namespace

std::vector<Literal> evaluate(Node const& node, std::span<Literal const* const> inputs) {
    std::vector<Operand> all;
    std::vector<HostTensor> in;
    for (Literal const* input : inputs) {
        all.push_back(operandOf(input));
        in.push_back(input ? input->view() : HostTensor{});
    }
    Operands const operands(std::move(all), node.name, node.layer.get());
    return locate([&] { return text(node); }, [&] { return evaluate(node, operands, in); });
}

std::optional<Literal> valuesOf(Tensor const& tensor) {
    if (!tensor.values || !isConstant(*tensor.values) || !isConstant(tensor.shape)) return std::nullopt;
    return dispatch(tensor.type, [&]<class T>(TypeTag<T>) {
        Dims const dims = toDims(tensor.shape);
        auto memory = allocateHost(bytesOf(tensor.type, dims.volume()));
        auto* elements = static_cast<T*>(memory.get());
        for (DimExpr const& value : *tensor.values) *elements++ = static_cast<T>(value.constant());
        return Literal::borrowed(tensor.type, dims, memory.get(), memory);
    });
}

void expectExtents(Dims const& dims, size_t output) {
    if (std::ranges::any_of(dims.span(), [](int64_t extent) { return extent < 0; }))
        fail(ErrorCode::InvalidArgument, "output ", output, " would get shape ", dims, " from inputs of these shapes");
}

std::optional<Literal> constantValue(Tensor const& tensor) { return Folding().value(tensor); }

} // namespace tenon
