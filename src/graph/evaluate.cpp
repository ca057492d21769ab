// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "graph/evaluate.h"

#include "base/error.h"
#include "base/tensor_size.h"
#include "graph/body.h"

#include <algorithm>
#include <map>

namespace tenon {
namespace {

Operand operandOf(Literal const* literal) {
    if (literal == nullptr) return {.present = false, .shape = {}, .values = {}};
    return {.type = literal->type(), .shape = toShape(literal->dims()), .values = {}, .literal = literal};
}

/// Weights of 8 bits count twice, so that they are stored as floats: kernels pack only weights that are known. Those of
/// 4 bits, of large models, stay small.
size_t countedBytes(Literal const& literal) { return literal.bytes() * (bitsOf(literal.type()) == 8 ? 2 : 1); }

bool isWithin(AheadBudget const& budget, Operands const& in, OutputSpaces const& out) {
    size_t from = 0;
    for (int i = 0; i < in.count(); ++i) from += in[i].literal ? countedBytes(*in[i].literal) : 0;
    size_t to = 0;
    for (size_t i = 0; i < out.results.size(); ++i) {
        Shape const shape = out.atMost(i);
        if (!isConstant(shape)) return false;
        expectExtents(toDims(shape), i);
        expectHoldable(out.results[i].type, toDims(shape));
        to += bytesOf(out.results[i].type, toDims(shape).volume());
    }
    return to <= std::max(budget.always, budget.growth * from);
}

HostTensor viewOf(Operand const& operand) {
    if (!operand.present) return {};
    return operand.literal ? operand.literal->view() : HostTensor{operand.type, toDims(operand.shape), nullptr};
}

/// `shape` with each data-dependent extent replaced by valueOf() of it.
template <class ValueOf> Shape substituted(Shape shape, std::vector<SizeTensor> const& sizes, ValueOf const& valueOf) {
    if (sizes.empty()) return shape;
    for (DimExpr& dim : shape) {
        dim = dim.substitute([&](std::string const& symbol) -> std::optional<DimExpr> {
            auto const size = std::ranges::find(sizes, symbol, &SizeTensor::symbol);
            if (size == sizes.end()) return std::nullopt;
            return valueOf(*size);
        });
    }
    return shape;
}

/// Computes all that a tensor depends on, each node once. Without recursion: a chain of nodes may be as long as a
/// model.
class Folding {
public:
    std::optional<Literal> value(Tensor const& tensor) {
        if (auto known = ownValue(tensor)) return known;
        std::vector<Visit> path;
        if (tensor.producer() != nullptr) enter(*tensor.producer(), path);
        while (!path.empty()) {
            Visit& last = path.back();
            if (Node const* const next = nextToCompute(last)) {
                enter(*next, path);
                continue;
            }
            if (last.input == last.node->inputs().size()) compute(*last.node);
            path.pop_back();
        }
        return madeValue(tensor);
    }

private:
    struct Visit {
        Node const* node;
        size_t input = 0; // the previous ones are known
    };

    /// Until it is computed, it counts as depending on more than constants; in a cycle it stays so.
    void enter(Node const& node, std::vector<Visit>& path) {
        known_[&node].clear();
        path.push_back({&node});
    }

    static bool hasOwnValue(Tensor const& tensor) {
        return tensor.literal() || (tensor.values && isConstant(*tensor.values) && isConstant(tensor.shape));
    }

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

    /// The producer of the first input that is not computed yet; null if there is none, or if an input depends on more
    /// than constants.
    Node const* nextToCompute(Visit& visit) const {
        for (auto const& inputs = visit.node->inputs(); visit.input < inputs.size(); ++visit.input) {
            Tensor const* const input = inputs[visit.input];
            if (input == nullptr || hasOwnValue(*input)) continue;
            auto const made = known_.find(input->producer());
            if (made == known_.end()) return input->producer();
            if (made->second.empty()) return nullptr;
        }
        return nullptr;
    }

