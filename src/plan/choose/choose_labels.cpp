// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/choose/choose_labels.h"

#include "base/error.h"
#include "plan/choose/choice_problem.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace tenon {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// One end of an edge: its variable and the label for each value.
struct End {
    int variable;
    std::vector<Label> labels;
};

class LabelProblem {
public:
    LabelProblem(Plan const& plan, std::vector<Candidates> const& candidates, BuildConfig const& config)
        : plan_(plan), candidates_(candidates), config_(config), backend_(backendOf(plan.device)), program_(plan.graph),
          shapes_(program_.evaluate(inputsAt(plan.graph, plan.profiles.front(), ProfilePoint::Opt))) {
        for (Candidates const& candidate : candidates_) addNode(candidate);
        for (Tensor* input : plan.graph.inputs()) sources_[input] = addFixed(input, "input");
        for (Tensor* output : plan.graph.outputs()) outputs_.push_back(addFixed(output, "output"));
        for (size_t i = 0; i < outputs_.size(); ++i) readers_[plan.graph.outputs()[i]].push_back(outputs_[i]);
        for (auto const& tensor : plan.graph.tensors()) connect(tensor.get());
    }

    LabelChoice solve() const {
        std::vector<int> const values = problem_.solve();
        auto const labelOf = [&](End const& end) {
            return end.labels[static_cast<size_t>(values[static_cast<size_t>(end.variable)])];
        };
        for (Direct const& direct : directs_) {
            if (!areSame(*direct.tensor, labelOf(direct.source), labelOf(direct.reader))) refuse(direct);
        }
        LabelChoice choice;
        for (size_t i = 0; i < candidates_.size(); ++i)
            choice.nodes.push_back(&candidates_[i].choices[static_cast<size_t>(values[i])]);
        for (auto const& tensor : plan_.graph.tensors()) {
            auto const source = sources_.find(tensor.get());
            if (source != sources_.end()) choice.labels.emplace_back(tensor.get(), labelOf(source->second));
        }
        for (size_t i = 0; i < outputs_.size(); ++i)
            choice.outputs.emplace_back(plan_.graph.outputs()[i], labelOf(outputs_[i]));
        return choice;
    }

private:
    void addNode(Candidates const& candidate) {
        std::vector<double> costs;
        for (Assignment const& choice : candidate.choices) costs.push_back(choice.variant.cost);
        int const variable = problem_.addVariable(std::move(costs));
        Node const& node = *candidate.node;
        for (size_t i = 0; i < node.outputs().size(); ++i)
            sources_[node.outputs()[i]] = {variable, labels(candidate, [&](Variant const& v) { return v.outputs[i]; })};
        for (size_t i = 0; i < node.inputs().size(); ++i) {
            if (node.inputs()[i])
                readers_[node.inputs()[i]].push_back(
                    {variable, labels(candidate, [&](Variant const& v) { return v.inputs[i]; })});
        }
    }

    template <class Pick> static std::vector<Label> labels(Candidates const& candidate, Pick pick) {
        std::vector<Label> all;
        for (Assignment const& choice : candidate.choices) all.push_back(pick(choice.variant));
        return all;
    }

    End addFixed(Tensor const* tensor, std::string_view what) {
        auto const asked = config_.ioLabels.find(tensor->name);
        Device const device = tensor->onHost ? Device::Cpu : backend_.ioDevice(); // shape tensors are read on the host
        std::vector<Label> labels{{tensor->type, Format::linear(), device}};
        if (asked != config_.ioLabels.end()) labels = asked->second;
        for (Label& label : labels) label.device = device;
        if (labels.empty()) fail(ErrorCode::InvalidArgument, what, ' ', tensor->name, " has no allowed format");
        return {problem_.addVariable(std::vector<double>(labels.size(), 0)), labels};
    }

    void connect(Tensor* tensor) {
        auto const source = sources_.find(tensor);
        if (source == sources_.end()) return; // constants and shape tensors are produced in the label of the reader
        auto const& readers = readers_[tensor];
        Dims const& dims = shapes_.dims[static_cast<size_t>(program_.numberOf(tensor))];
        if (readers.size() == 1) {
            connectPair(source->second, readers.front(), dims);
        } else {
            connectMany(source->second, readers, dims);
        }
        forbidReformats(tensor, source->second);
    }

