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

/// Computes what a tensor depends on, each node once.
class Folding {
public:
    std::optional<Literal> value(Tensor const& tensor) {
        if (Literal const* literal = tensor.literal()) return *literal;
        if (auto known = literalOf(tensor)) return known;
        if (tensor.producer() == nullptr) return std::nullopt;
        auto const& outputs = outputsOf(*tensor.producer());
        if (outputs.empty()) return std::nullopt;
        return outputs[static_cast<size_t>(tensor.producerIndex())];
    }

private:
    std::vector<Literal> const& outputsOf(Node const& node) {
        if (auto const found = known_.find(&node); found != known_.end()) return found->second;
        std::vector<Literal> inputs(node.inputs().size());
        std::vector<Literal const*> pointers(node.inputs().size(), nullptr);
        for (size_t i = 0; i < inputs.size(); ++i) {
            if (node.inputs()[i] == nullptr) continue;
            auto input = value(*node.inputs()[i]);
            if (!input) return known_[&node];
            inputs[i] = *input;
            pointers[i] = &inputs[i];
        }
        return known_[&node] = computed(node, pointers);
    }

    static std::vector<Literal> computed(Node const& node, std::span<Literal const* const> inputs) {
        if (isHuge(node, inputs)) return {};
        try {
            return evaluate(node, inputs);
        } catch (Error const&) {
            return {}; // a plugin, or a size that only the run tells
        }
    }

    /// Much more than it is made of, so that no model needs it as a constant, and its author may not have meant it.
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
                          auto memory = allocateHost(bytesOf(result.type, dims.volume()));
                          out.push_back({result.type, dims, memory.get()});
                          outputs.push_back(Literal::borrowed(result.type, dims, memory.get(), memory));
                      }
                      node.layer->reference(in, out);
                      return outputs;
                  });
}

std::optional<Literal> constantValue(Tensor const& tensor) { return Folding().value(tensor); }

} // namespace tenon
