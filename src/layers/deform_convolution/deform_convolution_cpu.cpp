// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/deform_convolution/deform_convolution.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/dispatch_float.h"
#include "backends/cpu/onednn_parts.h"
#include "backends/cpu/through_float.h"
#include "base/parallel.h"
#include "layers/deform_convolution/deform_places.h"

namespace tenon::cpu {
namespace {

using dnnl::memory;
using Source = DnnlArgument::Source;
using enum DeformConvolution::Inputs;

/// W [groups,K/groups,C/groups·kh·kw] times columns [groups,C/groups·kh·kw,h·w] → Y [groups,K/groups,h·w].
struct Product {
    memory::desc w, columns, y;
};

/// Of one item of the batch, and of some filters of one group.
Product productOf(PrepareArgs const& args, int64_t filters) {
    int64_t const groups = as<DeformConvolution>(*args.node.layer)->groups;
    Dims const& y = args.outputs[0];
    int64_t const met = args.inputs[kWeights].volume(1, 4);
    int64_t const places = y[2] * y[3];
    auto const type = toDnnl(args.variant.inputs[kX].type);
    auto const dense = [&](Dims const& dims) {
        return memory::desc(toDnnl(dims), type, toDnnl(rowMajorStrides(dims)));
    };
    if (groups == 1) return {dense({filters, met}), dense({met, places}), dense({filters, places})};
    return {dense({groups, filters, met}), dense({groups, met, places}), dense({groups, filters, places})};
}

int64_t filtersOf(PrepareArgs const& args) {
    return args.inputs[kWeights][0] / as<DeformConvolution>(*args.node.layer)->groups;
}

/// As many filters in a product as are worth a thread; all if there are groups, whose filters are not contiguous.
std::vector<Range> rangesOfFilters(PrepareArgs const& args) {
    constexpr int64_t kRows = 16;
    Dims const& y = args.outputs[0];
    double const operations = 2 * static_cast<double>(y.volume() * args.inputs[kWeights].volume(1, 4));
    int64_t const worth = partsWorth(operations / backend().costs().peak(args.variant.compute));
    bool const hasGroups = as<DeformConvolution>(*args.node.layer)->groups != 1;
    return rangesOf(0, filtersOf(args), kRows, hasGroups ? 1 : (worth + y[0] - 1) / y[0]);
}

std::optional<dnnl::matmul::primitive_desc> describe(Product const& product) {
    try {
        return describeMatmul(product.w, product.columns, {}, product.y, userScratchpad());
    } catch (dnnl::error const&) {
        return std::nullopt;
    }
}

/// The elements that the filters read, in columns, and the product of the filters with them.
class Deforming final : public Executable {
public:
    explicit Deforming(PrepareArgs const& args)
        : type_(args.variant.inputs[kX].type), moveType_(args.variant.inputs[kMoves].type),
          hasBias_(args.node.input(kBias) != nullptr), hasFactors_(args.node.input(kFactors) != nullptr),
          places_(*as<DeformConvolution>(*args.node.layer), args.inputs[kX], args.inputs[kWeights],
                  args.inputs[kMoves]),
          items_(args.inputs[kX][0]), filters_(args.inputs[kWeights][0]) {
        DnnlProgram program;
        memory::desc const columns = productOf(args, filtersOf(args)).columns;
        int64_t const columnBytes = static_cast<int64_t>(columns.get_size());
        columnsAt_ = program.reserve(items_ * columnBytes);
        std::vector<DnnlStep> parts;
        for (int64_t item = 0; item < items_; ++item) {
            for (Range const& range : rangesOfFilters(args)) parts.push_back(part(args, item, range, columnBytes));
        }
        program.addParts(std::move(parts));
        product_ = std::move(program).finish();
    }

    size_t workspaceBytes() const override { return product_->workspaceBytes(); }

    void run(Pointers const& pointers) override {
        dispatchFloat(type_, [&]<class T>(TypeTag<T>) {
            dispatchFloat(moveType_, [&]<class M>(TypeTag<M>) {
                int64_t const rows = items_ * places_.parts * places_.kernel();
                parallelFor(rows * places_.rows, 1, [&](int64_t begin, int64_t end) {
                    for (int64_t i = begin; i < end; ++i) fill<T, M>(pointers, i / places_.rows, i % places_.rows);
                });
            });
            product_->run(pointers);
            if (hasBias_) addBias<T>(pointers);
        });
    }

private:
    /// The product of some filters with the columns of an item.
    DnnlStep part(PrepareArgs const& args, int64_t item, Range const& range, int64_t columnBytes) const {
        ThreadLimit const one(1);
        Product const product = productOf(args, range.extent());
        auto const description = describe(product);
        if (!description)
            fail(ErrorCode::Unsupported, args.node, ": oneDNN has no implementation for ", args.inputs[kX]);
        auto const bytes = [&](int64_t elements) { return static_cast<int64_t>(bytesOf(type_, elements)); };
        int64_t const w = bytes(range.begin * args.inputs[kWeights].volume(1, 4));
        int64_t const y = bytes((item * filters_ + range.begin) * places_.places());
        return {makePrimitive(*description),
                {{DNNL_ARG_SRC, Source::Input, kWeights, product.w, w},
                 {DNNL_ARG_WEIGHTS, Source::Workspace, columnsAt_, product.columns, item * columnBytes},
                 {DNNL_ARG_DST, Source::Output, 0, product.y, y},
                 DnnlArgument::scratchOf(*description)}};
    }

