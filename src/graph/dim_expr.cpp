// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "graph/dim_expr.h"

#include "base/error.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace tenon {

using Op = DimExpr::Op;

struct DimExpr::Expr {
    Op op;
    std::string name;
    DimExpr left;
    DimExpr right;
};

namespace {

int64_t floorDivide(int64_t a, int64_t b) {
    if (b == 0) fail(ErrorCode::InvalidArgument, "a dimension is divided by zero");
    return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

int64_t checked(bool overflowed, int64_t const& value) { // by reference: the other argument writes it
    if (overflowed) fail(ErrorCode::InvalidArgument, "a dimension does not fit in 64 bits");
    return value;
}

int64_t compute(Op op, int64_t a, int64_t b) {
    int64_t r = 0;
    switch (op) {
    case Op::Sum: return checked(__builtin_add_overflow(a, b, &r), r);
    case Op::Difference: return checked(__builtin_sub_overflow(a, b, &r), r);
    case Op::Product: return checked(__builtin_mul_overflow(a, b, &r), r);
    case Op::FloorDiv: return floorDivide(a, b);
    case Op::CeilDiv: return -floorDivide(-a, b);
    case Op::Max: return std::max(a, b);
    case Op::Min: return std::min(a, b);
    case Op::Equal: return a == b ? 1 : 0;
    case Op::Less: return a < b ? 1 : 0;
    case Op::Constant:
    case Op::Symbol: break;
    }
    fail(ErrorCode::Internal, "not an operation on dimensions");
}

/// x + 0, x * 1, x - x, max(x, x), (x + 2) + 3, (x * 2) / 2: what shape chains of real models are made of.
std::optional<DimExpr> simplified(Op op, DimExpr const& a, DimExpr const& b) {
    bool const same = a == b;
    if ((op == Op::Sum || op == Op::Difference) && b == DimExpr(0)) return a;
    if ((op == Op::Product || op == Op::FloorDiv || op == Op::CeilDiv) && b == DimExpr(1)) return a;
    if (op == Op::Product && b == DimExpr(0)) return DimExpr(0);
    if (same && op == Op::Difference) return DimExpr(0);
    if (same && (op == Op::Max || op == Op::Min)) return a;
    if (same && op == Op::Equal) return DimExpr(1);
    if (same && op == Op::Less) return DimExpr(0);
    if (a.isConstant() || a.op() == Op::Symbol) return std::nullopt;
    bool const nested = b.isConstant() && a.right().isConstant();
    if (nested && a.op() == op && (op == Op::Sum || op == Op::Product))
        return DimExpr::apply(op, a.left(), DimExpr::apply(op, a.right(), b));
    if (nested && a.op() == Op::Sum && op == Op::Difference) return a.left() + (a.right() - b);
    if (a.op() == Op::Product && (op == Op::FloorDiv || op == Op::CeilDiv)) {
        if (a.right() == b) return a.left();
        if (a.left() == b) return a.right();
    }
    return std::nullopt;
}

constexpr std::array<std::string_view, 11> kSigns{"", "", "+", "-", "*", "/", "/^", " max ", " min ", "==", "<"};

} // namespace

DimExpr DimExpr::symbol(std::string name) {
    DimExpr dim;
    dim.expr_ = std::make_shared<Expr const>(Expr{Op::Symbol, std::move(name), {}, {}});
    return dim;
}

DimExpr DimExpr::apply(Op op, DimExpr const& a, DimExpr const& b) {
    if (a.isConstant() && b.isConstant()) return compute(op, a.constant_, b.constant_);
    bool const commutes = op == Op::Sum || op == Op::Product || op == Op::Max || op == Op::Min || op == Op::Equal;
    if (commutes && a.isConstant()) return apply(op, b, a); // constants stand right
    if (auto simple = simplified(op, a, b)) return *simple;
    DimExpr dim;
    dim.expr_ = std::make_shared<Expr const>(Expr{op, {}, a, b});
    return dim;
}

int64_t DimExpr::constant() const {
    if (!isConstant()) fail(ErrorCode::InvalidState, "dimension ", *this, " is not known before run time");
    return constant_;
}

Op DimExpr::op() const { return expr_ ? expr_->op : Op::Constant; }
std::string const& DimExpr::name() const { return expr_->name; }
DimExpr const& DimExpr::left() const { return expr_->left; }
DimExpr const& DimExpr::right() const { return expr_->right; }

DimExpr DimExpr::substitute(Lookup const& valueOf) const {
    if (isConstant()) return *this;
    if (op() == Op::Symbol) return valueOf(name()).value_or(*this);
    return apply(op(), left().substitute(valueOf), right().substitute(valueOf));
}

bool operator==(DimExpr const& a, DimExpr const& b) {
    if (a.expr_ == b.expr_) return a.constant_ == b.constant_;
    if (!a.expr_ || !b.expr_ || a.op() != b.op()) return false;
    if (a.op() == Op::Symbol) return a.name() == b.name();
    return a.left() == b.left() && a.right() == b.right();
}

void append(std::string& to, DimExpr const& dim) {
    if (dim.isConstant()) return append(to, dim.constant());
    if (dim.op() == Op::Symbol) return append(to, dim.name());
    to += text('(', dim.left(), kSigns[static_cast<size_t>(dim.op())], dim.right(), ')');
}

void append(std::string& to, Shape const& shape) { to += text('[', joined(shape, ","), ']'); }

Shape toShape(Dims const& dims) { return {dims.begin(), dims.end()}; }

bool isConstant(Shape const& shape) {
    return std::ranges::all_of(shape, [](DimExpr const& dim) { return dim.isConstant(); });
}

Dims toDims(Shape const& shape) {
    Dims dims;
    for (DimExpr const& dim : shape) dims.push(dim.constant());
    return dims;
}

DimExpr volume(Shape const& shape) {
    DimExpr all = 1;
    for (DimExpr const& dim : shape) all = all * dim;
    return all;
}

namespace {

struct Factors {
    int64_t constant = 1;
    Shape others;

