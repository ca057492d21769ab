// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/onednn.h"

#include "backends/packed.h"
#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>

namespace tenon::cpu {
namespace {

using dnnl::memory;
using Source = DnnlArgument::Source;

size_t aligned(size_t bytes) { return (bytes + 63) / 64 * 64; }

std::span<std::byte const> bytesOf(Packed const& packed) { return std::as_bytes(packed.bytes.as<uint8_t>()); }

void* packedAt(Packed const& packed, int64_t offset) {
    return const_cast<std::byte*>(bytesOf(packed).data()) + offset; // oneDNN's functions have no pointers to const
}

/// In zeroed scratch memory: the library accumulates sums of int8 weights in it without clearing it.
void reorder(dnnl::memory::desc const& from, void* x, dnnl::memory::desc const& to, void* y) {
    dnnl::reorder::primitive_desc const made(dnnlEngine(), from, dnnlEngine(), to, userScratchpad());
    size_t const bytes = made.scratchpad_desc().get_size();
    std::shared_ptr<void> const clear = allocateHost(bytes);
    std::memset(clear.get(), 0, bytes);
    dnnl::memory source(from, dnnlEngine(), x);
    dnnl::memory target(to, dnnlEngine(), y);
    dnnl::memory scratch(made.scratchpad_desc(), dnnlEngine(), clear.get());
    dnnl::stream stream(dnnlEngine());
    makePrimitive(made).execute(stream,
                                {{DNNL_ARG_FROM, source}, {DNNL_ARG_TO, target}, {DNNL_ARG_SCRATCHPAD, scratch}});
    stream.wait();
}

/// Memory objects are created once; each run only sets their addresses, and only those that have changed (oneDNN 2
/// zeroes the padding of blocked tensors whenever it gets a new address).
class DnnlExecutable final : public Executable {
public:
    DnnlExecutable(std::vector<DnnlStage> const& stages, size_t workspace, std::shared_ptr<Packed const> packed,
                   std::vector<std::shared_ptr<void>> own)
        : packed_(std::move(packed)), own_(std::move(own)), workspace_(workspace) {
        for (DnnlStage const& stage : stages) add(stage);
    }

    size_t workspaceBytes() const override { return workspace_; }

    void run(Pointers const& pointers) override {
        for (Binding& binding : bindings_) binding.bindTo(locate(binding, pointers));
        for (Stage& stage : stages_) {
            dnnl_status_t const status = stage.isParts ? runParts(stage, static_cast<std::byte*>(pointers.workspace))
                                                       : stage.calls.front().execute(streams_.front());
            if (status != dnnl_success)
                fail(ErrorCode::Internal, "oneDNN failed with status ", static_cast<int>(status));
        }
    }

private:
    /// A memory object and its current address.
    struct Binding {
        Source source;
        int64_t at;
        int64_t offset;
        dnnl::memory memory;
        void* bound;

        void bindTo(void* data) {
            if (data != bound) memory.set_data_handle(data);
            bound = data;
        }
    };
    struct Call {
        dnnl::primitive primitive;
        std::vector<dnnl_exec_arg_t> arguments;
        std::optional<Binding> scratch; // of the thread that runs it

        dnnl_status_t execute(dnnl::stream const& stream) const {
            return dnnl_primitive_execute(primitive.get(), stream.get(), static_cast<int>(arguments.size()),
                                          arguments.data());
        }
    };
    struct Stage {
        std::vector<Call> calls;
        bool isParts;
        int slots;
        int64_t scratch;
        int64_t scratchBytes;
    };

    /// Runs each part on one thread. Returns the status of one that failed, if any.
    dnnl_status_t runParts(Stage& stage, std::byte* workspace) {
        std::atomic<dnnl_status_t> failed = dnnl_success;
        auto const execute = [&](Call& call, int slot) { // must not throw
            try {
                if (call.scratch) call.scratch->bindTo(workspace + stage.scratch + slot * stage.scratchBytes);
                return call.execute(streams_[static_cast<size_t>(slot)]);
            } catch (dnnl::error const& error) {
                return error.status;
            } catch (std::bad_alloc const&) {
                return dnnl_out_of_memory;
            }
        };
        auto const run = [&](int64_t begin, int64_t end, int slot) {
            ThreadLimit const one(1); // a primitive uses as many threads as it was created for
            for (int64_t i = begin; i < end; ++i) {
                auto const status = execute(stage.calls[static_cast<size_t>(i)], slot);
                if (status != dnnl_success) failed = status;
            }
        };
        parallelForSlots(std::ssize(stage.calls), 1, stage.slots, run);
        return failed;
    }

