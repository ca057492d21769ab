// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/error.h"
#include "base/tensor_size.h"
#include "layers/constant/constant.h"
#include "layers/elementwise/elementwise.h"
#include "layers/gather/gather.h"
#include "layers/identity/identity.h"
#include "layers/loop/loop.h"
#include "layers/shape/shape.h"
#include "layers/shuffle/shuffle.h"
#include "layers/slice/slice.h"
#include "onnx/unrolled.h"

#include <algorithm>
#include <cstring>

namespace tenon::onnx {
namespace {

constexpr std::string_view kBody = "body";

Tensor* elementAt(NodeReader& node, Tensor* tensor, int64_t axis, int64_t index) {
    Gather gather;
    gather.axis = axis;
    return node.add(gather, {tensor, node.constant(Literal::scalar(index))});
}

/// Inputs and outputs of a Scan, without those of opset 8.
struct ScanPorts {
    std::vector<Tensor*> states{};
    std::vector<Tensor*> scanned{};
    std::vector<int64_t> inputAxes{};
    std::vector<int64_t> inputDirections{}; // 1: from the end to the start
    std::vector<int64_t> outputAxes{};
    std::vector<int64_t> outputDirections{};
    std::string part{}; // distinguishes runs of the body
};

std::vector<int64_t> listOf(NodeReader& node, std::string_view attribute, size_t count) {
    auto list = node.integers(attribute, std::vector<int64_t>(count, 0));
    if (list.size() != count)
        fail(ErrorCode::InvalidModel, "attribute '", attribute, "' has ", list.size(), " numbers; expected ", count);
    return list;
}

std::vector<int64_t> directionsOf(NodeReader& node, std::string_view attribute, size_t count) {
    auto list = listOf(node, attribute, count);
    for (int64_t const direction : list) {
        if (direction != 0 && direction != 1)
            fail(ErrorCode::InvalidModel, "attribute '", attribute, "' holds ", direction,
                 "; expected 0 (forward) or 1 (backward)");
    }
    return list;
}

int64_t axisOf(ScanPorts const& ports, size_t i) {
    Shape const& shape = ports.scanned[i]->shape;
    auto const rank = static_cast<int64_t>(shape.size());
    int64_t const axis = ports.inputAxes[i] < 0 ? ports.inputAxes[i] + rank : ports.inputAxes[i];
    if (axis < 0 || axis >= rank)
        fail(ErrorCode::InvalidModel, "scans input ", ports.scanned[i]->name, ' ', shape, " along axis ",
             ports.inputAxes[i], ", which it does not have");
    return axis;
}

/// The trip count: the extent of the scanned inputs along their axes. None if it is known only at run time.
std::optional<int64_t> tripsOf(ScanPorts const& ports) {
    std::optional<int64_t> trips;
    for (size_t i = 0; i < ports.scanned.size(); ++i) {
        DimExpr const& extent = ports.scanned[i]->shape[static_cast<size_t>(axisOf(ports, i))];
        if (!extent.isConstant()) continue;
        if (trips && *trips != extent.constant())
            fail(ErrorCode::InvalidModel, "scans ", *trips, " elements of one input and ", extent.constant(), " of ",
                 ports.scanned[i]->name, ' ', ports.scanned[i]->shape, "; their numbers must be equal");
        trips = extent.constant();
    }
    return trips;
}

class UnrolledScan {
public:
    UnrolledScan(NodeReader& node, ScanPorts ports, int64_t trips, int64_t copies)
        : node_(node), ports_(std::move(ports)), trips_(trips), copies_(copies), made_(ports_.outputAxes.size()) {}

    /// The states after the last trip, then the stacked outputs.
    std::vector<Tensor*> outputs() {
        std::vector<Tensor*> outputs = ports_.states;
        for (int64_t trip = 0; trip < trips_; ++trip) addTrip(trip, outputs);
        std::vector<Tensor*> shapes = trips_ == 0 ? shapesOfNone() : std::vector<Tensor*>(made_.size(), nullptr);
        for (size_t i = 0; i < made_.size(); ++i) {
            if (ports_.outputDirections[i] == 1) std::ranges::reverse(made_[i]);
            outputs.push_back(stacked(node_, made_[i], ports_.outputAxes[i], shapes[i]));
        }
        return outputs;
    }

private:
    void addTrip(int64_t trip, std::vector<Tensor*>& states) {
        std::vector<Tensor*> inputs = states;
        for (size_t i = 0; i < ports_.scanned.size(); ++i) {
            int64_t const at = ports_.inputDirections[i] == 1 ? trips_ - 1 - trip : trip;
            inputs.push_back(elementAt(node_, ports_.scanned[i], ports_.inputAxes[i], at));
        }
        auto const made = node_.addBody({kBody, std::move(inputs), text(ports_.part, trip), trips_ * copies_});
        for (size_t i = 0; i < states.size(); ++i) {
            expectSameState(*states[i], *made[i], text("state ", i));
            states[i] = settled(node_, made[i]);
        }
        for (size_t i = 0; i < made_.size(); ++i) made_[i].push_back(made[states.size() + i]);
    }

