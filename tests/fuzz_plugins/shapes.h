// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "fuzz_plugins/fields.h"

#include <deque>
#include <functional>
#include <map>

namespace tenon::test {

using Extents = std::vector<int64_t>;

/// The extents of a plugin's outputs, as in an engine: null for those that overflow.
class Expressions final : public nvinfer1::IExprBuilder {
public:
    /// \param isOpen whether the plugin does not know the value
    nvinfer1::IDimensionExpr const* add(int64_t value, bool isOpen, bool isSize = false);
    nvinfer1::IDimensionExpr const* operation(nvinfer1::DimensionOperation operation,
                                              nvinfer1::IDimensionExpr const& first,
                                              nvinfer1::IDimensionExpr const& second) noexcept override;
    nvinfer1::IDimensionExpr const* declareSizeTensor(int32_t output, nvinfer1::IDimensionExpr const& opt,
                                                      nvinfer1::IDimensionExpr const& upper) noexcept override;
    /// Its value, whether the plugin knows it or not; of a size, the upper bound.
    static int64_t valueOf(nvinfer1::IDimensionExpr const& expression);

protected:
    nvinfer1::IDimensionExpr const* constant_(int64_t value) noexcept override;

private:
    class Expression final : public nvinfer1::IDimensionExpr {
    public:
        Expression(int64_t number, bool isOpen, bool isSize) : number(number), isOpen_(isOpen), isSize_(isSize) {}
        bool isConstant() const noexcept override { return !isOpen_; }
        bool isSizeTensor() const noexcept override { return isSize_; }

        int64_t const number;

    protected:
        int64_t getConstantValue_() const noexcept override { return number; }

    private:
        bool isOpen_, isSize_;
    };

    std::deque<Expression> all_;
};

/// Extents for the inputs of a signature. A shape is described by the letters of its pattern.
class Shapes {
public:
    Shapes(PluginBase::Signature signature, std::vector<int64_t> hints, Random& random);

    /// Searches for supported shapes: refusals contain "expected N" for an extent.
    /// \param refusal empty if the plugin accepts the shapes, else its message
    /// \return whether there are such shapes; current() is the last attempt
    bool find(std::function<std::string(std::vector<Extents> const&)> const& refusal);
    /// Other small random extents for some letters.
    void change();
    std::vector<Extents> current() const;
    /// The same with one absurd value: an extent, the rank, or the number of inputs.
    std::vector<Extents> wrong() const;

    PluginBase::Signature const& signature() const { return signature_; }

private:
    int64_t small() const;
    /// An input named by a text, or a random one.
    std::string lettersIn(std::string const& said) const;
    Extents shapeOf(std::string const& pattern) const;

    PluginBase::Signature signature_;
    std::vector<int64_t> hints_;
    Random& random_;
    std::map<char, int64_t> letters_;
    Extents rest_;
    std::vector<size_t> choices_; // of each input's patterns
    size_t inputs_;
};

} // namespace tenon::test