    void compute(Node const& node) {
        std::vector<Literal> inputs(node.inputs().size());
        std::vector<Operand> operands(node.inputs().size(), operandOf(nullptr));
        for (size_t i = 0; i < inputs.size(); ++i) {
            Tensor const* const input = node.inputs()[i];
            if (input == nullptr) continue;
            auto const own = ownValue(*input);
            inputs[i] = own ? *own : *madeValue(*input);
            operands[i] = operandOf(&inputs[i]);
        }
        known_[&node] = computed(node, Operands(std::move(operands), node.name, node.layer.get()));
    }

    static std::vector<Literal> computed(Node const& node, Operands const& in) {
        try {
            return computeAhead(node, in, kReadBudget);
        } catch (Error const&) {
            return {}; // elements that the layer rejects
        }
    }

    std::map<Node const*, std::vector<Literal>> known_; // empty: depends on more than constants
};

} // namespace

Shape OutputSpaces::atMost(size_t output) const {
    return substituted(results[output].shape, sizes, [](SizeTensor const& size) { return size.upper; });
}

std::vector<Literal> OutputSpaces::cut(std::vector<Literal> outputs) const {
    std::vector<Literal> const whole = outputs;
    auto const computed = [&](SizeTensor const& size) {
        return DimExpr(whole[static_cast<size_t>(size.output)].toInt64()[0]);
    };
    for (size_t i = 0; i < outputs.size() && !sizes.empty(); ++i) {
        Dims const dims = toDims(substituted(results[i].shape, sizes, computed));
        std::shared_ptr<void const> const memory(std::make_shared<Literal>(whole[i]), whole[i].data());
        outputs[i] = Literal::borrowed(whole[i].type(), dims, memory.get(), memory);
    }
    return outputs;
}

std::vector<Literal> computeByReference(Layer const& layer, std::span<HostTensor const> in, OutputSpaces const& out) {
    std::vector<Literal> results;
    std::vector<HostTensor> views;
    for (size_t i = 0; i < out.results.size(); ++i) {
        DataType const type = out.results[i].type;
        Dims const dims = toDims(out.atMost(i));
        auto memory = allocateHost(bytesOf(type, dims.volume()));
        views.push_back({type, dims, memory.get()});
        results.push_back(Literal::borrowed(type, dims, memory.get(), memory));
    }
    layer.reference(in, views);
    return out.cut(std::move(results));
}

OutputSpaces outputSpaces(Node const& node, std::span<Literal const* const> inputs) {
    std::vector<Operand> operands;
    for (Literal const* input : inputs) operands.push_back(operandOf(input));
    return {*node.layer, Operands(std::move(operands), node.name, node.layer.get())};
}

std::vector<Literal> evaluate(Node const& node, std::span<Literal const* const> inputs) {
    std::vector<HostTensor> in;
    for (Literal const* input : inputs) in.push_back(input ? input->view() : HostTensor{});
    return locate([&] { return text(node); },
                  [&] {
                      OutputSpaces const out = outputSpaces(node, inputs);
                      for (size_t i = 0; i < out.results.size(); ++i) {
                          Dims const dims = toDims(out.atMost(i));
                          expectExtents(dims, i);
                          expectHoldable(out.results[i].type, dims);
                      }
                      return computeByReference(*node.layer, in, out);
                  });
}

bool onlyRunsKnow(Node const& node) {
    auto const isOpen = [](Node const& one) { return one.layer->varies() || !one.layer->hasReference(); };
    return isOpen(node) || anyInside(node, isOpen);
}

std::vector<Literal> computeAhead(Node const& node, Operands const& in, AheadBudget const& budget) {
    if (onlyRunsKnow(node) || (!budget.bodies && !node.layer->bodies().empty())) return {};
    OutputSpaces const out(*node.layer, in);
    if (!isWithin(budget, in, out)) return {};
    std::vector<HostTensor> views;
    for (int i = 0; i < in.count(); ++i) views.push_back(viewOf(in[i]));
    return computeByReference(*node.layer, views, out);
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

std::optional<int64_t> knownNumber(Tensor const& tensor) {
    auto const value = constantValue(tensor);
    if (!value) return std::nullopt;
    if (value->dims().volume() != 1)
        fail(ErrorCode::InvalidModel, '\'', tensor.name, "' has shape ", value->dims(), "; expected one number");
    return value->toInt64()[0];
}

} // namespace tenon
