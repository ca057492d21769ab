// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "graph/evaluate.h"

#include "base/error.h"

#include <algorithm>
#include <map>

namespace tenon {
namespace {

Operand operandOf(Literal const* literal) {
    if (literal == nullptr) return {.present = false, .shape = {}, .values = {}};
    return {.type = literal->type(), .shape = toShape(literal->dims()), .values = {}, .literal = literal};
}

std::optional<Literal> literalOf(Tensor const& tensor) {
    if (!tensor.values || !isConstant(*tensor.values) || !isConstant(tensor.shape)) return std::nullopt;
    std::vector<int64_t> values;
    for (DimExpr const& value : *tensor.values) values.push_back(value.constant());
    return dispatch(tensor.type, [&]<class T>(TypeTag<T>) {
        auto memory = allocateHost(values.size() * sizeof(T));
        std::ranges::transform(values, static_cast<T*>(memory.get()), [](int64_t v) { return static_cast<T>(v); });
        return Literal::borrowed(tensor.type, toDims(tensor.shape), memory.get(), memory);
    });
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
        return literalOf(tensor);
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
        if (isHuge(node, inputs)) return {};
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

std::vector<Literal> evaluate(Node const& node, std::span<Literal const* const> inputs) {
    return locate([&] { return text(node); },
                  [&] {
                      std::vector<Operand> operands;
                      std::vector<HostTensor> in;
                      for (Literal const* input : inputs) {
                          operands.push_back(operandOf(input));
                          in.push_back(input ? input->view() : HostTensor{});
                      }
                      std::vector<Literal> outputs;
                      std::vector<HostTensor> out;
                      for (Result const& result :
                           node.layer->infer(Operands(std::move(operands), node.name, node.layer.get()))) {
                          Dims const dims = toDims(result.shape);
                          expectExtents(dims, out.size());
                          auto memory = allocateHost(bytesOf(result.type, dims.volume()));
                          out.push_back({result.type, dims, memory.get()});
                          outputs.push_back(Literal::borrowed(result.type, dims, memory.get(), memory));
                      }
                      node.layer->reference(in, out);
                      return outputs;
                  });
}

void expectExtents(Dims const& dims, size_t output) {
    if (std::ranges::any_of(dims.span(), [](int64_t extent) { return extent < 0; }))
        fail(ErrorCode::InvalidArgument, "output ", output, " would get shape ", dims, " from inputs of these shapes");
}

std::optional<Literal> constantValue(Tensor const& tensor) { return Folding().value(tensor); }

} // namespace tenon
