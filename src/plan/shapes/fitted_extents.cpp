// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/shapes/fitted_extents.h"

#include "base/error.h"

#include <map>
#include <set>

namespace tenon {
namespace {

std::map<std::string, int64_t> symbolsOfInputs(ShapeProgram const& program, ShapeProgram::Shapes const& shapes) {
    std::map<std::string, int64_t> values;
    for (Tensor const* input : program.graph().inputs()) {
        Dims const& dims = shapes.dims[static_cast<size_t>(program.numberOf(input))];
        for (size_t axis = 0; axis < input->shape.size(); ++axis) {
            DimExpr const& extent = input->shape[axis];
            if (extent.op() == DimExpr::Op::Symbol) values[extent.name()] = dims[static_cast<int>(axis)];
        }
    }
    return values;
}

/// Tries values for the symbols in extents of a node's inputs that are known at run time only.
class Fitting {
public:
    Fitting(Node const& node, ShapeProgram const& program, ShapeProgram::Shapes const& shapes)
        : node_(node), profile_(symbolsOfInputs(program, shapes)) {
        Operands const in = program.operandsOf(node, shapes);
        for (int i = 0; i < in.count(); ++i) {
            inputs_.push_back(in[i]);
            if (Tensor const* const input = node.input(i))
                note(*input, shapes.bounded[static_cast<size_t>(program.numberOf(input))] != 0);
        }
        for (Tensor const* output : node.outputs())
            outputs_.push_back(output ? shapes.dims[static_cast<size_t>(program.numberOf(output))] : Dims());
    }

    std::optional<NodeDims> fitted() {
        if (auto const dims = dimsNow()) return dims;
        if (auto const dims = fitFrom(open_.begin())) return dims;
        return fitOne();
    }

private:
    static constexpr int kMostTries = 4096;
    static constexpr int64_t kMostAlone =
        1024; // such as the channels of many groups, which is not an extent of the weights

    using Values = std::map<std::string, int64_t>;
    struct Place {
        size_t input, axis;
        DimExpr extent;
    };

    /// The shape of the last input.
    void note(Tensor const& input, bool isOpen) {
        for (size_t axis = 0; axis < input.shape.size(); ++axis) {
            DimExpr const& extent = input.shape[axis];
            if (extent.isConstant()) {
                known_.insert(extent.constant());
            } else if (isOpen) {
                places_.push_back({inputs_.size() - 1, axis, extent});
                noteSymbols(places_.back());
            }
        }
    }

    void noteSymbols(Place const& place) {
        int64_t const planned = inputs_[place.input].shape[place.axis].constant();
        bool const isOne = place.extent.op() == DimExpr::Op::Symbol;
        place.extent.substitute([&](std::string const& symbol) -> std::optional<DimExpr> {
            if (profile_.contains(symbol)) return std::nullopt;
            int64_t& value = open_.emplace(symbol, ShapeProgram::kGuess).first->second;
            if (isOne) value = planned;
            return std::nullopt;
        });
    }

    /// All combinations of the planned and the known extents.
    std::optional<NodeDims> fitFrom(Values::iterator symbol) {
        if (tries_ >= kMostTries) return std::nullopt;
        if (symbol == open_.end()) return dimsWithValues();
        int64_t const planned = symbol->second;
        auto dims = fitFrom(std::next(symbol));
        for (auto value = known_.begin(); value != known_.end() && !dims; ++value) {
            symbol->second = *value;
            dims = fitFrom(std::next(symbol));
        }
        symbol->second = planned;
        return dims;
    }

    /// One of them alone is something else.
    std::optional<NodeDims> fitOne() {
        for (auto& [symbol, value] : open_) {
            int64_t const planned = value;
            for (value = 1; value <= kMostAlone && tries_ < 2 * kMostTries; ++value) {
                if (auto const dims = dimsWithValues()) return dims;
            }
            value = planned;
        }
        return std::nullopt;
    }

    std::optional<NodeDims> dimsWithValues() {
        ++tries_;
        auto const valueOf = [&](std::string const& symbol) -> std::optional<DimExpr> {
            auto const open = open_.find(symbol);
            return open != open_.end() ? open->second : profile_.at(symbol);
        };
        try {
            for (Place const& place : places_) {
                DimExpr const extent = place.extent.substitute(valueOf);
                if (extent.constant() < 0) return std::nullopt;
                inputs_[place.input].shape[place.axis] = extent;
            }
        } catch (Error const&) { // such as a division by 0
            return std::nullopt;
        }
        return dimsNow();
    }

    /// The result of the rule; nullopt if it rejects the inputs.
    std::optional<NodeDims> dimsNow() const {
        try {
            auto const results = node_.layer->infer(Operands(inputs_, node_.name, node_.layer.get()));
            NodeDims dims{{}, outputs_};
            for (Operand const& input : inputs_) dims.inputs.push_back(input.present ? toDims(input.shape) : Dims());
            for (size_t i = 0; i < results.size(); ++i) {
                if (isConstant(results[i].shape)) dims.outputs[i] = toDims(results[i].shape);
            }
            return dims;
        } catch (Error const&) {
            return std::nullopt;
        }
    }

    Node const& node_;
    std::vector<Operand> inputs_;
    std::vector<Dims> outputs_;
    std::vector<Place> places_;
    Values profile_;          // of symbols that the profile decides
    Values open_;             // of those that are known at run time only
    std::set<int64_t> known_; // extents
    int tries_ = 0;
};

} // namespace

std::optional<NodeDims> fittedDims(Node const& node, ShapeProgram const& program, ShapeProgram::Shapes const& shapes) {
    return Fitting(node, program, shapes).fitted();
}

} // namespace tenon