    /// Tensors of the shapes that the body would return for zero trips.
    std::vector<Tensor*> shapesOfNone() {
        std::vector<Tensor*> inputs = ports_.states;
        for (size_t i = 0; i < ports_.scanned.size(); ++i) {
            Shape shape = ports_.scanned[i]->shape;
            shape.erase(shape.begin() + axisOf(ports_, i));
            if (!isConstant(shape))
                fail(ErrorCode::Unsupported, "scans no elements of ", ports_.scanned[i]->name, ' ',
                     ports_.scanned[i]->shape, ", whose other extents depend on what is fed at run time");
            inputs.push_back(node_.constant(zeros(ports_.scanned[i]->type, toDims(shape))));
        }
        auto made = node_.addBody({kBody, std::move(inputs), text(ports_.part, "none")});
        return {made.begin() + static_cast<std::ptrdiff_t>(ports_.states.size()), made.end()};
    }

    static Literal zeros(DataType type, Dims const& dims) {
        expectHoldable(type, dims);
        auto memory = allocateHost(bytesOf(type, dims.volume()));
        std::memset(memory.get(), 0, bytesOf(type, dims.volume()));
        return Literal::borrowed(type, dims, memory.get(), memory);
    }

    NodeReader& node_;
    ScanPorts ports_;
    int64_t trips_;
    int64_t copies_;
    std::vector<std::vector<Tensor*>> made_; // of each stacked output, by trip
};

/// A Scan as a Loop that reads the next slice of each input by the trip's index.
class GeneralScan {
public:
    GeneralScan(NodeReader& node, ScanPorts ports) : node_(node), ports_(std::move(ports)) {}

    std::vector<Tensor*> outputs() {
        BodyGraph body = node_.outline(kBody, [&](Graph& graph) { return addInputs(graph); });
        Loop layer;
        layer.carried = static_cast<int64_t>(ports_.states.size());
        layer.body = std::move(body.graph);
        putConditionFirst(layer.body);
        std::vector<Tensor*> inputs{node_.add(countOf(0), {ports_.scanned[0]}), nullptr};
        for (auto const* some : {&ports_.states, &ports_.scanned, &body.captures})
            inputs.insert(inputs.end(), some->begin(), some->end());
        auto outputs = node_.addLayer(std::make_unique<Loop>(std::move(layer)), std::move(inputs))->outputs();
        for (size_t i = 0; i < ports_.outputAxes.size(); ++i) place(outputs[ports_.states.size() + i], i);
        return outputs;
    }

private:
    ShapeOf countOf(size_t scanned) const {
        int64_t const axis = axisOf(ports_, scanned);
        return ShapeOf::product(axis, axis + 1);
    }

    std::vector<Tensor*> addInputs(Graph& graph) const {
        Tensor* const trip = graph.addInput("trip", DataType::Int64, {});
        graph.addInput("goes_on", DataType::Bool, {});
        std::vector<Tensor*> inputs;
        for (Tensor const* state : ports_.states)
            inputs.push_back(graph.addInput(state->name, state->type, state->shape));
        std::vector<Tensor*> whole;
        for (Tensor const* one : ports_.scanned) whole.push_back(graph.addInput(one->name, one->type, one->shape));
        for (size_t i = 0; i < whole.size(); ++i) {
            Gather gather;
            gather.axis = axisOf(ports_, i);
            Tensor* at = trip;
            if (ports_.inputDirections[i] == 1) {
                Tensor* const one = graph.emit(Constant(Literal::scalar(int64_t{1})), {});
                Tensor* const last =
                    graph.emit(elementwise(PointwiseOp::Sub), {graph.emit(countOf(i), {whole[i]}), one});
                at = graph.emit(elementwise(PointwiseOp::Sub), {last, trip});
            }
            inputs.push_back(graph.emit(gather, {whole[i], at}));
        }
        return inputs;
    }

    static void putConditionFirst(Graph& body) {
        auto const outputs = body.outputs();
        for (Tensor* output : outputs) body.unmarkOutput(output);
        body.markOutput(body.emit(Identity{}, {body.inputs()[1]}));
        for (Tensor* output : outputs) body.markOutput(output);
    }

    /// Stacked outputs have the trips along axis 0, in order.
    void place(Tensor*& output, size_t i) {
        if (ports_.outputDirections[i] == 1) {
            Slice backward;
            backward.bounds = Slice::Bounds::End;
            backward.axes = {0};
            backward.start = {-1};
            backward.size = {INT64_MIN};
            backward.stride = {-1};
            output = node_.add(backward, {output});
        }
        auto const rank = static_cast<int64_t>(output->shape.size());
        int64_t const axis = ports_.outputAxes[i] + (ports_.outputAxes[i] < 0 ? rank : 0);
        if (axis < 0 || axis >= rank)
            fail(ErrorCode::InvalidModel, "stacks along axis ", ports_.outputAxes[i], " of an output of rank ", rank);
        if (axis == 0) return;
        std::vector<int64_t> order;
        for (int64_t from = 1; from < rank; ++from) order.push_back(from);
        order.insert(order.begin() + axis, 0);
        output = node_.add(Shuffle::transposing(order), {output});
    }

