// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/loop/loop.h"

#include "base/error.h"

#include <algorithm>
#include <cstring>

namespace tenon {

namespace layers {
LayerEntry loopLayer() { return entryOf<Loop>(); }
} // namespace layers

namespace {

/// Shapes that differ between iterations are followed through that many iterations.
constexpr int64_t kMostFollowed = 10'000;

void expectPorts(Loop const& loop, Operands const& in) {
    auto const inputs = static_cast<int>(loop.body.inputs().size());
    auto const outputs = static_cast<int64_t>(loop.body.outputs().size());
    if (loop.carried < 0 || loop.carried > inputs - Loop::kCarried || loop.carried > outputs - 1)
        fail(ErrorCode::InvalidModel, "its body has ", inputs, " inputs and ", outputs, " outputs; it cannot carry ",
             loop.carried, " values");
    in.expectCount(0, inputs);
    if (in.count() != inputs) fail(ErrorCode::InvalidModel, "has ", in.count(), " inputs; its body has ", inputs);
    for (int i = Loop::kCarried; i < inputs; ++i) {
        if (!in.has(i)) fail(ErrorCode::InvalidArgument, in.nameOf(i), " is missing");
    }
    if (in.has(Loop::kTrips)) in.expectInteger(Loop::kTrips).expectOneElement(Loop::kTrips);
    if (in.has(Loop::kCondition)) {
        in.expectOneElement(Loop::kCondition);
        if (in[Loop::kCondition].type != DataType::Bool)
            fail(ErrorCode::InvalidArgument, in.nameOf(Loop::kCondition), " is ", in[Loop::kCondition].type,
                 "; expected bool (add a cast)");
    }
    if (loop.counted && !in.has(Loop::kTrips))
        fail(ErrorCode::InvalidModel, "never ends: it has no trip count, and its condition is always true");
}

/// The shapes in a loop, from those of its operands.
class LoopShapes {
public:
    LoopShapes(Loop const& loop, Operands const& in) : loop_(loop), in_(in), body_(loop.body) {
        expectPorts(loop, in);
        for (int64_t i = 0; i < loop.carried; ++i) start_.push_back(in[operandOf(i)].shape);
        settle();
        least_ = most_ = carried_;
        if (isOpen_) follow();
    }

    std::vector<Shape> const& carried() const { return carried_; }
    /// The body's inputs, in the first iteration and in later ones.
    BodyInputs bodyInputs() const {
        auto const trips = tripsKnown();
        bool const isKnown = trips && trips->isConstant();
        DimExpr const last = isKnown ? std::max<int64_t>(trips->constant() - 1, 0) : in_.unknown("trip");
        BodyInputs inputs{operandsAt(least_, isKnown ? 0 : last), operandsAt(most_, last), {}};
        for (size_t i = 0; i < inputs.least.size(); ++i) {
            bool const isMade = i < Loop::kCarried + carried_.size();
            inputs.from.push_back(isMade ? -1 : static_cast<int>(i));
        }
        return inputs;
    }
    std::vector<Shape> const& gathered() const { return gathered_; }
    DataType typeOfGathered(size_t i) const { return body_.outputs()[1 + carried_.size() + i]->type; }
    DimExpr trips() const {
        auto const known = tripsKnown();
        return max(known.value_or(in_.unknown("trips")), 0);
    }

private:
    static int operandOf(int64_t carried) { return Loop::kCarried + static_cast<int>(carried); }

    std::optional<DimExpr> tripsKnown() const {
        return in_.has(Loop::kTrips) ? knownNumber(in_[Loop::kTrips]) : std::nullopt;
    }

