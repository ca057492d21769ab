// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "shape_pattern.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace tenon::plugins {

using nvinfer1::Dims;
using nvinfer1::DimsExprs;
using nvinfer1::IDimensionExpr;

namespace {

constexpr std::string_view kRest = "...";

// Takes what stands before the separator off the text.
std::string_view takeWord(std::string_view& text, char separator) {
    size_t const end = std::min(text.find(separator), text.size());
    std::string_view const word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return word;
}

std::string_view withoutBrackets(std::string_view pattern) { return pattern.substr(1, pattern.size() - 2); }

bool isLetter(std::string_view word) { return word.size() == 1 && word[0] >= 'A' && word[0] <= 'Z'; }

bool isNumber(std::string_view word, int64_t& number) {
    return std::from_chars(word.data(), word.data() + word.size(), number).ptr == word.data() + word.size();
}

std::string printed(Dims const& dims) {
    std::string text = "[";
    for (int32_t axis = 0; axis < dims.nbDims; ++axis) text += (axis ? "," : "") + std::to_string(dims.d[axis]);
    return text + ']';
}

class IntegerField final : public FieldVisitor {
public:
    explicit IntegerField(std::string_view name) : name_(name) {}
    void operator()(char const* name, int32_t& found) override {
        if (name == name_) value = found;
    }
    void operator()(char const*, float&) override {}
    void operator()(char const*, std::vector<int32_t>&) override {}
    void operator()(char const*, std::vector<float>&) override {}

    int32_t value = -1;

private:
    std::string_view name_;
};

} // namespace

std::string readable(std::string_view pattern) {
    std::string text;
    while (!pattern.empty()) text += (text.empty() ? "" : " or ") + std::string(takeWord(pattern, '|'));
    return text;
}

bool ShapeBindings::bind(Binding& binding, Binding const& found) {
    if (binding.axis < 0 || binding.extent < 0) {
        binding = found;
        return true;
    }
    return found.extent < 0 || found.extent == binding.extent;
}

bool ShapeBindings::matchExtent(size_t input, std::string_view word, Dims const& found, int32_t axis) {
    int64_t const extent = found.d[axis];
    if (isLetter(word)) return bind(letters_[size_t(word[0] - 'A')], {extent, input, axis});
    int64_t number = 0;
    return isNumber(word, number) && (extent < 0 || extent == number);
}

bool ShapeBindings::matchRest(size_t input, Dims const& found, int32_t axis) {
    int32_t const count = found.nbDims - axis;
    if (restCount_ >= 0 && restCount_ != count) return false;
    restCount_ = count;
    for (int32_t i = 0; i < count; ++i) {
        if (!bind(rest_[size_t(i)], {found.d[axis + i], input, axis + i})) return false;
    }
    return true;
}

bool ShapeBindings::matchOne(size_t input, std::string_view pattern, Dims const& found) {
    std::string_view words = withoutBrackets(pattern);
    for (int32_t axis = 0;; ++axis) {
        if (words == kRest) return axis <= found.nbDims && matchRest(input, found, axis);
        if (words.empty() || axis == found.nbDims) return words.empty() && axis == found.nbDims;
        if (!matchExtent(input, takeWord(words, ','), found, axis)) return false;
    }
}

void ShapeBindings::match(size_t input, Slot const& slot, Dims const& found) {
    for (std::string_view patterns = slot.shape; !patterns.empty();) {
        ShapeBindings attempt = *this;
        if (attempt.matchOne(input, takeWord(patterns, '|'), found)) {
            *this = attempt;
            return;
        }
    }
    throw std::invalid_argument("input '" + std::string(slot.name) + "' is " + printed(found) + "; expected " +
                                readable(slot.shape) + known(slot.shape));
}

// What the letters of a pattern are known to stand for.
std::string ShapeBindings::known(std::string_view pattern) const {
    std::string text;
    for (char letter = 'A'; letter <= 'Z'; ++letter) {
        Binding const& binding = letters_[size_t(letter - 'A')];
        if (binding.extent < 0 || pattern.find(letter) == std::string_view::npos) continue;
        text += (text.empty() ? " with " : ", ") + std::string(1, letter) + " = " + std::to_string(binding.extent);
    }
    return text;
}

IDimensionExpr const* ShapeBindings::factor(std::string_view word, Shapes inputs, Plugin& plugin,
                                            nvinfer1::IExprBuilder& builder) const {
    int64_t number = 0;
    if (isNumber(word, number)) return builder.constant(number);
    if (!isLetter(word)) {
        IntegerField field(word);
        plugin.fields(field);
        return builder.constant(field.value);
    }
    Binding const& binding = letters_[size_t(word[0] - 'A')];
    return inputs[binding.input].d[binding.axis];
}

DimsExprs ShapeBindings::evaluate(std::string_view pattern, Shapes inputs, Plugin& plugin,
                                  nvinfer1::IExprBuilder& builder) const {
    DimsExprs shape{};
    for (std::string_view words = withoutBrackets(pattern); !words.empty();) {
        if (words == kRest) {
            for (int32_t i = 0; i < restCount_; ++i)
                shape.d[shape.nbDims++] = inputs[rest_[size_t(i)].input].d[rest_[size_t(i)].axis];
            break;
        }
        std::string_view factors = takeWord(words, ',');
        IDimensionExpr const* extent = factor(takeWord(factors, '*'), inputs, plugin, builder);
        while (!factors.empty())
            extent = builder.operation(nvinfer1::DimensionOperation::kPROD, *extent,
                                       *factor(takeWord(factors, '*'), inputs, plugin, builder));
        shape.d[shape.nbDims++] = extent;
    }
    return shape;
}

} // namespace tenon::plugins