    void add(DnnlStage const& stage) {
        while (std::ssize(streams_) < stage.slots) streams_.emplace_back(dnnlEngine());
        stages_.push_back({{}, stage.isParts, stage.slots, stage.scratch, stage.scratchBytes});
        for (DnnlStep const& step : stage.steps) {
            Call& call = stages_.back().calls.emplace_back(Call{step.primitive, {}, {}});
            for (DnnlArgument const& argument : step.arguments) add(argument, call);
        }
    }

    void add(DnnlArgument const& argument, Call& call) {
        void* fixed = DNNL_MEMORY_NONE;
        auto const at = static_cast<size_t>(argument.at);
        if (argument.source == Source::Packed) fixed = packedAt(*packed_, argument.at + argument.offset);
        if (argument.source == Source::Own) fixed = static_cast<std::byte*>(own_[at].get()) + argument.offset;
        Binding binding{argument.source, argument.at, argument.offset, {argument.desc, dnnlEngine(), fixed}, fixed};
        call.arguments.push_back({argument.argument, binding.memory.get()});
        if (argument.source == Source::Scratch)
            call.scratch = std::move(binding);
        else
            bindings_.push_back(std::move(binding));
    }

    static void* locate(Binding const& binding, Pointers const& pointers) {
        switch (binding.source) {
        case Source::Input:
            return static_cast<std::byte*>(const_cast<void*>(pointers.inputs[binding.at])) + binding.offset;
        case Source::Output: return static_cast<std::byte*>(pointers.outputs[binding.at]) + binding.offset;
        case Source::Workspace: return static_cast<std::byte*>(pointers.workspace) + binding.at + binding.offset;
        case Source::Packed:
        case Source::Own:
        case Source::Scratch: break;
        }
        return binding.bound;
    }

