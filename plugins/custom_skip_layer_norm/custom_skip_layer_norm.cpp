// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// CustomSkipLayerNormPluginDynamic: x = input + skip + bias; y is x with mean 0 and variance 1 over its E elements,
// times gamma, plus beta. Versions 3, 4, 7 and 8 have the sequences concatenated along the third axis; 4 and 8, which
// Megatron's BERT needs, also return x.
#include "transformers.h"

#include <algorithm>
#include <stdexcept>

namespace tenon::plugins {
namespace {

class SkipLayerNorm : public LayeredPlugin {
public:
    void check() const override {
        if (gamma_.empty()) throw std::invalid_argument("gamma has to be given");
        expectLength("beta", beta_, "gamma", gamma_.size());
    }

protected:
    void expectElements(int64_t found) const {
        if (found >= 0 && found != int64_t(gamma_.size()))
            throw std::invalid_argument("the input has " + std::to_string(found) +
                                        " elements to normalize, gamma has " + std::to_string(gamma_.size()));
    }

    std::vector<float> beta_, gamma_;
};

/// Versions 2 and 6: E is along the last axis whose extent is not 1.
class SkipLayerNormOfAnyRank : public SkipLayerNorm {
public:
    void fields(FieldVisitor& visit) override {
        visit("type_id", typeId_);
        visit("beta", beta_);
        visit("gamma", gamma_);
        visit("bias", bias_);
    }

    void check() const override {
        checkTypeId(typeId_, 2);
        SkipLayerNorm::check();
        if (!bias_.empty()) expectLength("bias", bias_, "gamma", gamma_.size());
    }

    Signature signature() const override {
        return Signature()
            .input("input", "[E,...]")
            .input("skip", "[E,...]")
            .output("output", "[E,...]")
            .realsMayBeInt8();
    }

    void checkInputs(KnownShapes inputs) const override { expectElements(inputs[0].d[lastWideAxis(inputs[0])]); }

    std::vector<Value> layers(Layers& in, std::vector<Value> const& inputs) override {
        int32_t const axis = lastWideAxis(inputs[0].tensor().getDimensions());
        std::vector<int64_t> one(size_t(inputs[0].rank()), 1), all = one;
        std::fill_n(all.begin(), axis, 0);
        one[size_t(axis)] = all[size_t(axis)] = int64_t(gamma_.size());

        // an extent known only at run time must equal that of gamma
        auto const checked = [&](Value const& x) { return reshape(asTypeId(x, typeId_), all); };
        Value x = checked(inputs[0]) + checked(inputs[1]);
        if (!bias_.empty()) x = x + in.reals(bias_, one, x);
        return {cast(layerNorm(x, gamma_, beta_, axis), inputs[0].type())};
    }

protected:
    int32_t typeId_ = -1;
    std::vector<float> bias_;
};

/// Versions 1 and 5.
class SkipLayerNormOfBatches final : public SkipLayerNormOfAnyRank {
public:
    void fields(FieldVisitor& visit) override {
        visit("ld", ld_);
        SkipLayerNormOfAnyRank::fields(visit);
    }

    void check() const override {
        SkipLayerNormOfAnyRank::check();
        if (ld_ != int64_t(gamma_.size()))
            throw std::invalid_argument("ld is " + std::to_string(ld_) + "; expected the length of gamma, " +
                                        std::to_string(gamma_.size()));
    }

    Signature signature() const override {
        return Signature()
            .input("input", "[S,B,E,1,1]")
            .input("skip", "[S,B,E,1,1]")
            .output("output", "[S,B,E,1,1]")
            .realsMayBeInt8();
    }

    void checkInputs(KnownShapes inputs) const override { expectElements(inputs[0].d[2]); }

private:
    int32_t ld_ = 0;
};

/// Versions 3 and 7.
class SkipLayerNormOfColumns : public SkipLayerNorm {
public:
    void fields(FieldVisitor& visit) override {
        visit("beta", beta_);
        visit("gamma", gamma_);
    }

    Signature signature() const override {
        return Signature()
            .input("input", "[1,E,T,1]")
            .input("skip", "[1,E,T,1]")
            .output("output", "[1,E,T,1]")
            .realsMayBeInt8();
    }

    void checkInputs(KnownShapes inputs) const override { expectElements(inputs[0].d[1]); }

    std::vector<Value> layers(Layers&, std::vector<Value> const& inputs) override {
        return {normalized(inputs[0] + inputs[1])};
    }

protected:
    Value normalized(Value const& x) const {
        auto const elements = int64_t(gamma_.size());
        Value const rows = reshape(transpose(x, {0, 2, 1, 3}), {0, 0, elements});
        return transpose(reshape(layerNorm(rows, gamma_, beta_, 2), {0, 0, elements, 1}), {0, 2, 1, 3});
    }
};

/// Versions 4 and 8.
class SkipLayerNormWithSum final : public SkipLayerNormOfColumns {
public:
    Signature signature() const override { return SkipLayerNormOfColumns::signature().output("sum", "[1,E,T,1]"); }

    std::vector<Value> layers(Layers&, std::vector<Value> const& inputs) override {
        Value const sum = inputs[0] + inputs[1];
        return {normalized(sum), sum};
    }
};

constexpr char const* kName = "CustomSkipLayerNormPluginDynamic";
constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<SkipLayerNormOfBatches>(kName, "1", PluginGeneration::kV2DynamicExt, "from 6.0"),
    standardPlugin<SkipLayerNormOfAnyRank>(kName, "2", PluginGeneration::kV2DynamicExt, "from 7.2"),
    standardPlugin<SkipLayerNormOfColumns>(kName, "3", PluginGeneration::kV2DynamicExt, "from 7.2"),
    standardPlugin<SkipLayerNormWithSum>(kName, "4", PluginGeneration::kV2DynamicExt, "from 8.0"),
    standardPlugin<SkipLayerNormOfBatches>(kName, "5", PluginGeneration::kV3, "from 10.4"),
    standardPlugin<SkipLayerNormOfAnyRank>(kName, "6", PluginGeneration::kV3, "from 10.4"),
    standardPlugin<SkipLayerNormOfColumns>(kName, "7", PluginGeneration::kV3, "from 10.4"),
    standardPlugin<SkipLayerNormWithSum>(kName, "8", PluginGeneration::kV3, "from 10.4"),
};

} // namespace

std::span<StandardPlugin const> customSkipLayerNormPlugins() { return kDefinitions; }

} // namespace tenon::plugins
