// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/dist_collective/dist_collective.h"

#include "backends/cuda/elements.cuh"
#include "backends/cuda/launch.h"
#include "backends/cuda/libraries.h"
#include "graph/elements.h"

#include <algorithm>
#include <optional>

namespace tenon::cuda {
namespace {

using Operation = DistCollective::Operation;

/// The functions of NCCL 2, with which applications create their communicators.
struct Nccl {
    using Reducing = int (*)(void const*, void*, size_t, int, int, void*, cudaStream_t);
    using Rooted = int (*)(void const*, void*, size_t, int, int, int, void*, cudaStream_t);
    using Copying = int (*)(void const*, void*, size_t, int, void*, cudaStream_t);
    using Sending = int (*)(void const*, size_t, int, int, void*, cudaStream_t);
    using Receiving = int (*)(void*, size_t, int, int, void*, cudaStream_t);

    Reducing allReduce = nullptr;
    Reducing reduceScatter = nullptr;
    Rooted reduce = nullptr;
    Reducing broadcast = nullptr; // the root instead of the reduction
    Copying allGather = nullptr;
    Sending send = nullptr;
    Receiving receive = nullptr;
    int (*groupStart)() = nullptr;
    int (*groupEnd)() = nullptr;
    int (*count)(void*, int*) = nullptr;
    int (*ownRank)(void*, int*) = nullptr;
    char const* (*errorText)(int) = nullptr;

    Nccl() {
        static Library const library("NCCL", {"libnccl.so.2"});
        library.find(allReduce, "ncclAllReduce");
        library.find(reduceScatter, "ncclReduceScatter");
        library.find(reduce, "ncclReduce");
        library.find(broadcast, "ncclBroadcast");
        library.find(allGather, "ncclAllGather");
        library.find(send, "ncclSend");
        library.find(receive, "ncclRecv");
        library.find(groupStart, "ncclGroupStart");
        library.find(groupEnd, "ncclGroupEnd");
        library.find(count, "ncclCommCount");
        library.find(ownRank, "ncclCommUserRank");
        library.find(errorText, "ncclGetErrorString");
    }
    void expect(int status) const {
        if (status != 0) fail(ErrorCode::Device, "NCCL: ", errorText(status));
    }
};

Nccl const& nccl() {
    static Nccl const functions;
    return functions;
}

constexpr int kBytes = 0; // ncclInt8: elements that are only moved

/// NCCL's number of a type with arithmetic; -1 for others.
int typeNumber(DataType type) {
    switch (type) {
    case DataType::Int8: return 0;
    case DataType::UInt8: return 1;
    case DataType::Int32: return 2;
    case DataType::Int64: return 4;
    case DataType::Float16: return 6;
    case DataType::Float32: return 7;
    case DataType::BFloat16: return 9;
    default: return -1;
    }
}

/// NCCL's numbers are the layer's: sum, product, maximum, minimum, average.
int numberOf(ReduceOperation reduction) { return static_cast<int>(reduction); }

template <class Sum> __device__ Sum combined(ReduceOperation reduction, Sum a, Sum b) {
    switch (reduction) {
    case ReduceOperation::Prod: return a * b;
    case ReduceOperation::Max: return a > b ? a : b;
    case ReduceOperation::Min: return a < b ? a : b;
    default: return a + b;
    }
}

/// y[i] = the reduction of parts[r * count + i] over r.
template <class T>
__global__ void combineParts(T const* __restrict__ parts, T* __restrict__ y, int64_t count, int64_t ranks,
                             ReduceOperation reduction) {
    using Sum = std::conditional_t<std::is_integral_v<T>, int64_t, float>;
    forEachElement(count, [&](int64_t i) {
        auto sum = convertTo<Sum>(parts[i]);
        for (int64_t r = 1; r < ranks; ++r) sum = combined(reduction, sum, convertTo<Sum>(parts[r * count + i]));
        if (reduction == ReduceOperation::Avg) sum /= static_cast<Sum>(ranks);
        y[i] = convertTo<T>(sum);
    });
}

/// The properties of a communicator.
struct Communicating {
    int count = 0;
    int rank = 0;