    std::vector<dnnl::stream> streams_; // one per slot
    std::shared_ptr<Packed const> packed_;
    std::vector<std::shared_ptr<void>> own_;
    size_t workspace_;
    std::vector<Binding> bindings_;
    std::vector<Stage> stages_;
};

// A descriptor as bytes. In oneDNN 2 it is plain data; oneDNN 3 exports it.
#if DNNL_VERSION_MAJOR >= 3
std::vector<uint8_t> save(dnnl::memory::desc desc) { return desc.get_blob(); }
dnnl::memory::desc load(std::span<uint8_t const> blob) {
    try {
        return dnnl::memory::desc(std::vector<uint8_t>(blob.begin(), blob.end()));
    } catch (dnnl::error const& error) {
        fail(ErrorCode::InvalidPlan, "packed weights have a descriptor of ", blob.size(),
             " bytes that oneDNN cannot read: ", std::string_view(error.message));
    }
}
#else
std::vector<uint8_t> save(dnnl::memory::desc const& desc) {
    auto const* bytes = reinterpret_cast<uint8_t const*>(&desc.data);
    return {bytes, bytes + sizeof desc.data};
}
dnnl::memory::desc load(std::span<uint8_t const> blob) {
    dnnl_memory_desc_t raw{};
    if (blob.size() != sizeof raw) fail(ErrorCode::InvalidPlan, "packed weights have a descriptor of another oneDNN");
    std::memcpy(&raw, blob.data(), sizeof raw);
    return dnnl::memory::desc(raw);
}
#endif

/// The parts of a descriptor in which two orders of the same elements may differ.
struct Blocking {
    memory::dims dims, padded, strides, blocks, blocked; // sizes of the inner blocks, and which axes they cut
    bool isPlain;                                        // blocks of one type, at offset 0
};

#if DNNL_VERSION_MAJOR >= 3
Blocking blockingOf(memory::desc const& desc) {
    bool const isBlocked = desc.get_format_kind() == memory::format_kind::blocked;
    if (!isBlocked) return {};
    auto const offsets = desc.get_padded_offsets();
    bool const isPlain = desc.get_submemory_offset() == 0 && std::ranges::count(offsets, 0) == std::ssize(offsets);
    return {desc.get_dims(),       desc.get_padded_dims(), desc.get_strides(),
            desc.get_inner_blks(), desc.get_inner_idxs(),  isPlain};
}
#else
/// An enumerator read from a file, which may be invalid.
template <class Enum> int numberOf(Enum const& read) {
    static_assert(sizeof(Enum) == sizeof(int));
    int number = 0;
    std::memcpy(&number, &read, sizeof number);
    return number;
}

Blocking blockingOf(memory::desc const& desc) {
    dnnl_memory_desc_t const& raw = desc.data;
    dnnl_blocking_desc_t const& blocking = raw.format_desc.blocking;
    bool const isWhole = numberOf(raw.format_kind) == dnnl_blocked && raw.ndims >= 0 && raw.ndims <= DNNL_MAX_NDIMS &&
                         blocking.inner_nblks >= 0 && blocking.inner_nblks <= DNNL_MAX_NDIMS;
    if (!isWhole) return {};
    auto const list = [](dnnl_dim_t const* from, int count) { return memory::dims(from, from + count); };
    bool const isPlain = raw.offset0 == 0 && raw.extra.flags == dnnl_memory_extra_flag_none &&
                         std::ranges::all_of(list(raw.padded_offsets, raw.ndims), [](auto o) { return o == 0; });
    return {list(raw.dims, raw.ndims),
            list(raw.padded_dims, raw.ndims),
            list(blocking.strides, raw.ndims),
            list(blocking.inner_blks, blocking.inner_nblks),
            list(blocking.inner_idxs, blocking.inner_nblks),
            isPlain};
}
#endif

int typeOf(memory::desc const& desc) {
#if DNNL_VERSION_MAJOR >= 3
    return static_cast<int>(desc.get_data_type());
#else
    return numberOf(desc.data.data_type);
#endif
}

/// Whether a descriptor of the elements of `wanted` stays within that many bytes, whatever its strides.
bool describesWithin(memory::desc const& desc, memory::desc const& wanted, uint64_t bytes) {
    constexpr int64_t kMost = int64_t{1} << 40; // limits each number, so that products of two do not overflow
    Blocking const found = blockingOf(desc);
    bool const fits = found.isPlain && typeOf(desc) == typeOf(wanted) && found.dims == blockingOf(wanted).dims &&
                      found.padded.size() == found.dims.size() && found.blocks.size() == found.blocked.size();
    if (!fits) return false;
    std::vector<int64_t> cut(found.dims.size(), 1);
    int64_t inner = 1;
    for (size_t i = 0; i < found.blocks.size(); ++i) {
        bool const isAxis = found.blocked[i] >= 0 && found.blocked[i] < std::ssize(cut);
        if (!isAxis || found.blocks[i] < 1 || found.blocks[i] > 4096 || inner > kMost / 4096) return false;
        cut[static_cast<size_t>(found.blocked[i])] *= found.blocks[i];
        inner *= found.blocks[i];
    }
    int64_t elements = inner;
    for (size_t axis = 0; axis < cut.size(); ++axis) {
        int64_t const blocks = (found.dims[axis] + cut[axis] - 1) / cut[axis];
        int64_t const stride = found.strides[axis];
        if (found.padded[axis] != blocks * cut[axis] || stride < 0 || stride > kMost || blocks < 1) return false;
        int64_t reach = 0;
        bool const overflows = __builtin_mul_overflow(blocks - 1, stride, &reach);
        if (overflows || reach > kMost || elements > kMost) return false;
        elements += reach;
    }
    return static_cast<uint64_t>(elements) * memory::data_type_size(static_cast<memory::data_type>(typeOf(desc))) <=
           bytes;
}

std::vector<int64_t> innerBlocks(Blocking const& blocking) {
    std::vector<int64_t> inner(blocking.dims.size(), 1);
    for (size_t i = 0; i < blocking.blocks.size(); ++i)
        inner[static_cast<size_t>(blocking.blocked[i])] *= blocking.blocks[i];
    return inner;
}

/// How `to` stores the elements of a dense constant that `as` describes; nullopt if it stores more than these, or
/// others.
std::optional<ElementOrder> orderOf(memory::desc const& as, memory::desc const& to) {
    Blocking const dense = blockingOf(as);
    Blocking const copy = blockingOf(to);
    bool const isCopy = dense.isPlain && dense.blocks.empty() && copy.isPlain && typeOf(as) == typeOf(to);
    if (!isCopy || dense.dims != copy.dims) return std::nullopt;
    return ElementOrder{dense.dims, dense.strides, copy.strides, copy.blocks, copy.blocked};
}

/// Precedes each packed weight: the sizes of its descriptor and its elements.
struct WeightHeader {
    uint64_t descBytes;
    uint64_t elementBytes;
};

size_t headBytes(WeightHeader const& header) { return aligned(sizeof header + header.descBytes); }

} // namespace

int64_t DnnlProgram::reserve(int64_t bytes) {
    int64_t const at = workspace_;
    workspace_ += static_cast<int64_t>(aligned(static_cast<size_t>(bytes)));
    return at;
}

DnnlArgument DnnlProgram::scratchpad(dnnl::memory::desc const& desc) {
    return {DNNL_ARG_SCRATCHPAD, Source::Workspace, reserve(desc), desc};
}

DnnlArgument DnnlProgram::own(DnnlConstant const& constant) {
    own_.push_back(allocateHost(constant.desc.get_size()));
    std::memcpy(own_.back().get(), constant.values.data(), std::min(constant.values.bytes(), constant.desc.get_size()));
    return {constant.argument, Source::Own, static_cast<int64_t>(own_.size() - 1), constant.desc};
}

DnnlArgument DnnlProgram::reordered(DnnlArgument const& from, dnnl::memory::desc const& to) {
    if (from.desc == to) return from;
    if (from.source == Source::Packed) {
        own_.push_back(allocateHost(to.get_size()));
        reorder(from.desc, packedAt(*packed_, from.at), to, own_.back().get());
        return {from.argument, Source::Own, static_cast<int64_t>(own_.size() - 1), to};
    }
    dnnl::reorder::primitive_desc const made(dnnlEngine(), from.desc, dnnlEngine(), to, userScratchpad());
    DnnlArgument const copy{from.argument, Source::Workspace, reserve(to), to};
    DnnlStep step{makePrimitive(made), {from, copy, scratchpad(made.scratchpad_desc())}};
    step.arguments[0].argument = DNNL_ARG_FROM;
    step.arguments[1].argument = DNNL_ARG_TO;
    add(std::move(step));
    return copy;
}

std::optional<int64_t> weightOffset(memory::desc const& whole, memory::desc const& part, int axis, int64_t begin) {
    if (whole == part) return 0;
    Blocking const all = blockingOf(whole);
    Blocking const some = blockingOf(part);
    bool const isAlike = all.isPlain && some.isPlain && typeOf(whole) == typeOf(part) && all.blocks == some.blocks &&
                         all.blocked == some.blocked && all.dims.size() == some.dims.size();
    if (!isAlike) return std::nullopt;
    auto const inner = innerBlocks(all);
    for (size_t i = 0; i < inner.size(); ++i) {
        bool const isCut = static_cast<int>(i) == axis;
        bool const hasStride = some.padded[i] > inner[i];
        if ((!isCut && all.dims[i] != some.dims[i]) || (hasStride && all.strides[i] != some.strides[i]))
            return std::nullopt;
    }
    auto const cut = static_cast<size_t>(axis);
    if (begin % inner[cut] != 0) return std::nullopt;
    auto const bytes = memory::data_type_size(static_cast<memory::data_type>(typeOf(whole)));
    return begin / inner[cut] * all.strides[cut] * static_cast<int64_t>(bytes);
}

memory::dims plainStrides(memory::desc const& desc) {
    Blocking const blocking = blockingOf(desc);
    return blocking.isPlain && blocking.blocks.empty() ? blocking.strides : memory::dims();
}

DnnlArgument DnnlArgument::scratchOf(dnnl::primitive_desc_base const& description) {
    return {DNNL_ARG_SCRATCHPAD, Source::Scratch, 0, description.scratchpad_desc()};
}

void DnnlProgram::addParts(std::vector<DnnlStep> parts) {
    DnnlStage stage{std::move(parts), true, 1, workspace_, 0};
    stage.slots = usefulSlots(std::ssize(stage.steps), 1);
    for (DnnlStep const& step : stage.steps) {
        for (DnnlArgument const& argument : step.arguments) {
            if (argument.source == Source::Scratch)
                stage.scratchBytes =
                    std::max(stage.scratchBytes, static_cast<int64_t>(aligned(argument.desc.get_size())));
        }
    }
    workspace_ += stage.slots * stage.scratchBytes;
    stages_.push_back(std::move(stage));
}

std::unique_ptr<Executable> DnnlProgram::finish() && {
    return std::make_unique<DnnlExecutable>(stages_, static_cast<size_t>(workspace_), std::move(packed_),
                                            std::move(own_));
}

void DnnlWeights::add(Literal const& literal, dnnl::memory::desc const& as, dnnl::memory::desc const& to) {
    WeightHeader const header{save(to).size(), aligned(to.get_size())};
    Literal const weights = floatWeights(literal);
    auto order = orderOf(as, to);
    if (order && weights.identity() == literal.identity())
        elements_.push_back({literal, static_cast<int64_t>(bytes_ + headBytes(header)), *std::move(order)});
    weights_.push_back({weights, as, to, bytes_});
    bytes_ += headBytes(header) + header.elementBytes;
}

/// Zeroes the gaps between the parts: equal weights give equal plans.
void DnnlWeights::write(std::vector<Weight> const& weights, std::byte* to) {
    for (Weight const& weight : weights) {
        auto const blob = save(weight.to);
        WeightHeader const header{blob.size(), aligned(weight.to.get_size())};
        std::byte* const at = to + weight.at;
        std::byte* const elements = at + headBytes(header);
        std::memset(at, 0, headBytes(header));
        std::memcpy(at, &header, sizeof header);
        std::memcpy(at + sizeof header, blob.data(), blob.size());
        std::memset(elements + weight.to.get_size(), 0, header.elementBytes - weight.to.get_size());
        Literal const values = weight.literal.present();
        reorder(weight.as, const_cast<void*>(values.data()), weight.to, elements);
    }
}

Packed DnnlWeights::finish() && {
    auto const fill = [weights = std::move(weights_)](std::byte* to) {
        try {
            write(weights, to);
        } catch (dnnl::error const& error) {
            fail(ErrorCode::Internal, "packing weights: oneDNN reported \"", std::string_view(error.message), '"');
        }
    };
    auto const size = static_cast<int64_t>(bytes_);
    return {dnnlPackKey(), Literal::later(DataType::UInt8, {size}, fill), std::move(elements_)};
}

void DnnlWeights::addIntegers(Literal const& literal, dnnl::memory::desc const& as, dnnl::memory::desc const& to,
                              dnnl::memory::desc const& plain) {
    add(literal, as, to);
    add(literal, as, plain);
}

namespace {

/// One weight of the result of finish().
struct Stored {
    memory::desc desc;
    int64_t at;
    uint64_t bytes;
};

std::optional<Stored> storedAt(Packed const& packed, int index) {
    std::span<std::byte const> const rest = bytesOf(packed);
    size_t at = 0;
    while (at + sizeof(WeightHeader) <= rest.size()) {
        WeightHeader header{};
        std::memcpy(&header, rest.data() + at, sizeof header);
        size_t const room = rest.size() - at;
        if (header.descBytes > room || header.elementBytes > room || headBytes(header) + header.elementBytes > room)
            break;
        if (index-- == 0) {
            auto const* blob = reinterpret_cast<uint8_t const*>(rest.data() + at + sizeof header);
            return Stored{load({blob, header.descBytes}), static_cast<int64_t>(at + headBytes(header)),
                          header.elementBytes};
        }
        at += headBytes(header) + header.elementBytes;
    }
    return std::nullopt;
}

} // namespace

DnnlArgument DnnlWeights::read(Packed const& packed, int index, int argument, memory::desc const& wanted) {
    auto const stored = storedAt(packed, index);
    bool const isThere = stored && (stored->desc == wanted || describesWithin(stored->desc, wanted, stored->bytes)) &&
                         stored->desc.get_size() <= stored->bytes;
    if (!isThere) fail(ErrorCode::InvalidPlan, "packed weights do not match their descriptor, or are truncated");
    return {argument, Source::Packed, stored->at, stored->desc};
}

DnnlArgument DnnlWeights::readIntegers(Packed const& packed, int index, memory::desc const& wanted,
                                       memory::desc const& plain) {
    auto const stored = storedAt(packed, index);
    bool const isWanted = stored && stored->desc == wanted && wanted.get_size() <= stored->bytes;
    return read(packed, isWanted ? index : index + 1, DNNL_ARG_WEIGHTS, isWanted ? wanted : plain);
}

void DnnlWeights::addList(std::vector<float> const& values) {
    auto const count = static_cast<int64_t>(values.size());
    add(Literal::of({count}, values), listOf(count), listOf(count));
}

std::vector<float> DnnlWeights::readList(Packed const& packed, int index, int64_t count) {
    auto const at = read(packed, index, 0, listOf(count)).at;
    std::vector<float> values(static_cast<size_t>(count));
    std::memcpy(values.data(), bytesOf(packed).data() + at, values.size() * sizeof(float));
    return values;
}

} // namespace tenon::cpu