    /// A tensor of the network's inputs and outputs without reformats, and one of its readers.
    struct Direct {
        Tensor const* tensor;
        End source;
        End reader;
    };

    static bool areSame(Tensor const& tensor, Label const& a, Label const& b) {
        return a == b || sameBytes(a, b, tensor.shape);
    }

    void forbidReformats(Tensor const* tensor, End const& source) {
        if (!config_.settings.isDirect(tensor->name)) return;
        for (End const& reader : readers_[tensor]) {
            if (!tensor->producer() || std::ranges::find(outputs_, reader.variable, &End::variable) != outputs_.end())
                forbidReformat({tensor, source, reader});
        }
    }

    /// If every choice needs a reformat, solve() finds one of the fewest, and reports it.
    void forbidReformat(Direct direct) {
        constexpr double kForbidden = 1e18; // more nanoseconds than a run of any engine
        std::vector<double> costs;
        for (Label const& from : direct.source.labels) {
            for (Label const& to : direct.reader.labels)
                costs.push_back(areSame(*direct.tensor, from, to) ? 0 : kForbidden);
        }
        problem_.addPair(direct.source.variable, direct.reader.variable, std::move(costs));
        directs_.push_back(std::move(direct));
    }

    [[noreturn]] static void refuse(Direct const& direct) {
        bool const isInput = direct.tensor->producer() == nullptr;
        fail(ErrorCode::Unsupported, direct.tensor->name, ": allowed are ",
             listed((isInput ? direct.source : direct.reader).labels), "; the node that ", isInput ? "reads" : "writes",
             " it supports ", listed((isInput ? direct.reader : direct.source).labels),
             "; allow one of these formats, or reformats (BuilderFlag::kDIRECT_IO)");
    }

    static std::string listed(std::vector<Label> const& labels) {
        std::vector<std::string> all;
        for (Label const& label : labels) {
            if (std::ranges::find(all, text(label)) == all.end()) all.push_back(text(label));
        }
        return joined(all);
    }

    double cost(Label const& from, Label const& to, Dims const& dims) const {
        return from == to ? 0 : backend_.reformatCost(dims, from, to);
    }

    void connectPair(End const& source, End const& reader, Dims const& dims) {
        std::vector<double> costs;
        for (Label const& from : source.labels) {
            for (Label const& to : reader.labels) costs.push_back(cost(from, to, dims));
        }
        problem_.addPair(source.variable, reader.variable, std::move(costs));
    }

    /// For each label of readers, a variable "the tensor exists in this label", which costs the reformat once for all
    /// readers.
    void connectMany(End const& source, std::vector<End> const& readers, Dims const& dims) {
        std::vector<Label> wanted;
        for (End const& reader : readers) {
            for (Label const& label : reader.labels) {
                if (std::ranges::find(wanted, label) == wanted.end()) wanted.push_back(label);
            }
        }
        for (Label const& label : wanted) {
            int const present = problem_.addVariable({0, 0});
            std::vector<double> made;
            for (Label const& from : source.labels) made.insert(made.end(), {0, cost(from, label, dims)});
            problem_.addPair(source.variable, present, std::move(made));
            for (End const& reader : readers) demand(reader, label, present);
        }
    }

    void demand(End const& reader, Label const& label, int present) {
        std::vector<double> costs;
        for (Label const& wants : reader.labels) costs.insert(costs.end(), {wants == label ? kNever : 0, 0});
        problem_.addPair(reader.variable, present, std::move(costs));
    }

    Plan const& plan_;
    std::vector<Candidates> const& candidates_;
    BuildConfig const& config_;
    Backend const& backend_;
    ShapeProgram program_;
    ShapeProgram::Shapes shapes_;
    ChoiceProblem problem_;
    std::unordered_map<Tensor const*, End> sources_;
    std::unordered_map<Tensor const*, std::vector<End>> readers_;
    std::vector<End> outputs_;
    std::vector<Direct> directs_;
};

} // namespace

LabelChoice chooseLabels(Plan const& plan, std::vector<Candidates> const& candidates, BuildConfig const& config) {
    return LabelProblem(plan, candidates, config).solve();
}

} // namespace tenon
