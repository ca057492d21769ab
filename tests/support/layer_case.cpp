// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/layer_case.h"

#include "backends/kernel.h"
#include "base/error.h"
#include "layers/constant/constant.h"
#include "layers/reformat/reformat.h"
#include "support/tested_device.h"

#include <iostream>

namespace tenon::test {
namespace {

/// A graph of one node: its inputs fed or constant, in types of the case.
struct OneNode {
    Graph graph;
    Node* node = nullptr;
    std::vector<Dims> inputDims;
    std::vector<Dims> outputDims;

    OneNode(LayerCase const& layerCase, Layer const& layer, bool symbolic) {
        std::vector<Tensor*> tensors;
        for (size_t i = 0; i < layerCase.inputs.size(); ++i) {
            Literal const& literal = layerCase.inputs[i];
            inputDims.push_back(literal.dims());
            bool const decides = layer.readsValuesOf(static_cast<int>(i));
            if (literal.data() == nullptr) {
                tensors.push_back(nullptr);
            } else if (decides || layerCase.isConstant(i)) {
                tensors.push_back(graph.emit(Constant(literal), {}));
            } else {
                tensors.push_back(graph.addInput(text('x', i), literal.type(), shapeOf(literal.dims(), i, symbolic)));
            }
        }
        node = graph.add(layer.clone(), tensors, "node");
        tensors.insert(tensors.end(), node->outputs().begin(), node->outputs().end());
        for (size_t i = 0; i < layerCase.scales.size(); ++i) {
            if (layerCase.scales[i] != 0) tensors[i]->scale = layerCase.scales[i];
        }
        for (Literal const& expected : layerCase.expected) outputDims.push_back(expected.dims());
    }

    static Shape shapeOf(Dims const& dims, size_t input, bool symbolic) {
        if (!symbolic) return toShape(dims);
        Shape shape;
        for (int axis = 0; axis < dims.rank(); ++axis) shape.push_back(DimExpr::symbol(text('x', input, '.', axis)));
        return shape;
    }
};

double at(Literal const& literal, size_t i) {
    return dispatch(literal.type(), [&]<class T>(TypeTag<T>) { return static_cast<double>(literal.as<T>()[i]); });
}

/// bfloat16 has 8 bits of significand, float16 11; sums of a few such errors are allowed for.
double toleranceOf(DataType type, double tolerance) {
    switch (type) {
    case DataType::BFloat16: return std::max(tolerance, 0.04);
    case DataType::Float16: return std::max(tolerance, 0.005);
    default: return tolerance;
    }
}

/// Memory of a device for the tensors of a case, and their bytes on the host.
class Buffers {
public:
    explicit Buffers(Backend const& backend) : backend_(backend) {}

    std::vector<void*> pointers;

    void addNone() { pointers.push_back(nullptr); }
    void add(void const* bytes, size_t count) {
        owned_.push_back(backend_.allocate(count));
        pointers.push_back(owned_.back().get());
        backend_.copy(pointers.back(), bytes, count, nullptr);
        backend_.synchronize(nullptr);
    }
    void addFilled(size_t count) { add(std::vector<char>(count, '\xee').data(), count); } // nothing may rely on zeros
    std::shared_ptr<void> fetch(size_t number, size_t count) const {
        auto host = allocateHost(count);
        backend_.copy(host.get(), pointers[number], count, nullptr);
        backend_.synchronize(nullptr);
        return host;
    }

private:
    Backend const& backend_;
    std::vector<std::shared_ptr<void>> owned_;
};

class KernelRun {
public:
    KernelRun(LayerCase const& layerCase, OneNode const& one, Kernel const& kernel, Variant const& variant)
        : case_(layerCase), one_(one), kernel_(kernel), variant_(variant), backend_(testedBackend()) {}

