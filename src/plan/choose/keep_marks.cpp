// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/choose/keep_marks.h"

#include "base/words.h"
#include "layers/dequantize/dequantize.h"
#include "layers/quantize/quantize.h"
#include "passes/pass.h"
#include "passes/remove_dead.h"

#include <algorithm>
#include <unordered_set>

namespace tenon {
namespace {

/// Their floating-point side may be stored in integers, whatever the compute type of adjacent nodes.
bool isQuantization(Node const& node) { return node.kind() == Quantize::kKind || node.kind() == Dequantize::kKind; }

/// The nodes on both sides have different requested types.
bool isBorder(Tensor const& tensor) {
    Node const* const producer = tensor.producer();
    if (!producer || tensor.literal() || isQuantization(*producer)) return false;
    return std::ranges::any_of(tensor.readers(), [&](Node const* reader) {
        return reader->askedType != producer->askedType && !isQuantization(*reader);
    });
}

/// Passes keep the network's outputs, so tensors to be kept are outputs while they run; a tensor that replaces an
/// output gets its marks.
class Marks {
public:
    explicit Marks(Graph& graph) : graph_(graph), outputs_(graph.outputs().size()) {
        for (auto const& tensor : graph.tensors()) {
            bool const isKept = tensor->isDebug || tensor->askedType || isBorder(*tensor);
            if (isKept && tensor->producer()) graph.markOutput(tensor.get());
        }
        for (Tensor const* output : graph.outputs()) marks_.push_back(markOf(*output));
    }

    void putBack() {
        for (auto const& tensor : graph_.tensors()) {
            tensor->isDebug = tensor->isDebug && tensor->producer() == nullptr;
            tensor->askedType.reset();
        }
        std::unordered_set<Tensor const*> borders;
        for (size_t i = 0; i < marks_.size(); ++i) {
            graph_.outputs()[i]->isDebug = marks_[i].isDebug;
            graph_.outputs()[i]->askedType = marks_[i].asked;
            if (marks_[i].isBorder) borders.insert(graph_.outputs()[i]);
        }
        for (size_t i = 0; i < marks_.size(); ++i) {
            if (marks_[i].askedOfProducer) spread(*marks_[i].askedOfProducer, *graph_.outputs()[i], borders);
        }
        unmark();
    }

private:
    struct Mark {
        bool isDebug;
        bool isBorder;
        std::optional<DataType> asked;
        std::optional<DataType> askedOfProducer;
    };

    static Mark markOf(Tensor const& tensor) {
        return {tensor.isDebug, isBorder(tensor), tensor.askedType,
                tensor.producer() ? tensor.producer()->askedType : std::nullopt};
    }

    /// For the nodes that passes put between the borders around the node that produces the tensor.
    static void spread(DataType type, Tensor const& from, std::unordered_set<Tensor const*> const& borders) {
        std::unordered_set<Node*> seen;
        std::vector<Node*> open;
        auto const visit = [&](Node* node) {
            bool const isAnother = node->askedType && *node->askedType != type;
            if (!node->layer->constant() && !isQuantization(*node) && !isAnother && seen.insert(node).second)
                open.push_back(node);
        };
        if (from.producer()) visit(from.producer());
        while (!open.empty()) {
            Node* const node = open.back();
            open.pop_back();
            node->askedType = type;
            for (Tensor const* input : node->inputs()) {
                if (input && input->producer() && !borders.contains(input)) visit(input->producer());
            }
            for (Tensor const* output : node->outputs()) {
                if (borders.contains(output)) continue;
                for (Node* reader : output->readers()) visit(reader);
            }
        }
    }

    /// An output that was added only to be kept may have no reader; debug tensors are shown nevertheless.
    void unmark() {
        std::vector<Tensor*> const marked(graph_.outputs().begin() + static_cast<ptrdiff_t>(outputs_),
                                          graph_.outputs().end());
        for (Tensor* tensor : marked) {
            if (!tensor->isDebug) graph_.unmarkOutput(tensor);
        }
        removeUnread(graph_);
        while (graph_.outputs().size() > outputs_) graph_.unmarkOutput(graph_.outputs().back());
    }

    Graph& graph_;
    size_t outputs_;
    std::vector<Mark> marks_;
};

} // namespace

void runPassesKeepingMarks(Graph& graph, PlanSettings const& settings, Log const& log) {
    Marks marks(graph);
    std::vector<Pass> passes(pipeline().begin(), pipeline().end());
    std::vector<std::string_view> const leftOut = wordsOf(settings.leftOutPasses);
    std::erase_if(passes, [&](Pass const& pass) {
        return (settings.keepsNans && pass.losesNans) || std::ranges::find(leftOut, pass.name) != leftOut.end();
    });
    runPasses(graph, passes, log);
    marks.putBack();
}

} // namespace tenon