    NodeReader& node_;
    ScanPorts ports_;
};

/// The number of states: inputs from `first` on that are not scanned.
size_t countStates(NodeReader& node, int first) {
    int64_t const scanned = node.integer("num_scan_inputs");
    int64_t const inputs = node.inputCount() - first;
    if (scanned < 1 || scanned > inputs)
        fail(ErrorCode::InvalidModel, "attribute 'num_scan_inputs' is ", scanned, "; expected 1 to ", inputs,
             ", the number of inputs");
    BodySize const body = node.body(kBody);
    if (body.inputs != inputs)
        fail(ErrorCode::InvalidModel, "its body has ", body.inputs, " inputs; the node gives it ", inputs);
    if (body.outputs < inputs - scanned || body.outputs < node.outputCount())
        fail(ErrorCode::InvalidModel, "its body has ", body.outputs, " outputs; expected at least ",
             std::max<int64_t>(inputs - scanned, node.outputCount()));
    return static_cast<size_t>(inputs - scanned);
}

ScanPorts portsOf(NodeReader& node, int first) {
    size_t const states = countStates(node, first);
    ScanPorts ports;
    for (int i = first; i < node.inputCount(); ++i) {
        bool const isState = ports.states.size() < states;
        (isState ? ports.states : ports.scanned).push_back(node.input(i));
    }
    return ports;
}

std::vector<Tensor*> importScan9(NodeReader& node) {
    ScanPorts ports = portsOf(node, 0);
    size_t const gathered = static_cast<size_t>(node.body(kBody).outputs) - ports.states.size();
    ports.inputAxes = listOf(node, "scan_input_axes", ports.scanned.size());
    ports.inputDirections = directionsOf(node, "scan_input_directions", ports.scanned.size());
    ports.outputAxes = listOf(node, "scan_output_axes", gathered);
    ports.outputDirections = directionsOf(node, "scan_output_directions", gathered);
    auto const trips = tripsOf(ports);
    bool const isSmall = trips && node.isSmall(kBody, std::max<int64_t>(*trips, 1));
    return isSmall ? UnrolledScan(node, std::move(ports), *trips, 1).outputs()
                   : GeneralScan(node, std::move(ports)).outputs();
}

/// Opset 8: the first axis of every tensor is a batch, and each sample is scanned separately.
std::vector<Tensor*> importScan8(NodeReader& node) {
    if (node.hasInput(0))
        fail(ErrorCode::Unsupported, "input 0 has lengths of sequences, which opset 9 removed; scan whole sequences");
    ScanPorts const all = portsOf(node, 1);
    auto const directions = directionsOf(node, "directions", all.scanned.size());
    size_t const gathered = static_cast<size_t>(node.body(kBody).outputs) - all.states.size();
    ScanPorts const rows{.scanned = all.scanned, .inputAxes = std::vector<int64_t>(all.scanned.size(), 0)};
    ScanPorts const columns{.scanned = all.scanned, .inputAxes = std::vector<int64_t>(all.scanned.size(), 1)};
    auto const batches = tripsOf(rows);
    auto const trips = tripsOf(columns);
    if (!batches || !trips || *batches == 0 || !node.isSmall(kBody, *batches * std::max<int64_t>(*trips, 1)))
        fail(ErrorCode::Unsupported, "scans ", all.scanned[0]->name, ' ', all.scanned[0]->shape,
             "; a Scan of opset 8 supports constant extents, a batch of 1 or more, and few iterations; export the "
             "model with a newer opset");
    int64_t const batch = *batches;
    std::vector<std::vector<Tensor*>> made(all.states.size() + gathered);
    for (int64_t b = 0; b < batch; ++b) {
        ScanPorts one{.inputAxes = std::vector<int64_t>(all.scanned.size(), 0),
                      .inputDirections = directions,
                      .outputAxes = std::vector<int64_t>(gathered, 0),
                      .outputDirections = std::vector<int64_t>(gathered, 0),
                      .part = text(b, '.')};
        for (Tensor* state : all.states) one.states.push_back(elementAt(node, state, 0, b));
        for (Tensor* scanned : all.scanned) one.scanned.push_back(elementAt(node, scanned, 0, b));
        auto const outputs = UnrolledScan(node, std::move(one), *trips, batch).outputs();
        for (size_t i = 0; i < made.size(); ++i) made[i].push_back(outputs[i]);
    }
    std::vector<Tensor*> outputs;
    for (auto const& parts : made) outputs.push_back(stacked(node, parts, 0, nullptr));
    return outputs;
}

std::vector<Tensor*> importScan(NodeReader& node) { return node.opset() < 9 ? importScan8(node) : importScan9(node); }

} // namespace

ImporterList scanImporters() {
    static constexpr Importer all[]{{"Scan", importScan}};
    return all;
}

} // namespace tenon::onnx