    explicit Communicating(void* communicator) {
        nccl().expect(nccl().count(communicator, &count));
        nccl().expect(nccl().ownRank(communicator, &rank));
    }
    bool operator==(Communicating const&) const = default;
};

/// The members of runs with such a communicator.
struct Members {
    Communicating of;
    std::vector<int> ranks; // of the communicator, in the order of the group
    int own = -1;           // this device's index among them; -1: not a member
    int root = 0;           // the root's index
    bool isWhole = false;   // all ranks of the communicator in its own order

    Members(DistCollective const& layer, Communicating const& communicating) : of(communicating) {
        auto const [count, rank] = of;
        for (int64_t const member : layer.group) ranks.push_back(static_cast<int>(member));
        for (int i = 0; layer.group.empty() && i < count; ++i) ranks.push_back(i);
        int const most = std::max(*std::ranges::max_element(ranks), layer.hasRoot() ? static_cast<int>(layer.root) : 0);
        if (most >= count)
            fail(ErrorCode::InvalidState, "names rank ", most, ", but the context's communicator has ", count,
                 " ranks, 0 to ", count - 1);
        bool const isShaped = layer.joins() || layer.splits() || layer.operation == Operation::AllToAll;
        if (isShaped && layer.ranks != static_cast<int64_t>(ranks.size()))
            fail(ErrorCode::InvalidState, "is built for ", layer.ranks, " ranks (setNbRanks), but ", ranks.size(),
                 " participate; build it for these");
        own = placeOf(rank);
        if (layer.hasRoot()) root = placeOf(static_cast<int>(layer.root));
        isWhole = static_cast<int>(ranks.size()) == count && std::ranges::is_sorted(ranks);
    }

private:
    int placeOf(int rank) const {
        auto const found = std::ranges::find(ranks, rank);
        return found == ranks.end() ? -1 : static_cast<int>(found - ranks.begin());
    }
};

/// The data that this device sends to a member and receives from it; offsets in bytes.
struct Message {
    bool sends = true;
    bool receives = true;
    size_t sendAt = 0;
    size_t receiveAt = 0;
};

class Exchanging final : public Executable {
public:
    explicit Exchanging(PrepareArgs const& args)
        : layer_(*as<DistCollective>(*args.node.layer)), type_(args.variant.inputs[0].type),
          xBytes_(bytesOf(args.inputs[0], args.variant.inputs[0])),
          yBytes_(bytesOf(args.outputs[0], args.variant.outputs[0])) {}

    /// Holds the data of all members before a reduction among some of the ranks.
    size_t workspaceBytes() const override { return layer_.reduces() ? layer_.group.size() * messageBytes() : 0; }
    bool waits() const override { return true; } // a recording would keep the communicator

    void run(Pointers const& pointers) override {
        auto* const stream = streamOf(pointers.stream);
        if (!pointers.communicator) {
            layer_.expectAlone();
            check(cudaMemcpyAsync(pointers.outputs[0], pointers.inputs[0], xBytes_, cudaMemcpyDeviceToDevice, stream),
                  "cudaMemcpyAsync");
            return;
        }
        if (Communicating const now(pointers.communicator); !members_ || members_->of != now)
            members_.emplace(layer_, now);
        Members const& members = *members_;
        if (members.own < 0) return;
        if (members.isWhole && runWhole(pointers, members)) return;
        void* const to = layer_.reduces() ? pointers.workspace : pointers.outputs[0];
        exchange(pointers, members, static_cast<std::byte*>(to));
        if (layer_.reduces() && (layer_.operation != Operation::Reduce || members.own == members.root))
            combine(pointers, static_cast<int64_t>(members.ranks.size()));
    }

private:
    /// Uses NCCL's own function if all ranks participate and NCCL has one.
    bool runWhole(Pointers const& pointers, Members const& members) const {
        Nccl const& n = nccl();
        void const* const x = pointers.inputs[0];
        void* const y = pointers.outputs[0];
        void* const communicator = pointers.communicator;
        auto* const stream = streamOf(pointers.stream);
        int const type = typeNumber(type_);
        size_t const bytes = elementBytes(type_);
        switch (layer_.operation) {
        case Operation::AllReduce:
            n.expect(n.allReduce(x, y, xBytes_ / bytes, type, numberOf(layer_.reduction), communicator, stream));
            return true;
        case Operation::Reduce:
            n.expect(
                n.reduce(x, y, xBytes_ / bytes, type, numberOf(layer_.reduction), members.root, communicator, stream));
            return true;
        case Operation::ReduceScatter:
            n.expect(n.reduceScatter(x, y, yBytes_ / bytes, type, numberOf(layer_.reduction), communicator, stream));
            return true;
        case Operation::AllGather: n.expect(n.allGather(x, y, xBytes_, kBytes, communicator, stream)); return true;
        case Operation::Broadcast:
            n.expect(n.broadcast(x, y, xBytes_, kBytes, members.root, communicator, stream));
            return true;
        default: return false;
        }
    }