    /// The body's inputs in an iteration.
    std::vector<Operand> operandsAt(std::vector<Shape> const& carried, DimExpr const& trip) const {
        static Literal const goesOn = Literal::scalar(true);
        std::vector<Operand> operands{{.type = DataType::Int64, .shape = {}, .values = Shape{trip}},
                                      {.type = DataType::Bool, .shape = {}, .values = {}, .literal = &goesOn}};
        for (int i = Loop::kCarried; i < in_.count(); ++i) operands.push_back(in_[i]);
        for (size_t i = 0; i < carried.size(); ++i) { // other iterations may find other elements
            Operand const& first = in_[operandOf(static_cast<int64_t>(i))];
            operands[Loop::kCarried + i] = {.type = first.type, .shape = carried[i], .values = {}};
        }
        return operands;
    }

    /// One iteration: the resulting carried shapes.
    std::vector<Shape> after(std::vector<Shape> const& carried, DimExpr const& trip) {
        auto const operands = operandsAt(carried, trip);
        locate([] { return text("its body"); }, [&] { inferBody(body_, operands); });
        Tensor const& goesOn = *body_.outputs()[0];
        if (goesOn.type != DataType::Bool)
            fail(ErrorCode::InvalidModel, "the condition of its body is ", goesOn.type, "; expected bool");
        std::vector<Shape> left;
        for (size_t i = 0; i < carried.size(); ++i) left.push_back(shapeLeft(i, carried[i]));
        return left;
    }

    Shape shapeLeft(size_t i, Shape const& before) const {
        Tensor const& left = *body_.outputs()[1 + i];
        DataType const type = in_[operandOf(static_cast<int64_t>(i))].type;
        if (left.type != type)
            fail(ErrorCode::InvalidModel, "value ", i, " that is carried is ", type, " and becomes ", left.type,
                 "; expected the same type in each iteration (add a cast)");
        if (left.shape.size() != before.size())
            fail(ErrorCode::Unsupported, "value ", i, " that is carried has shape ", before,
                 " before an iteration and ", left.shape, " after it; expected the same rank (add a reshape)");
        return left.shape;
    }

    std::vector<Shape> shapesGathered() const {
        std::vector<Shape> shapes;
        for (size_t i = 0; i < loop_.gathered(); ++i)
            shapes.push_back(body_.outputs()[1 + static_cast<size_t>(loop_.carried) + i]->shape);
        return shapes;
    }

    /// Finds the shapes that every iteration leaves unchanged: extents that change become unknown.
    void settle() {
        carried_ = start_;
        for (bool changes = true; changes;) {
            changes = false;
            auto const left = after(carried_, in_.unknown("trip"));
            for (size_t i = 0; i < left.size(); ++i) {
                for (size_t axis = 0; axis < left[i].size(); ++axis) {
                    DimExpr const open = in_.unknown(text("carried", i, '.', axis));
                    if (left[i][axis] == carried_[i][axis] || carried_[i][axis] == open) continue;
                    carried_[i][axis] = open;
                    changes = isOpen_ = true;
                }
            }
        }
        gathered_ = shapesGathered();
        for (Shape const& shape : gathered_)
            isOpen_ = isOpen_ || std::ranges::any_of(shape, [&](DimExpr const& d) { return isDecidedInside(d, in_); });
    }

    /// Shapes that differ between iterations are known if the iterations are, and all are followed.
    void follow() {
        bool const mayDiffer = loop_.counted && loop_.readsValuesOf(Loop::kTrips);
        auto const trips = tripsKnown();
        bool const isKnown = mayDiffer ? trips && trips->isConstant() : areKnown();
        if (!isKnown) return nameOpen(); // it is checked again when shapes are set
        if (!loop_.counted) failOpen("a loop with a condition");
        if (!mayDiffer) failOpen("a loop that is not marked as growing");
        if (trips->constant() > kMostFollowed)
            fail(ErrorCode::Unsupported, "its shapes differ between iterations, and it has ", trips->constant(),
                 " iterations; expected at most ", kMostFollowed);
        carried_ = least_ = most_ = start_;
        for (Shape& shape : gathered_)
            std::ranges::replace_if(
                shape, [&](auto& d) { return isDecidedInside(d, in_); }, 0);
        for (int64_t trip = 0; trip < trips->constant(); ++trip) {
            if (trip > 0) widen();
            carried_ = after(carried_, trip);
            auto const found = shapesGathered();
            for (size_t i = 0; i < found.size(); ++i) {
                if (trip > 0 && !(found[i] == gathered_[i]))
                    fail(ErrorCode::InvalidModel, "gathered output ", loop_.carried + static_cast<int64_t>(i),
                         " has shape ", gathered_[i], " before iteration ", trip, " and ", found[i],
                         " in it; expected the same shape in each iteration");
            }
            gathered_ = found;
        }
    }

