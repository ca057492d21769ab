// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "fuzz_plugins/fields.h"

#include <deque>
#include <functional>
#include <map>

namespace tenon::test {

using Extents = std::vector<int64_t>;

/// The extents of a plugin's outputs, as an engine has them: null for those that fit in no number.
class Expressions final : public nvinfer1::IExprBuilder {
public:
    /// \param isOpen whether the plugin is not told the value
    nvinfer1::IDimensionExpr const* add(int64_t value, bool isOpen, bool isSize = false);
    nvinfer1::IDimensionExpr const* operation(nvinfer1::DimensionOperation operation,
                                              nvinfer1::IDimensionExpr const& first,
                                              nvinfer1::IDimensionExpr const& second) noexcept override;
    nvinfer1::IDimensionExpr const* declareSizeTensor(int32_t output, nvinfer1::IDimensionExpr const& opt,
                                                      nvinfer1::IDimensionExpr const& upper) noexcept override;
    /// What it is, whether the plugin knows it or not; of a size, the largest that it can be.
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

/// Extents for the inputs of a signature. A shape is told by the letters of its pattern.
class Shapes {
public:
    Shapes(PluginBase::Signature signature, std::vector<int64_t> hints, Random& random);

    /// Looks for shapes that are accepted: what refuses them says "expected N" of an extent.
    /// \param refusal empty where it takes the shapes, else what it said
    /// \return whether there are such; current() is the last that was tried
    bool find(std::function<std::string(std::vector<Extents> const&)> const& refusal);
    /// Other small extents for some letters, as they come.
    void change();
    std::vector<Extents> current() const;
    /// The same with one that is absurd: an extent, the rank, or the number of inputs.
    std::vector<Extents> wrong() const;

    PluginBase::Signature const& signature() const { return signature_; }

private:
    int64_t small() const;
    /// Of the inputs that a text names; or just any.
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
