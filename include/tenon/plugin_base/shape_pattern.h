// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// The shapes of PluginBase::Signature: parsing, matching with actual shapes, and evaluation for outputs.
#ifndef TENON_PLUGIN_BASE_SHAPE_PATTERN_H
#define TENON_PLUGIN_BASE_SHAPE_PATTERN_H

#ifndef TENON_PLUGIN_BASE_H
#error "tenon/plugin_base.h includes this where it belongs: include that instead."
#endif

#include "tenon/plugin_base/fields.h"

#include <array>
#include <cctype>
#include <cstdlib>

namespace tenon {
inline namespace TENON_PLUGIN_BASE {
namespace TENON_PLUGIN_HOSTING {

using nvinfer1::Dims;
using nvinfer1::DimsExprs;
using nvinfer1::IDimensionExpr;
using nvinfer1::IExprBuilder;
using Slot = PluginBase::Slot;

/// Splits a text at separators; an empty text has no parts.
inline std::vector<std::string> parted(std::string const& text, char separator) {
    std::vector<std::string> parts;
    if (text.empty()) return parts;
    size_t begin = 0;
    for (size_t end; (end = text.find(separator, begin)) != std::string::npos; begin = end + 1)
        parts.push_back(text.substr(begin, end - begin));
    parts.push_back(text.substr(begin));
    return parts;
}

/// A factor of an extent: a number, a letter, or the name of an INT32 field.
struct Factor {
    int64_t number; ///< -1 for none
    int letter;     ///< 0 to 25, -1 for none
    std::string field;
};

/// A part of a pattern: one extent, or all remaining ones.
struct ShapeWord {
    bool isRest;                 ///< `...` or `?...`
    bool isFree;                 ///< `?` or `?...`
    std::vector<Factor> factors; ///< None for these.
};

/// The parsed shape of an input or output.
/// \throws std::invalid_argument for a text that is not a pattern
class ShapePattern {
public:
    using Shape = std::vector<ShapeWord>;

    ShapePattern(Slot const& slot, bool isOutput) : slot_(slot), isOutput_(isOutput) {
        for (std::string const& text : parted(slot.shape, '|')) shapes_.push_back(shapeOf(text));
        if (shapes_.empty() || (isOutput && shapes_.size() > 1)) refuse();
    }

    Slot const& slot() const { return slot_; }
    /// Returns the alternatives of an input; the one shape of an output.
    std::vector<Shape> const& shapes() const { return shapes_; }

private:
    Shape shapeOf(std::string const& text) const {
        if (text.size() < 2 || text.front() != '[' || text.back() != ']') refuse();
        Shape shape;
        for (std::string const& word : parted(text.substr(1, text.size() - 2), ',')) {
            if (!shape.empty() && shape.back().isRest) refuse();
            shape.push_back(wordOf(word));
        }
        return shape;
    }

    ShapeWord wordOf(std::string const& text) const {
        bool const isFree = !text.empty() && text[0] == '?';
        std::string const name = isFree ? text.substr(1) : text;
        ShapeWord word{name == "...", isFree, {}};
        if (word.isRest || (isFree && name.empty())) return word;
        for (std::string const& factor : parted(text, '*')) word.factors.push_back(factorOf(factor));
        if (word.factors.empty() || (!isOutput_ && word.factors.size() > 1)) refuse();
        return word;
    }

    Factor factorOf(std::string const& text) const {
        if (text.size() == 1 && text[0] >= 'A' && text[0] <= 'Z') return Factor{-1, text[0] - 'A', ""};
        char* end = nullptr;
        bool const startsAsNumber = !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) != 0;
        long long const number = startsAsNumber ? std::strtoll(text.c_str(), &end, 10) : -1;
        if (startsAsNumber && *end == '\0') return Factor{number, -1, ""};
        if (!isOutput_ || text.empty() || startsAsNumber) refuse();
        return Factor{-1, -1, text};
    }

    [[noreturn]] void refuse() const {
        throw std::invalid_argument(
            "signature(): the shape of " + std::string(isOutput_ ? "output" : "input") + " '" + slot_.name + "' is '" +
            slot_.shape + "'; expected " +
            (isOutput_ ? "one such as [B,4], [N*max_boxes,?] or [...]" : "one such as [B,4,...] or [B,N]|[B,N,1]"));
    }

    Slot slot_;
    bool isOutput_;
    std::vector<Shape> shapes_;
};

/// Returns a pattern as error texts show it: "[B,N,4] or [B,N,C,4]".
inline std::string readable(std::string const& pattern) {
    std::string text;
    for (std::string const& shape : parted(pattern, '|')) text += (text.empty() ? "" : " or ") + shape;
    return text;
}

/// Returns a shape as error texts show it: "[2,3,-1]".
inline std::string printed(Dims const& dims) {
    std::string text = "[";
    for (int32_t axis = 0; axis < dims.nbDims; ++axis) {
        if (axis > 0) text += ',';
        text += decimal(dims.d[axis]);
    }
    return text + ']';
}

/// The extents that letters stand for, found input by input.
class ShapeBindings {
public:
    /// Creates bindings without extents.
    /// \param outputs the patterns to evaluate later; must outlive this object
    explicit ShapeBindings(std::vector<ShapePattern> const& outputs) : outputs_(&outputs) {}

    /// Matches an input with its pattern and binds the letters.
    /// \param found the shape of the input; -1 for an extent that is not known yet
    /// \throws std::invalid_argument if the shape does not match, or if unknown extents leave several alternatives for
    /// which the outputs differ
    void match(size_t input, ShapePattern const& pattern, Dims const& found) {
        Slot const& slot = pattern.slot();
        ShapeBindings first = *this;
        bool isMatched = false;
        for (ShapePattern::Shape const& shape : pattern.shapes()) {
            ShapeBindings attempt = *this;
            attempt.isCertain_ = true;
            if (!attempt.matchShape(input, shape, found)) continue;
            if (!isMatched)
                first = attempt;
            else
                first.expectSameOutputs(attempt, slot, found);
            isMatched = true;
            if (attempt.isCertain_) break; // it holds in each run, and none behind it
        }
        if (!isMatched)
            throw std::invalid_argument("input '" + slot.name + "' is " + printed(found) + "; expected " +
                                        readable(slot.shape) + known(slot.shape));
        *this = first;
    }

    /// Returns the shape of an output; null for extents that are `?`.
    /// \throws std::invalid_argument for a letter or field that does not exist
    DimsExprs evaluate(ShapePattern const& pattern, PluginBase::Shapes inputs, PluginBase& plugin,
                       IExprBuilder& builder) const {
        DimsExprs shape = DimsExprs();
        for (ShapeWord const& word : pattern.shapes()[0]) {
            size_t const extents = word.isRest ? restCount() : 1;
            if (size_t(shape.nbDims) + extents > size_t(Dims::MAX_DIMS))
                throw std::invalid_argument("output '" + pattern.slot().name + "' " + pattern.slot().shape +
                                            " has more than " + decimal(int(Dims::MAX_DIMS)) + " dimensions");
            for (size_t i = 0; i < extents; ++i)
                shape.d[shape.nbDims++] = word.isRest && !word.isFree ? inputs[rest_[i].input].d[rest_[i].axis]
                                                                      : product(word.factors, inputs, plugin, builder);
        }
        return shape;
    }

    /// The position at which an extent was found.
    struct Binding {
        int64_t extent = -1;
        size_t input = 0;
        int32_t axis = -1; // none yet

        Binding() = default;
        Binding(int64_t ofExtent, size_t ofInput, int32_t ofAxis) : extent(ofExtent), input(ofInput), axis(ofAxis) {}
        bool isAt(Binding const& other) const { return input == other.input && axis == other.axis; }
    };

    /// Returns, for each axis of a tensor, the input and axis with the same extent, or the number; neither where the
    /// pattern leaves it open.
    std::vector<Binding> expected(ShapePattern::Shape const& shape, int32_t rank) const {
        std::vector<Binding> axes;
        for (ShapeWord const& word : shape) {
            bool const isLetter = word.factors.size() == 1 && word.factors[0].letter >= 0;
            if (word.isRest && word.isFree)
                axes.resize(std::max(axes.size(), size_t(rank)));
            else if (word.isRest)
                axes.insert(axes.end(), rest_.begin(), rest_.begin() + std::max(restCount_, 0));
            else if (isLetter)
                axes.push_back(letters_[size_t(word.factors[0].letter)]);
            else
                axes.push_back(Binding(word.factors.size() == 1 ? word.factors[0].number : -1, 0, -1));
        }
        return axes;
    }

private:
    bool bind(Binding& binding, Binding const& found) {
        bool const isFirst = binding.axis < 0;
        if (!isFirst && (binding.extent < 0 || found.extent < 0)) isCertain_ = false;
        if (isFirst || (binding.extent < 0 && found.extent >= 0)) {
            binding = found;
            return true;
        }
        return found.extent < 0 || found.extent == binding.extent;
    }

    bool isExtent(int64_t extent, int64_t number) {
        if (extent < 0) isCertain_ = false;
        return extent < 0 || extent == number;
    }

    void expectSameOutputs(ShapeBindings const& other, Slot const& slot, Dims const& found) const {
        for (ShapePattern const& output : *outputs_) {
            if (!hasSameExtents(other, output.shapes()[0]))
                throw std::invalid_argument(
                    "input '" + slot.name + "' is " + printed(found) + ", which may become any of " +
                    readable(slot.shape) + ", with output '" + output.slot().name + "' " + output.slot().shape +
                    " from different extents; the network has to say the extents that tell them apart");
        }
    }

    /// Whether the extents of an output are found in the same places.
    bool hasSameExtents(ShapeBindings const& other, ShapePattern::Shape const& output) const {
        for (ShapeWord const& word : output) {
            if (word.isRest && !(word.isFree ? restCount_ == other.restCount_ : hasSameRest(other))) return false;
            for (Factor const& each : word.factors) {
                if (each.letter < 0) continue;
                size_t const letter = size_t(each.letter);
                if (!letters_[letter].isAt(other.letters_[letter])) return false;
            }
        }
        return true;
    }

    bool hasSameRest(ShapeBindings const& other) const {
        if (restCount_ != other.restCount_) return false;
        for (int32_t i = 0; i < restCount_; ++i) {
            if (!rest_[size_t(i)].isAt(other.rest_[size_t(i)])) return false;
        }
        return true;
    }

    bool matchShape(size_t input, ShapePattern::Shape const& shape, Dims const& found) {
        bool const hasRest = !shape.empty() && shape.back().isRest;
        int32_t const first = int32_t(shape.size()) - (hasRest ? 1 : 0);
        if (hasRest ? found.nbDims < first : found.nbDims != first) return false;
        for (int32_t axis = 0; axis < first; ++axis) {
            if (!matchWord(input, shape[size_t(axis)], found.d[axis], axis)) return false;
        }
        return !hasRest || shape.back().isFree || matchRest(input, found, first);
    }

    bool matchWord(size_t input, ShapeWord const& word, int64_t extent, int32_t axis) {
        if (word.isFree) return true;
        Factor const& expected = word.factors[0];
        if (expected.letter < 0) return isExtent(extent, expected.number);
        return bind(letters_[size_t(expected.letter)], Binding(extent, input, axis));
    }

    bool matchRest(size_t input, Dims const& found, int32_t first) {
        int32_t const count = found.nbDims - first;
        if (restCount_ >= 0 && restCount_ != count) return false;
        restCount_ = count;
        for (int32_t i = 0; i < count; ++i) {
            if (!bind(rest_[size_t(i)], Binding(found.d[first + i], input, first + i))) return false;
        }
        return true;
    }

    /// What the letters of a pattern are known to stand for.
    std::string known(std::string const& pattern) const {
        std::string text;
        for (size_t i = 0; i < letters_.size(); ++i) {
            char const letter = char('A' + int(i));
            if (letters_[i].extent < 0 || pattern.find(letter) == std::string::npos) continue;
            text += (text.empty() ? " with " : ", ") + std::string(1, letter) + " = " + decimal(letters_[i].extent);
        }
        return text;
    }

    size_t restCount() const {
        if (restCount_ < 0) throw std::invalid_argument("signature(): no input has the `...` of an output");
        return size_t(restCount_);
    }

    /// Null where there are no factors.
    IDimensionExpr const* product(std::vector<Factor> const& factors, PluginBase::Shapes inputs, PluginBase& plugin,
                                  IExprBuilder& builder) const {
        IDimensionExpr const* extent = nullptr;
        for (Factor const& each : factors) {
            IDimensionExpr const* const next = valueOf(each, inputs, plugin, builder);
            extent = extent ? builder.operation(nvinfer1::DimensionOperation::kPROD, *extent, *next) : next;
            if (extent == nullptr) throw std::invalid_argument("an extent of its outputs does not fit in 64 bits");
        }
        return extent;
    }

    IDimensionExpr const* valueOf(Factor const& factor, PluginBase::Shapes inputs, PluginBase& plugin,
                                  IExprBuilder& builder) const {
        using Extent = decltype(Dims::d[0] + 0);
        if (factor.number >= 0) return builder.constant(Extent(factor.number));
        if (factor.letter < 0) {
            IntegerField field(factor.field);
            plugin.fields(field);
            if (field.value == nullptr)
                throw std::invalid_argument("signature(): there is no INT32 field '" + factor.field + "'");
            if (*field.value < 0)
                throw std::invalid_argument("field '" + factor.field + "' is " + decimal(*field.value) +
                                            "; expected 0 or more, because an output has it as an extent");
            return builder.constant(Extent(*field.value));
        }
        Binding const& binding = letters_[size_t(factor.letter)];
        if (binding.axis < 0)
            throw std::invalid_argument("signature(): no input has the letter " +
                                        std::string(1, char('A' + factor.letter)) + " of an output");
        return inputs[binding.input].d[binding.axis];
    }

    std::vector<ShapePattern> const* outputs_;
    bool isCertain_ = true; // whether no extent that is not known yet decides if the last shape fits
    std::array<Binding, 26> letters_;
    std::array<Binding, size_t(Dims::MAX_DIMS)> rest_;
    int32_t restCount_ = -1; // none yet
};

} // namespace TENON_PLUGIN_HOSTING
} // namespace TENON_PLUGIN_BASE
} // namespace tenon

#endif // TENON_PLUGIN_BASE_SHAPE_PATTERN_H