    size_t messageBytes() const {
        if (layer_.operation == Operation::AllToAll) return xBytes_ / static_cast<size_t>(layer_.ranks);
        return layer_.splits() ? yBytes_ : xBytes_;
    }

    /// The message between this device and the member at index i.
    Message messageWith(int i, Members const& members) const {
        bool const isRoot = members.own == members.root;
        size_t const at = static_cast<size_t>(i) * messageBytes();
        switch (layer_.operation) {
        case Operation::AllReduce:
        case Operation::AllGather: return {.receiveAt = at};
        case Operation::ReduceScatter:
        case Operation::AllToAll: return {.sendAt = at, .receiveAt = at};
        case Operation::Broadcast: return {.sends = isRoot, .receives = i == members.root};
        case Operation::Reduce:
        case Operation::Gather: return {.sends = i == members.root, .receives = isRoot, .receiveAt = at};
        case Operation::Scatter: return {.sends = isRoot, .receives = i == members.root, .sendAt = at};
        }
        return {};
    }

    void exchange(Pointers const& pointers, Members const& members, std::byte* to) const {
        Nccl const& n = nccl();
        auto const* const x = static_cast<std::byte const*>(pointers.inputs[0]);
        auto* const stream = streamOf(pointers.stream);
        n.expect(n.groupStart());
        int status = 0;
        for (int i = 0; i < static_cast<int>(members.ranks.size()); ++i) {
            Message const message = messageWith(i, members);
            int const peer = members.ranks[static_cast<size_t>(i)];
            if (message.sends && status == 0)
                status = n.send(x + message.sendAt, messageBytes(), kBytes, peer, pointers.communicator, stream);
            if (message.receives && status == 0)
                status = n.receive(to + message.receiveAt, messageBytes(), kBytes, peer, pointers.communicator, stream);
        }
        int const ended = n.groupEnd(); // always, or NCCL waits for it
        n.expect(status != 0 ? status : ended);
    }

    void combine(Pointers const& pointers, int64_t ranks) const {
        dispatchElement(type_, [&]<class T>(TypeTag<T>) {
            auto const count = static_cast<int64_t>(yBytes_ / sizeof(T));
            combineParts<<<blocksFor(count), kThreads, 0, streamOf(pointers.stream)>>>(
                static_cast<T const*>(pointers.workspace), static_cast<T*>(pointers.outputs[0]), count, ranks,
                layer_.reduction);
            checkLaunch("collective reduction");
        });
    }

    DistCollective layer_;
    DataType type_;
    size_t xBytes_;
    size_t yBytes_;
    std::optional<Members> members_; // of the runs so far
};

class NcclCollective final : public Kernel {
public:
    std::string_view name() const override { return "nccl_collective"; }

    // any type of whole bytes, linear; for reductions the types that NCCL supports
    Offer offer(KernelQuery const& query) const override {
        bool const reduces = as<DistCollective>(*query.node.layer)->reduces();
        Offer offer = offerTypes(query, *query.node.input(0), [&](DataType type, Offer& to) {
            if (bitsOf(type) % 8 != 0 || (reduces && typeNumber(type) < 0)) return;
            Label const label{type, Format::linear(), kCuda};
            Variant variant{.inputs = {label}, .outputs = {label}};
            variant.cost =
                kernelCost(static_cast<double>(bytesOf(query.inputs[0], label) + bytesOf(query.outputs[0], label)));
            to.variants.push_back(std::move(variant));
        });
        if (offer.variants.empty()) offer.refusal = text("does not reduce ", query.node.input(0)->type);
        return offer;
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<Exchanging>(args);
    }
};

constexpr NcclCollective kCollective;
constexpr Kernel const* kKernels[]{&kCollective};

} // namespace

KernelList distCollectiveKernels() { return {DistCollective::kKind, kKernels}; }

} // namespace tenon::cuda
