// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/parser/registered_importers.h"

#include "base/error.h"
#include "passes/outline_control.h"
#include "trt/parser/model_node.h"
#include "trt/plugin/onnx_importers.h"

#include <algorithm>
#include <limits>

namespace tenon::trt {
namespace {

/// Stores the first error that a network logs, which becomes that of the node; passes on the rest.
class FirstError final : public nvinfer1::ILogger {
public:
    explicit FirstError(nvinfer1::ILogger* next) : next_(next) {}

    void log(Severity severity, char const* text) noexcept override {
        if (severity > Severity::kERROR && next_) return next_->log(severity, text);
        try {
            if (first_.empty()) first_ = text;
        } catch (std::bad_alloc const&) { // the count of errors is used instead
        }
    }
    std::string const& text() const { return first_; }

private:
    nvinfer1::ILogger* next_;
    std::string first_;
};

/// The network of one node, while its importer adds layers.
class Adding {
public:
    Adding(RegisteredImporters const& source, onnx::OnnxNode& reader)
        : errors_(source.logger()), reporter_(&errors_), network_(source.makeNetwork(reporter_)),
          node_(reader, *network_) {}

    /// The node's outputs in its graph.
    std::vector<Tensor*> run(OnnxImporterEntry const& importer) {
        importer.import(importer.importer, &node_, network_.get());
        expectDone();
        std::vector<ITensor*> const given = *node_.outputs;
        expectOutputs(given);
        for (ITensor const* output : given) {
            if (output) graph().markOutput(marked(*output));
        }
        network_->complete();
        expectNoFailedCall();
        outlineControl(graph()); // loops are numbered in each network
        return put(given);
    }

private:
    Graph& graph() { return network_->graph(); }

    void expectDone() const {
        if (node_.refusal && network_->reporter().errors() > 0)
            fail(ErrorCode::Unsupported, *node_.refusal, " (before that: ", errors_.text(), ')');
        if (node_.refusal) fail(ErrorCode::Unsupported, *node_.refusal);
        expectNoFailedCall();
        if (!node_.outputs) fail(ErrorCode::Plugin, "it neither returned outputs nor reported an error");
    }

    void expectNoFailedCall() const {
        if (network_->reporter().errors() > 0) fail(ErrorCode::Plugin, errors_.text());
    }

    void expectOutputs(std::vector<ITensor*> const& given) {
        auto const count = static_cast<size_t>(node_.reader.outputCount());
        if (given.size() != count)
            fail(ErrorCode::Plugin, "it returned ", given.size(), " tensors; the node has ", count, " outputs");
        for (size_t i = 0; i < count; ++i) {
            if (given[i] == nullptr && node_.reader.hasOutput(static_cast<int>(i)))
                fail(ErrorCode::Plugin, "the tensor that it returned for output ", i, " is null");
            if (given[i]) locate([&] { return text("output ", i); }, [&] { (void)network_->tensorOf(*given[i]); });
        }
        bool const hasOwnInput =
            std::ranges::any_of(graph().inputs(), [&](Tensor* input) { return !node_.standIns.contains(input); });
        if (hasOwnInput || !graph().outputs().empty())
            fail(ErrorCode::Plugin, "it added inputs or marked outputs; expected layers only, between the given inputs "
                                    "and the returned outputs");
    }

    /// An output of a layer that is not already another output.
    Tensor* marked(ITensor const& output) {
        Tensor* const tensor = &network_->tensorOf(output);
        network_->refresh(tensor);
        bool const isTaken =
            graph().isOutput(tensor) || tensor->producer() == nullptr || node_.standIns.contains(tensor);
        return isTaken ? graph().add(makeLayer("Identity"), {tensor})->output() : tensor;
    }

    std::vector<Tensor*> put(std::vector<ITensor*> const& given) {
        auto const made = node_.reader.addGraph(graph(), node_.standIns);
        std::vector<Tensor*> outputs;
        size_t next = 0;
        for (ITensor const* output : given) {
            outputs.push_back(output ? made[next++] : nullptr);
            auto const type = node_.elementTypes.find(output);
            if (output && type != node_.elementTypes.end()) node_.reader.setElementType(*outputs.back(), type->second);
        }
        return outputs;
    }

    FirstError errors_;
    Reporter reporter_;
    std::unique_ptr<Network> network_;
    TenonOnnxModelNode node_;
};

class RegisteredImport final : public onnx::UserImport {
public:
    RegisteredImport(RegisteredImporters& source, std::shared_ptr<OnnxImporterEntry const> entry)
        : source_(source), call_(std::move(entry)) {}

    bool isHeld() const { return call_.isHeld(); }

    std::vector<Tensor*> import(onnx::OnnxNode& node) override {
        OnnxImporterEntry const& entry = call_.entry();
        if (source_.hasImplicitBatch())
            fail(ErrorCode::InvalidState, "the network has an implicit batch; importers (", fileOf(entry),
                 ") require all axes; create the network with kEXPLICIT_BATCH");
        auto outputs = locate([&] { return text("its importer, of ", fileOf(entry)); },
                              [&] { return Adding(source_, node).run(entry); });
        if (!entry.path.empty()) source_.noteLibrary(entry.library);
        return outputs;
    }

private:
    RegisteredImporters& source_;
    OnnxImporters::Call call_;
};

} // namespace

bool RegisteredImporters::has(onnx::UserOp const& op) const {
    return std::ranges::any_of(OnnxImporters::global().all(op.op, op.domain),
                               [&](auto const& entry) { return entry->takes(op); });
}

std::unique_ptr<onnx::UserImport> RegisteredImporters::find(onnx::UserOp const& op) {
    for (auto const& entry : OnnxImporters::global().all(op.op, op.domain)) {
        if (!entry->takes(op)) continue;
        auto found = std::make_unique<RegisteredImport>(*this, entry);
        if (found->isHeld()) return found;
    }
    return nullptr;
}

int RegisteredImporters::newestOpset(std::string const& op, std::string const& domain) const {
    int newest = 0;
    for (auto const& entry : OnnxImporters::global().all(op, domain)) {
        bool const isOpen = entry->lastOpset == std::numeric_limits<int>::max();
        newest = std::max(newest, isOpen ? std::max(entry->firstOpset, onnx::kNewestOpset) : entry->lastOpset);
    }
    return newest;
}

std::string RegisteredImporters::explainMissing(onnx::UserOp const& op) const {
    if (OnnxImporters::isCalling(op.op, op.domain))
        return "its importer adds a node of the same operator, for which there is no other importer and no plugin of "
               "that name";
    std::string all;
    for (auto const& entry : OnnxImporters::global().all(op.op, op.domain)) {
        bool const cameLater = op.opset >= entry->firstOpset && op.opset <= entry->lastOpset;
        if (!cameLater) all += text(all.empty() ? "" : ", ", "for ", opsetsOf(*entry), " (", fileOf(*entry), ')');
    }
    if (all.empty()) return {};
    std::string const opset = op.opset > 0 ? text("the model has opset ", op.opset)
                                           : text("the model does not say of which opset domain '", op.domain, "' is");
    return text("an importer is registered ", all, ", and ", opset, "; there is no plugin of that name");
}

void RegisteredImporters::noteLibrary(std::string const& library) {
    if (std::ranges::count(libraries_, library) == 0) libraries_.push_back(library);
}

} // namespace tenon::trt