    /// Merges the input shapes of an iteration into those of all.
    void widen() {
        for (size_t i = 0; i < carried_.size(); ++i) {
            for (size_t axis = 0; axis < carried_[i].size(); ++axis) {
                least_[i][axis] = min(least_[i][axis], carried_[i][axis]);
                most_[i][axis] = max(most_[i][axis], carried_[i][axis]);
            }
        }
    }

    bool areKnown() const {
        for (int i = 0; i < in_.count(); ++i) {
            if (!isConstant(in_[i].shape)) return false;
        }
        return true;
    }

    [[noreturn]] void failOpen(std::string_view what) const {
        for (size_t i = 0; i < carried_.size(); ++i) {
            if (!(carried_[i] == start_[i]))
                fail(ErrorCode::Unsupported, "value ", i, " that is carried has shape ", start_[i],
                     " before the first iteration and another one after it; ", what,
                     " requires constant shapes; use a trip count and a condition that is always true, or a tensor of "
                     "the largest shape that is filled incrementally");
        }
        fail(ErrorCode::Unsupported, "its gathered tensors have another shape in each iteration; ", what,
             " requires constant shapes");
    }

    /// Extents that follow when the number of iterations is known.
    void nameOpen() {
        auto const name = [&](std::vector<Shape>& shapes, std::string_view what) {
            for (size_t i = 0; i < shapes.size(); ++i) {
                for (size_t axis = 0; axis < shapes[i].size(); ++axis) {
                    if (isDecidedInside(shapes[i][axis], in_)) shapes[i][axis] = in_.unknown(text(what, i, '.', axis));
                }
            }
        };
        name(carried_, "carried");
        name(gathered_, "gathered");
    }

    Loop const& loop_;
    Operands const& in_;
    Graph body_;
    std::vector<Shape> start_;
    std::vector<Shape> carried_;
    std::vector<Shape> least_; // the carried shapes, in any iteration
    std::vector<Shape> most_;
    std::vector<Shape> gathered_;
    bool isOpen_ = false;
};

/// The iterations of a loop, run one after another.
class Trips {
public:
    Trips(Loop const& loop, std::span<HostTensor const> in, std::span<HostTensor const> out) : loop_(loop), out_(out) {
        inputs_ = {Literal::scalar(int64_t{0}), Literal::scalar(true)};
        for (HostTensor const& one : in.subspan(Loop::kCarried)) inputs_.push_back(lent(one));
        bool const begins = !in[Loop::kCondition].data || in[Loop::kCondition].as<bool>()[0];
        std::optional<int64_t> most;
        if (in[Loop::kTrips].data) most = lent(in[Loop::kTrips]).toInt64()[0];
        limit_.emplace(loop, most, begins);
    }

    void run() {
        while (limit_->goesOn())
            locate([&] { return text("iteration ", limit_->made()); },
                   [&] { limit_->countOne(runOne(limit_->made())); });
        for (size_t i = 0; i < static_cast<size_t>(loop_.carried); ++i) {
            expectBytes(inputs_[Loop::kCarried + i], out_[i].bytes(), text("value ", i, " that is carried"),
                        out_[i].dims);
            copy(inputs_[Loop::kCarried + i], out_[i].data);
        }
        if (loop_.countsTrips()) out_.back().as<int64_t>()[0] = limit_->made();
    }

private:
    static void copy(Literal const& from, void* to) {
        if (from.bytes() != 0) std::memcpy(to, from.data(), from.bytes());
    }

