// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "graph/dim_expr.h"

#include "base/error.h"
#include "graph/dim_fold.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>

namespace tenon {

using Op = DimExpr::Op;

struct DimExpr::Expr {
    Op op;
    std::string name;
    DimExpr left;
    DimExpr right;
    uint64_t hash;
    int64_t least;
    int operations; // as a tree, up to kManyOperations
    int depth;
    std::shared_ptr<Expr const> next; // the list of those to free, see release()

    Expr(Op which, std::string symbol, DimExpr const& a, DimExpr const& b);
    Expr(Expr const&) = delete;
    Expr& operator=(Expr const&) = delete;
    ~Expr();
    void release(std::shared_ptr<Expr const>& list);
};

namespace {

constexpr int kManyOperations = 64; // real models have a dozen
constexpr int kMostPrinted = 4;     // nested operations of a larger one
constexpr int kMostDeep = 100'000;

int64_t fitting(std::optional<int64_t> value) {
    if (!value) fail(ErrorCode::InvalidArgument, "a dimension does not fit in 64 bits");
    return *value;
}

/// Rounded down, or up. nullopt if it does not fit.
std::optional<int64_t> divided(int64_t a, int64_t b, bool up) {
    if (b == 0) fail(ErrorCode::InvalidArgument, "a dimension is divided by zero");
    if (b == -1) return a == INT64_MIN ? std::nullopt : std::optional(-a); // the processor would trap
    int64_t const quotient = a / b;
    if (quotient * b == a) return quotient;
    bool const isPositive = (a < 0) == (b < 0);
    return quotient + (up ? int{isPositive} : int{isPositive} - 1);
}

/// nullopt if it does not fit in 64 bits.
std::optional<int64_t> computed(Op op, int64_t a, int64_t b) {
    int64_t r = 0;
    bool overflows = false;
    switch (op) {
    case Op::Sum: overflows = __builtin_add_overflow(a, b, &r); break;
    case Op::Difference: overflows = __builtin_sub_overflow(a, b, &r); break;
    case Op::Product: overflows = __builtin_mul_overflow(a, b, &r); break;
    case Op::FloorDiv: return divided(a, b, false);
    case Op::CeilDiv: return divided(a, b, true);
    case Op::Max: return std::max(a, b);
    case Op::Min: return std::min(a, b);
    case Op::Equal: return a == b ? 1 : 0;
    case Op::Less: return a < b ? 1 : 0;
    case Op::Constant:
    case Op::Symbol: fail(ErrorCode::Internal, "not an operation on dimensions");
    }
    return overflows ? std::nullopt : std::optional(r);
}

int64_t leastOf(Op op, int64_t a, int64_t b) {
    bool const positive = a >= 0 && b >= 0;
    switch (op) {
    case Op::Sum: return positive ? computed(op, a, b).value_or(INT64_MAX) : INT64_MIN;
    case Op::Product:
    case Op::FloorDiv:
    case Op::CeilDiv: return positive ? 0 : INT64_MIN;
    case Op::Max: return std::max(a, b);
    case Op::Min: return std::min(a, b);
    case Op::Equal:
    case Op::Less:
    case Op::Symbol: return 0;
    case Op::Difference:
    case Op::Constant: break;
    }
    return INT64_MIN;
}

uint64_t mixed(uint64_t hash, uint64_t with) {
    hash = (hash ^ with) * 0x9E3779B97F4A7C15U;
    return hash ^ (hash >> 32);
}

/// a op c, where both of its constants may be one: (x + 2) + 3.
std::optional<DimExpr> merged(Op op, DimExpr const& a, Op inner, int64_t c) {
    auto const both = computed(inner, a.right().constant(), c);
    return both ? std::optional(DimExpr::apply(op, a.left(), *both)) : std::nullopt;
}

/// x + 0, x * 1, x - x, max(x, x), (x + 2) + 3, (x + y) - x, (x * 2) / 2: the forms that shape chains of real models
/// contain.
std::optional<DimExpr> simplified(Op op, DimExpr const& a, DimExpr const& b) {
    bool const same = a == b;
    if ((op == Op::Sum || op == Op::Difference) && b == DimExpr(0)) return a;
    if ((op == Op::Product || op == Op::FloorDiv || op == Op::CeilDiv) && b == DimExpr(1)) return a;
    if (op == Op::Product && b == DimExpr(0)) return DimExpr(0);
    if (same && op == Op::Difference) return DimExpr(0);
    if (same && (op == Op::Max || op == Op::Min)) return a;
    if (same && op == Op::Equal) return DimExpr(1);
    if (same && op == Op::Less) return DimExpr(0);
    if (op == Op::Max || op == Op::Min) {
        auto const holds = [op](DimExpr const& x, DimExpr const& y) {
            return x.op() == op && (x.left() == y || x.right() == y);
        };
        if (holds(a, b)) return a;
        if (holds(b, a)) return b;
    }
    if (a.isConstant() || a.op() == Op::Symbol) return std::nullopt;
    bool const nested = b.isConstant() && a.right().isConstant();
    if (nested && a.op() == op && (op == Op::Sum || op == Op::Product)) return merged(op, a, op, b.constant());
    if (nested && a.op() == Op::Sum && op == Op::Difference) return merged(Op::Sum, a, op, b.constant());
    if (a.op() == Op::Sum && op == Op::Difference) {
        if (a.right() == b) return a.left();
        if (a.left() == b) return a.right();
    }
    if (a.op() == Op::Product && (op == Op::FloorDiv || op == Op::CeilDiv)) {
        if (a.right() == b) return a.left();
        if (a.left() == b) return a.right();
    }
    return std::nullopt;
}

constexpr std::array<std::string_view, 11> kSigns{"", "", "+", "-", "*", "/", "/^", " max ", " min ", "==", "<"};

/// Prints `levels` nested operations and leaves out deeper ones.
void print(std::string& to, DimExpr const& dim, int levels) {
    if (dim.isConstant()) return append(to, dim.constant());
    if (dim.op() == Op::Symbol) return append(to, dim.name());
    if (levels == 0) return append(to, "…");
    to += '(';
    print(to, dim.left(), levels - 1);
    to += kSigns[static_cast<size_t>(dim.op())];
    print(to, dim.right(), levels - 1);
    to += ')';
}

} // namespace

DimExpr::Expr::Expr(Op which, std::string symbol, DimExpr const& a, DimExpr const& b)
    : op(which), name(std::move(symbol)), left(a), right(b),
      hash(mixed(static_cast<uint64_t>(which), std::hash<std::string>()(name))),
      least(leastOf(op, left.least(), right.least())), operations(op == Op::Symbol ? 0 : 1), depth(operations) {
    for (DimExpr const* operand : {&left, &right}) {
        Expr const* const expr = operand->expr_.get();
        hash = mixed(hash, expr ? expr->hash : static_cast<uint64_t>(operand->constant_));
        operations = std::min(operations + (expr ? expr->operations : 0), kManyOperations + 1);
        depth = std::max(depth, expr ? expr->depth + 1 : 0);
    }
    if (depth > kMostDeep)
        fail(ErrorCode::InvalidArgument, "a dimension nests more than ", kMostDeep,
             " operations; expected those of a shape: ", left);
}

/// Puts the operands without another owner on a list: freeing them recursively could overflow the stack.
void DimExpr::Expr::release(std::shared_ptr<Expr const>& list) {
    for (DimExpr* operand : {&left, &right}) {
        auto expr = std::move(operand->expr_);
        if (!expr || expr.use_count() != 1) continue;
        const_cast<Expr&>(*expr).next = std::move(list);
        list = std::move(expr);
    }
}

DimExpr::Expr::~Expr() {
    std::shared_ptr<Expr const> list;
    release(list);
    while (list) {
        auto const first = std::move(list);
        auto& expr = const_cast<Expr&>(*first);
        list = std::move(expr.next);
        expr.release(list);
    }
}

DimExpr DimExpr::symbol(std::string name) {
    DimExpr dim;
    dim.expr_ = std::make_shared<Expr>(Op::Symbol, std::move(name), 0, 0);
    return dim;
}

DimExpr DimExpr::apply(Op op, DimExpr const& a, DimExpr const& b) {
    if (a.isConstant() && b.isConstant()) return fitting(computed(op, a.constant_, b.constant_));
    bool const commutes = op == Op::Sum || op == Op::Product || op == Op::Max || op == Op::Min || op == Op::Equal;
    if (commutes && a.isConstant()) return apply(op, b, a); // constants are right operands
    if (auto simple = simplified(op, a, b)) return *simple;
    DimExpr dim;
    dim.expr_ = std::make_shared<Expr>(op, std::string(), a, b);
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

int64_t DimExpr::least() const { return expr_ ? expr_->least : constant_; }
bool DimExpr::isLarge() const { return expr_ && expr_->operations > kManyOperations; }

DimExpr DimExpr::substitute(Lookup const& valueOf) const {
    return fold<DimExpr>(
        *this, [&](DimExpr const& leaf) { return leaf.isConstant() ? leaf : valueOf(leaf.name()).value_or(leaf); },
        [](DimExpr const& dim, DimExpr const& left, DimExpr const& right) {
            bool const isSame = left.id() == dim.left().id() && right.id() == dim.right().id();
            return isSame ? dim : apply(dim.op(), left, right);
        });
}

/// Compares each pair once (union-find): operations that must be equal are in one class from then on.
bool DimExpr::equalOperations(DimExpr const& a, DimExpr const& b) {
    std::unordered_map<Expr const*, Expr const*> classOf;
    auto const find = [&](Expr const* expr) {
        auto known = classOf.find(expr);
        while (known != classOf.end()) {
            expr = known->second;
            auto const above = classOf.find(expr);
            if (above != classOf.end()) known->second = above->second; // path halving
            known = above;
        }
        return expr;
    };
    std::vector<std::pair<DimExpr const*, DimExpr const*>> open{{&a, &b}};
    while (!open.empty()) {
        auto const [x, y] = open.back();
        open.pop_back();
        if (x->expr_ == nullptr || y->expr_ == nullptr || x->op() == Op::Symbol || x->op() != y->op()) {
            if (!(*x == *y)) return false;
            continue;
        }
        Expr const* const of = find(x->expr_.get());
        Expr const* const with = find(y->expr_.get());
        if (of == with) continue;
        if (x->expr_->hash != y->expr_->hash) return false;
        classOf[of] = with;
        open.insert(open.end(), {{&x->left(), &y->left()}, {&x->right(), &y->right()}});
    }
    return true;
}

bool operator==(DimExpr const& a, DimExpr const& b) {
    if (a.expr_ == b.expr_) return a.constant_ == b.constant_;
    if (!a.expr_ || !b.expr_ || a.expr_->hash != b.expr_->hash || a.op() != b.op()) return false;
    if (a.op() == Op::Symbol) return a.name() == b.name();
    if (a.isLarge()) return DimExpr::equalOperations(a, b);
    return a.left() == b.left() && a.right() == b.right();
}

void append(std::string& to, DimExpr const& dim) { print(to, dim, dim.isLarge() ? kMostPrinted : kManyOperations); }

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
            constant = fitting(computed(Op::Product, constant, dim.constant()));
        } else if (dim.op() == Op::Product && !dim.isLarge()) {
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
        } else if (!to.isConstant()) {
            to = max(to, b[i]); // one of them is 1, or they are equal: checked again at run time with constants
        }
    }
    return result;
}

} // namespace tenon