    std::vector<Literal> run() {
        PrepareArgs args{*one_.node, variant_, one_.inputDims, one_.outputDims, nullptr};
        if (variant_.isPacked()) {
            auto packed = std::make_shared<Packed>(kernel_.pack(args));
            EXPECT_EQ(packed->key, kernel_.packKey(variant_));
            args.packed = packed;
            packed_.add(packed->bytes.data(), packed->bytes.bytes());
            args.packedData = packed_.pointers[0];
        }
        auto executable = kernel_.prepare(args);
        feed();
        for (size_t i = 0; i < one_.outputDims.size(); ++i)
            outputs_.addFilled(bytesOf(one_.outputDims[i], variant_.outputs[i]));
        workspace_.addFilled(executable->workspaceBytes());
        Pointers const pointers{inputs_.pointers.data(), outputs_.pointers.data(), workspace_.pointers[0], nullptr};
        executable->run(pointers);
        executable->run(pointers); // the second run must not depend on the first
        backend_.synchronize(nullptr);
        return fetch();
    }

private:
    void feed() {
        for (size_t i = 0; i < case_.inputs.size(); ++i) {
            Literal const& literal = case_.inputs[i];
            if (literal.data() == nullptr || variant_.packs(i)) {
                inputs_.addNone();
                continue;
            }
            size_t const bytes = bytesOf(literal.dims(), variant_.inputs[i]);
            auto const memory = allocateHost(bytes);
            reformat(literal.dims(), {literal.type(), {}, {}}, literal.data(), variant_.inputs[i], memory.get());
            inputs_.add(memory.get(), bytes);
        }
    }

    std::vector<Literal> fetch() {
        std::vector<Literal> found;
        for (size_t i = 0; i < one_.outputDims.size(); ++i) {
            DataType const type = case_.expected[i].type();
            auto memory = allocateHost(bytesOf(type, one_.outputDims[i].volume()));
            auto const computed = outputs_.fetch(i, bytesOf(one_.outputDims[i], variant_.outputs[i]));
            reformat(one_.outputDims[i], variant_.outputs[i], computed.get(), {type, {}, {}}, memory.get());
            found.push_back(Literal::borrowed(type, one_.outputDims[i], memory.get(), memory));
        }
        return found;
    }