    static void expectBytes(Literal const& found, size_t bytes, std::string const& what, Dims const& dims) {
        if (found.bytes() != bytes)
            fail(ErrorCode::InvalidArgument, what, " has shape ", found.dims(), "; expected ", dims);
    }

    bool runOne(int64_t trip) {
        inputs_[0] = Literal::scalar(trip);
        auto left = runByReference(loop_.body, inputs_);
        bool const goesOn = left[0].as<bool>()[0];
        for (size_t i = 0; i < static_cast<size_t>(loop_.carried); ++i)
            inputs_[Loop::kCarried + i] = std::move(left[1 + i]);
        for (size_t i = 0; i < loop_.gathered(); ++i)
            gather(left[1 + static_cast<size_t>(loop_.carried) + i], static_cast<size_t>(loop_.carried) + i, trip);
        return goesOn;
    }

    void gather(Literal const& part, size_t output, int64_t trip) const {
        HostTensor const& all = out_[output];
        if (trip >= all.dims[0])
            fail(ErrorCode::Internal, "has more iterations than output ", output, ' ', all.dims, " can hold");
        size_t const bytes = all.bytes() / static_cast<size_t>(all.dims[0]);
        expectBytes(part, bytes, text("gathered output ", output), Dims(all.dims.span().subspan(1)));
        copy(part, static_cast<std::byte*>(all.data) + static_cast<size_t>(trip) * bytes);
    }

    Loop const& loop_;
    std::span<HostTensor const> out_;
    std::vector<Literal> inputs_;
    std::optional<TripLimit> limit_;
};

} // namespace

TripLimit::TripLimit(Loop const& loop, std::optional<int64_t> most, bool begins)
    : isCounted_(loop.counted), most_(most.value_or(INT64_MAX)), goesOn_(loop.counted || begins) {
    if (isCounted_ && most_ > Loop::kMostTrips)
        fail(ErrorCode::InvalidArgument, "has ", most_, " iterations; expected at most ", Loop::kMostTrips);
}

bool TripLimit::goesOn() const {
    if (!goesOn_ || made_ >= most_) return false;
    if (made_ == Loop::kMostTrips)
        fail(ErrorCode::InvalidArgument, "has run ", made_,
             " iterations, the maximum, and its condition is still true; check that it ends");
    return true;
}

void TripLimit::countOne(bool goesOn) {
    ++made_;
    goesOn_ = isCounted_ || goesOn;
}

std::string Loop::inputName(int input) const {
    if (input == kTrips) return "the trip count, input 0,";
    return input == kCondition ? "the condition, input 1," : Layer::inputName(input);
}

std::vector<Result> Loop::infer(Operands const& in) const {
    LoopShapes const shapes(*this, in);
    std::vector<Result> results;
    for (size_t i = 0; i < shapes.carried().size(); ++i)
        results.push_back({in[kCarried + static_cast<int>(i)].type, shapes.carried()[i]});
    if (gathered() > 0 && !counted && !in.has(kTrips))
        fail(ErrorCode::Unsupported,
             "gathers a tensor in each iteration, and the number of iterations has no limit; set a trip count");
    DimExpr const trips = counted ? shapes.trips() : in.unknown("made");
    for (size_t i = 0; i < shapes.gathered().size(); ++i) {
        Shape shape = shapes.gathered()[i];
        shape.insert(shape.begin(), trips);
        results.push_back({shapes.typeOfGathered(i), std::move(shape)});
    }
    if (countsTrips()) results.push_back({DataType::Int64, {}});
    return results;
}

std::vector<BodyInputs> Loop::bodyInputs(Operands const& in) const { return {LoopShapes(*this, in).bodyInputs()}; }

void Loop::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    Trips(*this, in, out).run();
}

std::vector<SizeTensor> Loop::sizes(Operands const& in) const {
    if (!countsTrips()) return {};
    LoopShapes const shapes(*this, in);
    auto const output = static_cast<int64_t>(carried) + static_cast<int64_t>(gathered());
    return {{in.unknown("made").name(), output, shapes.trips(), shapes.trips()}};
}

} // namespace tenon
