// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Public models as exported by PyTorch, narrow and with random weights: tools/make_exports.py wrote them to data/, with
// inputs of several shapes and ONNX Runtime's outputs. One engine computes all of its shapes.

#include "onnx/parse.h"
#include "onnx/tensor_reader.h"
#include "support/onnx_model.h"
#include "support/run_engine.h"

#include <google/protobuf/io/gzip_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace tenon {
namespace {

std::vector<std::string> cases() {
    std::vector<std::string> names;
    for (auto const& entry : std::filesystem::directory_iterator("tests/exported_models/data")) {
        if (entry.path().extension() == ".gz") names.push_back(entry.path().stem());
    }
    std::ranges::sort(names);
    return names;
}

proto::ModelProto read(std::string const& name) {
    std::ifstream file("tests/exported_models/data/" + name + ".gz", std::ios::binary);
    google::protobuf::io::IstreamInputStream stream(&file);
    google::protobuf::io::GzipInputStream unpacked(&stream);
    proto::ModelProto model;
    EXPECT_TRUE(model.ParseFromZeroCopyStream(&unpacked)) << name;
    return model;
}

std::vector<Literal> literals(proto::GraphProto const& tensors) {
    onnx::TensorReader const reader("", {});
    std::vector<Literal> all;
    for (auto const& written : tensors.initializer()) {
        auto const tensor = test::asRead<onnx::pb::TensorProto>(written);
        all.push_back(reader.literal(*tensor, tensor));
    }
    return all;
}

void widen(InputRange& range, Dims const& dims) {
    for (int axis = 0; axis < dims.rank(); ++axis) {
        range.min[axis] = std::min(range.min[axis], dims[axis]);
        range.max[axis] = std::max(range.max[axis], dims[axis]);
    }
}

/// For all runs of the model; the first one is the optimum.
Profile profileOf(proto::ModelProto const& model) {
    Profile profile;
    for (auto const& run : model.training_info()) {
        for (auto const& input : run.initialization().initializer()) {
            Dims const dims(std::vector<int64_t>(input.dims().begin(), input.dims().end()));
            auto const [range, isFirst] = profile.try_emplace(input.name());
            if (isFirst) range->second = {dims, dims, dims, {}, {}, {}};
            widen(range->second, dims);
        }
    }
    return profile;
}

double largest(Literal const& literal) {
    double most = 0;
    for (float const value : literal.toFloat()) {
        if (std::isfinite(value)) most = std::max(most, std::abs(double{value}));
    }
    return most;
}

void expectWithin(double tolerance, Literal const& found, Literal const& expected, std::string const& what) {
    ASSERT_EQ(text(found.type(), found.dims()), text(expected.type(), expected.dims())) << what;
    auto const f = found.toFloat();
    auto const e = expected.toFloat();
    double const most = tolerance * largest(expected);
    for (size_t i = 0; i < e.size(); ++i) {
        if (f[i] == e[i] || (std::isnan(f[i]) && std::isnan(e[i]))) continue;
        ASSERT_LE(std::abs(double{f[i]} - e[i]), most) << what << ", element " << i << ", expected " << e[i];
    }
}

class ExportedModel : public testing::TestWithParam<std::string> {
protected:
    /// All runs of the model that are compared in this type.
    void expect(std::string const& type, BuildConfig config = {}) const {
        double const tolerance = toleranceOf(type);
        if (tolerance == 0) return;
        Graph graph;
        auto const parsed = onnx::parse(test::asBytes(model_.SerializeAsString()), graph);
        for (auto const& error : parsed.errors) ADD_FAILURE() << error.text;
        if (!parsed) return;
        for (auto const& node : graph.nodes()) node->askedType = asked_;
        config.profiles = {profileOf(model_)};
        test::EngineRun engine(graph, std::move(config));
        for (int run = 0; run < model_.training_info_size(); ++run) {
            auto const found = engine.run(literals(model_.training_info(run).initialization()));
            auto const expected = literals(model_.training_info(run).algorithm());
            ASSERT_EQ(found.size(), expected.size());
            for (size_t i = 0; i < expected.size(); ++i)
                expectWithin(tolerance, found[i], expected[i], text("run ", run, ", output ", i));
        }
    }

private:
    /// Relative to the largest element of an output; 0 if the file has none.
    double toleranceOf(std::string const& type) const {
        for (auto const& property : model_.metadata_props()) {
            if (property.key() == type) return std::stod(property.value());
        }
        return 0;
    }

    proto::ModelProto const model_ = read(GetParam());

protected:
    std::optional<DataType> asked_; // of each layer
};

TEST_P(ExportedModel, isRightInFloat32) { expect("float32"); }

TEST_P(ExportedModel, isRightInFloat16) {
    BuildConfig config;
    config.settings.precision.float16 = true;
    expect("float16", config);
}

/// As exact as without a narrower type, whatever layers the passes make.
TEST_P(ExportedModel, isInFloat32WhereItsLayersAskForThat) {
    BuildConfig config;
    config.settings.precision.float16 = true;
    config.settings.precision.asked = AskedTypes::Preferred;
    asked_ = DataType::Float32;
    expect("float32", config);
}

TEST_P(ExportedModel, isRightWhereEachLayerAsksForFloat16) {
    BuildConfig config;
    config.settings.precision.float16 = true;
    config.settings.precision.asked = AskedTypes::Preferred;
    asked_ = DataType::Float16;
    config.log = [](Severity severity, std::string const& said) {
        bool const isOfHost = said.find("the host computes it") != said.npos;
        if (severity == Severity::Warning && !isOfHost) ADD_FAILURE() << said;
    };
    expect("float16", config);
}

TEST_P(ExportedModel, isRightInBFloat16) {
    BuildConfig config;
    config.settings.precision.bfloat16 = true;
    expect("bfloat16", config);
}

TEST(ExportedModels, areThere) { EXPECT_GT(cases().size(), 50U); }

INSTANTIATE_TEST_SUITE_P(Cases, ExportedModel, testing::ValuesIn(cases()), [](auto const& info) {
    std::string name = info.param;
    std::ranges::replace(name, '.', '_');
    return name;
});

} // namespace
} // namespace tenon