    LayerCase const& case_;
    OneNode const& one_;
    Kernel const& kernel_;
    Variant const& variant_;
    Backend const& backend_;
    Buffers inputs_{backend_};
    Buffers outputs_{backend_};
    Buffers workspace_{backend_};
    Buffers packed_{backend_};
};

void expectInferred(OneNode const& one, LayerCase const& layerCase, bool symbolic) {
    ASSERT_EQ(one.node->outputs().size(), layerCase.expected.size());
    for (size_t i = 0; i < layerCase.expected.size(); ++i) {
        Tensor const& output = *one.node->output(static_cast<int>(i));
        EXPECT_EQ(output.type, layerCase.expected[i].type());
        ASSERT_EQ(output.shape.size(), static_cast<size_t>(layerCase.expected[i].dims().rank()));
        if (!symbolic) {
            EXPECT_EQ(toDims(output.shape), layerCase.expected[i].dims());
        }
    }
}

/// The narrowest type that the variant computes this output from.
DataType narrowest(Variant const& variant, size_t output) {
    for (Label const& label : variant.inputs) {
        if (bitsOf(label.type) == 16) return label.type;
    }
    return variant.outputs[output].type;
}

/// The nearest values that can be stored with this label.
Literal storedAs(Label const& label, Literal const& values) {
    if (label.scale == 0) return values;
    Label const real{values.type(), {}, {}};
    Label const quantized{label.type, {}, {}, label.scale};
    auto const integers = allocateHost(bytesOf(values.dims(), quantized));
    auto const memory = allocateHost(bytesOf(values.dims(), real));
    reformat(values.dims(), real, values.data(), quantized, integers.get());
    reformat(values.dims(), quantized, integers.get(), real, memory.get());
    return Literal::borrowed(values.type(), values.dims(), memory.get(), memory);
}

void expectVariant(OneNode const& one, LayerCase const& layerCase, Kernel const& kernel, Variant const& variant) {
    std::string const what =
        text(kernel.name(), " with inputs ", joined(variant.inputs), " and outputs ", joined(variant.outputs));
    SCOPED_TRACE(what);
    auto const found = KernelRun(layerCase, one, kernel, variant).run();
    for (size_t i = 0; i < found.size(); ++i)
        expectClose(found[i], storedAs(variant.outputs[i], layerCase.expected[i]),
                    toleranceOf(narrowest(variant, i), layerCase.tolerance), what);
}

void expectKernels(OneNode const& one, LayerCase const& layerCase) {
    KernelQuery query{*one.node, one.inputDims, one.outputDims, layerCase.types};
    query.allowInt8 = true;
    std::string refusals;
    bool isTaken = false;
    for (Kernel const* kernel : testedBackend().kernelsFor(one.node->kind())) {
        Offer const offer = kernel->offer(query);
        EXPECT_NE(offer.variants.empty(), offer.refusal.empty()) << kernel->name() << " offers or says why not";
        isTaken = isTaken || !offer.variants.empty();
        refusals += text("; ", kernel->name(), ": ", offer.refusal);
        std::span<Variant const> variants = offer.variants;
        if (layerCase.one && !variants.empty()) variants = variants.subspan(*layerCase.one % variants.size(), 1);
        for (Variant const& variant : variants) expectVariant(one, layerCase, *kernel, variant);
    }
    // The CPU helps out in an engine; who reads the output of the tests sees where.
    if (!isTaken)
        std::cout << text("    on ", testedBackend().device(), " nothing takes ", *one.node, " at ",
                          joined(one.inputDims), refusals, '\n');
}

} // namespace

void expectClose(Literal const& found, Literal const& expected, double tolerance, std::string const& what) {
    ASSERT_EQ(nameOf(found.type()), nameOf(expected.type())) << what;
    ASSERT_EQ(text(found.dims()), text(expected.dims())) << what;
    auto const count = static_cast<size_t>(expected.dims().volume());
    int wrong = 0;
    for (size_t i = 0; i < count && wrong < 5; ++i) {
        double const f = at(found, i);
        double const e = at(expected, i);
        bool const equal = f == e || (std::isnan(f) && std::isnan(e)) ||
                           (std::isfinite(e) && std::abs(f - e) <= tolerance * (1 + std::abs(e)));
        if (!equal) ADD_FAILURE() << what << ", element " << i << ": " << f << ", expected " << e, ++wrong;
    }
}

void LayerCase::expect(Layer const& layer) const {
    expectInferred(OneNode(*this, layer, true), *this, true);
    OneNode const one(*this, layer, false);
    expectInferred(one, *this, false);
    if (!testing::Test::HasFatalFailure()) expectKernels(one, *this);
}

LayerCase LayerCase::in(DataType type) const {
    LayerCase converted = *this;
    for (auto* literals : {&converted.inputs, &converted.expected}) {
        for (Literal& literal : *literals) {
            if (literal.data() == nullptr || literal.type() != DataType::Float32) continue;
            auto const memory = allocateHost(bytesOf(type, literal.dims().volume()));
            reformat(literal.dims(), {DataType::Float32, {}, {}}, literal.data(), {type, {}, {}}, memory.get());
            literal = Literal::borrowed(type, literal.dims(), memory.get(), memory);
        }
    }
    return converted;
}

std::string errorOf(std::function<void()> const& body) {
    try {
        body();
    } catch (Error const& error) {
        return error.what();
    }
    ADD_FAILURE() << "expected an error";
    return {};
}

std::string inferError(Layer const& layer, std::vector<Input> const& inputs) {
    return errorOf([&] {
        Graph graph;
        std::vector<Tensor*> tensors;
        for (Input const& input : inputs) tensors.push_back(graph.addInput("x", input.type, input.shape));
        graph.add(layer.clone(), tensors, "node");
    });
}

Literal floats(Dims const& dims, std::vector<float> const& values) {
    EXPECT_EQ(dims.volume(), static_cast<int64_t>(values.size()));
    return Literal::of(dims, values);
}

Literal ints(Dims const& dims, std::vector<int64_t> const& values) {
    EXPECT_EQ(dims.volume(), static_cast<int64_t>(values.size()));
    return Literal::of(dims, values);
}

Literal spread(Dims const& dims, float low, float high) {
    std::vector<float> values;
    uint32_t state = 12345;
    for (int64_t i = 0; i < dims.volume(); ++i) {
        state = state * 1664525U + 1013904223U; // Numerical Recipes' generator
        values.push_back(low + (high - low) * static_cast<float>(state >> 8) / 16777216.0F);
    }
    return floats(dims, values);
}

} // namespace tenon::test