    explicit Factors(Shape const& shape) {
        for (DimExpr const& dim : shape) add(dim);
    }
    void add(DimExpr const& dim) {
        if (dim.isConstant()) {
            constant = compute(Op::Product, constant, dim.constant());
        } else if (dim.op() == Op::Product) {
            add(dim.left());
            add(dim.right());
        } else {
            others.push_back(dim);
        }
    }
    DimExpr product() const { return volume(others) * constant; }
};

} // namespace

DimExpr divideExactly(Shape const& a, Shape const& b) {
    Factors above(a);
    Factors below(b);
    if (above.constant == 0) return 0;
    std::erase_if(below.others, [&](DimExpr const& factor) {
        auto const twin = std::ranges::find(above.others, factor);
        if (twin == above.others.end()) return false;
        above.others.erase(twin);
        return true;
    });
    int64_t const common = std::gcd(above.constant, below.constant);
    above.constant /= common;
    below.constant /= common;
    return floorDiv(above.product(), below.product());
}

Shape broadcast(Shape const& a, Shape const& b) {
    if (a.size() < b.size()) return broadcast(b, a);
    Shape result = a;
    for (size_t i = 0; i < b.size(); ++i) {
        DimExpr& to = result[a.size() - b.size() + i];
        if (to == b[i] || b[i] == DimExpr(1)) continue;
        if (to == DimExpr(1)) {
            to = b[i];
        } else if (to.isConstant() && b[i].isConstant()) {
            fail(ErrorCode::InvalidArgument, "shapes ", a, " and ", b, " do not broadcast: ", to, " against ", b[i]);
        } else if (b[i].isConstant()) {
            to = b[i]; // the unknown one must be this or 1
        }              // else both unknown, or `to` a constant above 1: run time checks again with constants
    }
    return result;
}

} // namespace tenon