    /// Fills one row of positions.
    template <class T, class M> void fill(Pointers const& pointers, int64_t row, int64_t line) const {
        auto const* x = static_cast<T const*>(pointers.inputs[kX]);
        auto const* moves = static_cast<M const*>(pointers.inputs[kMoves]);
        auto const* factors = hasFactors_ ? static_cast<M const*>(pointers.inputs[kFactors]) : nullptr;
        auto* columns = reinterpret_cast<T*>(static_cast<std::byte*>(pointers.workspace) + columnsAt_);
        int64_t const perChannel = places_.height * places_.width;
        for (int64_t place = line * places_.columns; place < (line + 1) * places_.columns; ++place) {
            DeformTaps const taps = places_.taps(moves, row, place);
            float const factor = factors ? static_cast<float>(factors[row * places_.places() + place]) : 1;
            for (int64_t c = 0; c < places_.channelsOfPart(); ++c)
                columns[places_.column(row, c, place)] = T(factor * taps.of(x + places_.channel(row, c) * perChannel));
        }
    }

    template <class T> void addBias(Pointers const& pointers) const {
        auto const* bias = static_cast<T const*>(pointers.inputs[kBias]);
        parallelFor(items_ * filters_, 1, [&](int64_t begin, int64_t end) {
            for (int64_t plane = begin; plane < end; ++plane) {
                auto const more = static_cast<float>(bias[plane % filters_]);
                T* const y = static_cast<T*>(pointers.outputs[0]) + plane * places_.places();
                for (int64_t i = 0; i < places_.places(); ++i) y[i] = T(static_cast<float>(y[i]) + more);
            }
        });
    }

    DataType type_;
    DataType moveType_;
    bool hasBias_;
    bool hasFactors_;
    DeformPlaces places_;
    int64_t items_;
    int64_t filters_;
    int64_t columnsAt_ = 0; // in the workspace
    std::unique_ptr<Executable> product_;
};

class CpuDeformConvolution final : public Kernel {
public:
    std::string_view name() const override { return "deform_convolution"; }

    // float, linear; the offsets in the network's type
    Offer offer(KernelQuery const& query) const override {
        Offer offer = offerFloats(query, [&](DataType type, Offer& to) {
            DataType const compute = computeTypeOf(type);
            Label const label{compute, Format::linear(), Device::Cpu};
            Variant variant{.inputs = {query.inputs.size(), label}, .outputs = {label}, .compute = compute};
            variant.cost = costOf(query, compute);
            variant = storedAs(type, query, std::move(variant));
            for (size_t i : {kMoves, kFactors}) {
                if (i < variant.inputs.size()) variant.inputs[i].type = query.node.input(kMoves)->type;
            }
            PrepareArgs const args{query.node, inFloat(variant), query.inputs, query.outputs, nullptr};
            if (fits(args)) to.variants.push_back(std::move(variant));
        });
        if (offer.variants.empty()) offer.refusal = text("has no implementation for ", query.inputs[kX]);
        return offer;
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return guardDnnl(args.node, name(), [&] {
            return throughFloat(args, [](PrepareArgs const& in) { return std::make_unique<Deforming>(in); });
        });
    }

private:
    static bool fits(PrepareArgs const& args) {
        Dims const& w = args.inputs[kWeights];
        Dims const& y = args.outputs[0];
        std::array const extents{y[0], w[0], w.volume(1, 4), y[2] * y[3]};
        return isCounted(extents) && describe(productOf(args, filtersOf(args)));
    }

    static double costOf(KernelQuery const& query, DataType compute) {
        auto const perPlace = static_cast<double>(query.inputs[kWeights].volume(1, 4));
        double const columns = static_cast<double>(query.outputs[0][0] * query.outputs[0].volume(2, 4)) * perPlace;
        double const operations = 2 * perPlace * static_cast<double>(query.outputs[0].volume());
        auto const bytes = static_cast<double>(bytesOf(compute, 1));
        return memoryCost(8 * bytes * columns) + operations / backend().costs().peak(compute);
    }
};

constexpr CpuDeformConvolution kDeformConvolution;
constexpr Kernel const* kKernels[]{&kDeformConvolution};

} // namespace

KernelList deformConvolutionKernels() { return {DeformConvolution::kKind, kKernels}; }

} // namespace tenon::cpu
