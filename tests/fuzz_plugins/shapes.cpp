// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "fuzz_plugins/shapes.h"

#include <cctype>
#include <limits>
#include <optional>

namespace tenon::test {

using namespace nvinfer1;

namespace {

std::optional<int64_t> computed(DimensionOperation operation, int64_t a, int64_t b) {
    int64_t result = 0;
    bool overflows = false;
    switch (operation) {
    case DimensionOperation::kSUM: overflows = __builtin_add_overflow(a, b, &result); break;
    case DimensionOperation::kPROD: overflows = __builtin_mul_overflow(a, b, &result); break;
    case DimensionOperation::kSUB: overflows = __builtin_sub_overflow(a, b, &result); break;
    case DimensionOperation::kMAX: return std::max(a, b);
    case DimensionOperation::kMIN: return std::min(a, b);
    case DimensionOperation::kEQUAL: return a == b;
    case DimensionOperation::kLESS: return a < b;
    case DimensionOperation::kFLOOR_DIV:
        if (b <= 0) return std::nullopt;
        return a / b;
    case DimensionOperation::kCEIL_DIV:
        if (b <= 0) return std::nullopt;
        return a / b + (a % b > 0 ? 1 : 0);
    }
    return overflows ? std::nullopt : std::optional(result);
}

std::vector<std::string> parts(std::string const& text, char separator) {
    std::vector<std::string> all{""};
    for (char const each : text) {
        if (each == separator)
            all.emplace_back();
        else
            all.back() += each;
    }
    return all;
}

std::vector<int64_t> numbersIn(std::string const& text, std::string const& behind) {
    std::vector<int64_t> numbers;
    for (size_t at = text.find(behind); at != std::string::npos; at = text.find(behind, at + 1)) {
        char const* const first = text.c_str() + at + behind.size();
        if (std::isdigit(static_cast<unsigned char>(*first)) != 0) numbers.push_back(std::strtoll(first, nullptr, 10));
    }
    return numbers;
}

} // namespace

IDimensionExpr const* Expressions::add(int64_t value, bool isOpen, bool isSize) {
    return &all_.emplace_back(value, isOpen, isSize);
}

IDimensionExpr const* Expressions::constant_(int64_t value) noexcept { return add(value, false); }

IDimensionExpr const* Expressions::operation(DimensionOperation operation, IDimensionExpr const& first,
                                             IDimensionExpr const& second) noexcept {
    auto const result = computed(operation, valueOf(first), valueOf(second));
    return result ? add(*result, !(first.isConstant() && second.isConstant())) : nullptr;
}

IDimensionExpr const* Expressions::declareSizeTensor(int32_t, IDimensionExpr const&,
                                                     IDimensionExpr const& upper) noexcept {
    return add(valueOf(upper), true, true);
}

int64_t Expressions::valueOf(IDimensionExpr const& expression) {
    return static_cast<Expression const&>(expression).number;
}

Shapes::Shapes(PluginBase::Signature signature, std::vector<int64_t> hints, Random& random)
    : signature_(std::move(signature)), hints_(std::move(hints)), random_(random), choices_(signature_.inputs().size()),
      inputs_(signature_.inputs().size() - random() % (signature_.optionalInputs() + 1)) {
    for (char letter = 'A'; letter <= 'Z'; ++letter) letters_[letter] = small();
    letters_['?'] = small();
    rest_.resize(random() % 4);
    for (int64_t& extent : rest_) extent = small();
    for (size_t i = 0; i < choices_.size(); ++i) choices_[i] = random();
}

int64_t Shapes::small() const {
    static int64_t const kExtents[] = {1, 1, 1, 2, 2, 3, 3, 4, 5, 6, 8, 16, 31, 0};
    if (!hints_.empty() && oneIn(4, random_)) return hints_[random_() % hints_.size()];
    return oneIn(100, random_) ? 700 : oneOf(kExtents, random_);
}

void Shapes::change() {
    for (auto& [letter, extent] : letters_)
        if (oneIn(4, random_)) extent = small();
    for (int64_t& extent : rest_)
        if (oneIn(4, random_)) extent = small();
}

Extents Shapes::shapeOf(std::string const& pattern) const {
    Extents shape;
    for (std::string const& word : parts(pattern.substr(1, pattern.size() - 2), ',')) {
        if (word.empty()) continue;
        if (word == "..." || word == "?...")
            shape.insert(shape.end(), rest_.begin(), rest_.end());
        else
            shape.push_back(std::isdigit(static_cast<unsigned char>(word[0])) != 0 ? std::stoll(word)
                                                                                   : letters_.at(word[0]));
    }
    return shape;
}

std::vector<Extents> Shapes::current() const {
    std::vector<Extents> all;
    for (size_t i = 0; i < inputs_; ++i) {
        auto const patterns = parts(signature_.inputs()[i].shape, '|');
        all.push_back(shapeOf(patterns[choices_[i] % patterns.size()]));
    }
    return all;
}

std::string Shapes::lettersIn(std::string const& said) const {
    std::string letters;
    for (auto const& slot : signature_.inputs()) {
        size_t const at = said.find(slot.name);
        bool const isNamed = at != std::string::npos && (at == 0 || said[at - 1] == ' ' || said[at - 1] == '\'');
        for (char const each : slot.shape)
            if (isNamed && each >= 'A' && each <= 'Z') letters += each;
    }
    return letters.empty() || oneIn(4, random_) ? "ABCDEFGHIJKLMNOPQRSTUVWXYZ" : letters;
}

bool Shapes::find(std::function<std::string(std::vector<Extents> const&)> const& refusal) {
    std::string said = refusal(current());
    for (int tries = 0; tries < 60 && !said.empty(); ++tries) {
        auto const before = letters_;
        auto const choicesBefore = choices_;
        std::vector<int64_t> const wanted = numbersIn(said, "expected ");
        std::string const letters = lettersIn(said);
        letters_[letters[random_() % letters.size()]] =
            wanted.empty() || oneIn(4, random_) ? small() : wanted[random_() % wanted.size()];
        if (!choices_.empty() && oneIn(6, random_)) choices_[random_() % choices_.size()] = random_();
        std::string const now = refusal(current());
        if (!now.empty() && now.substr(0, 40) == said.substr(0, 40) && oneIn(2, random_)) {
            letters_ = before;
            choices_ = choicesBefore;
        } else {
            said = now;
        }
    }
    return said.empty();
}

std::vector<Extents> Shapes::wrong() const {
    constexpr int64_t kMost = std::numeric_limits<int64_t>::max(), kLeast = std::numeric_limits<int64_t>::min();
    static int64_t const kExtents[] = {
        -1, 0, kLeast, kMost, -7, 1LL << 31, 1LL << 40, (1LL << 31) - 1, 1LL << 62, 1LL << 32, 1LL << 20, 3};
    std::vector<Extents> all = current();
    if (all.empty() || oneIn(8, random_)) {
        if (oneIn(2, random_) && !all.empty()) return all.pop_back(), all;
        return all.push_back({1}), all;
    }
    for (uint64_t i = 0; i < 1 + random_() % 3; ++i) {
        Extents& shape = all[random_() % all.size()];
        if (shape.empty() || oneIn(6, random_)) shape.resize(random_() % 9, oneOf(kExtents, random_));
        if (!shape.empty()) shape[random_() % shape.size()] = oneOf(kExtents, random_);
    }
    return all;
}

} // namespace tenon::test
