// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/tensor_reader.h"

#include "support/layer_case.h"
#include "support/onnx_model.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace tenon::onnx {
namespace {

using test::errorOf;

proto::TensorProto tensor(ElementType type, std::vector<int64_t> const& dims) {
    proto::TensorProto proto;
    proto.set_name("w");
    proto.set_data_type(static_cast<int>(type));
    for (int64_t const extent : dims) proto.add_dims(extent);
    return proto;
}

proto::TensorProto raw(ElementType type, std::vector<int64_t> const& dims, std::string const& bytes) {
    auto proto = tensor(type, dims);
    proto.set_raw_data(bytes);
    return proto;
}

Literal read(proto::TensorProto const& proto) {
    auto const kept = test::asRead<pb::TensorProto>(proto);
    return TensorReader("", {}).literal(*kept, kept);
}
std::string errorFor(proto::TensorProto const& proto) {
    return errorOf([&] { read(proto); });
}

template <class T> std::string bytesOfValues(std::vector<T> const& values) {
    return {reinterpret_cast<char const*>(values.data()), values.size() * sizeof(T)};
}

TEST(OnnxTensor, readsRawData) {
    auto const literal = read(raw(ElementType::Float32, {2, 1}, bytesOfValues<float>({1.5F, -2})));
    EXPECT_EQ(literal, test::floats({2, 1}, {1.5F, -2}));
}

// the data may be unaligned in a file
TEST(OnnxTensor, readsRawDataThatIsNotAligned) {
    std::string const values = bytesOfValues<float>({1.5F, -2});
    for (size_t shift = 0; shift < 5; ++shift) {
        alignas(16) char file[16]{};
        std::memcpy(file + shift, values.data(), values.size());
        pb::TensorProto tensor;
        tensor.dataType = static_cast<int32_t>(ElementType::Float32);
        tensor.dims = {2};
        tensor.rawData = pb::LongBytes{{file + shift, values.size()}, nullptr};
        Literal const literal = TensorReader("", {}).literal(tensor, nullptr);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(literal.data()) % alignof(float), 0U);
        EXPECT_EQ(literal, test::floats({2}, {1.5F, -2}));
    }
}

TEST(OnnxTensor, readsTypedFields) {
    auto floats = tensor(ElementType::Float32, {2});
    floats.add_float_data(1.5F);
    floats.add_float_data(-2);
    EXPECT_EQ(read(floats), test::floats({2}, {1.5F, -2}));

    auto longs = tensor(ElementType::Int64, {1});
    longs.add_int64_data(-5'000'000'000);
    EXPECT_EQ(read(longs).as<int64_t>()[0], -5'000'000'000);

    auto scalar = tensor(ElementType::Int32, {});
    scalar.add_int32_data(7);
    EXPECT_EQ(read(scalar).dims().rank(), 0);
    EXPECT_EQ(read(scalar).as<int32_t>()[0], 7);
}

// every type that int32_data holds
TEST(OnnxTensor, narrowsWhatInt32DataHolds) {
    auto const of = [](ElementType type, int32_t value) {
        auto proto = tensor(type, {1});
        proto.add_int32_data(value);
        return read(proto);
    };
    EXPECT_EQ(of(ElementType::Int8, -3).as<int8_t>()[0], -3);
    EXPECT_EQ(of(ElementType::UInt8, 200).as<uint8_t>()[0], 200);
    EXPECT_EQ(of(ElementType::Bool, 1).as<bool>()[0], true);
    EXPECT_EQ(of(ElementType::Int16, -300).as<int32_t>()[0], -300);
    EXPECT_EQ(of(ElementType::UInt16, 60000).as<int32_t>()[0], 60000);
    EXPECT_EQ(static_cast<float>(of(ElementType::Float16, 0x3e00).as<Half>()[0]), 1.5F);
    EXPECT_EQ(static_cast<float>(of(ElementType::BFloat16, 0x3fc0).as<BFloat16>()[0]), 1.5F);
    EXPECT_EQ(of(ElementType::Float8E4M3FN, 0x7e).type(), DataType::Float8);
}

TEST(OnnxTensor, widensWhatTheGraphHasNoTypeFor) {
    EXPECT_EQ(read(raw(ElementType::Int16, {2}, bytesOfValues<int16_t>({-1, 300}))).toInt64(),
              (std::vector<int64_t>{-1, 300}));
    EXPECT_EQ(read(raw(ElementType::UInt32, {1}, bytesOfValues<uint32_t>({4'000'000'000}))).as<int64_t>()[0],
              4'000'000'000);
    EXPECT_EQ(read(raw(ElementType::UInt64, {1}, bytesOfValues<uint64_t>({42}))).as<int64_t>()[0], 42);
    EXPECT_EQ(errorFor(raw(ElementType::UInt64, {1}, bytesOfValues<uint64_t>({1ULL << 63U}))),
              "element 0 is 9223372036854775808, which does not fit in int64");
}

TEST(OnnxTensor, unpacksUint4AndKeepsInt4Packed) {
    EXPECT_EQ(read(raw(ElementType::UInt4, {3}, "\x21\x0f")).toInt64(), (std::vector<int64_t>{1, 2, 15}));
    auto const packed = read(raw(ElementType::Int4, {3}, "\x21\x0f"));
    EXPECT_EQ(packed.type(), DataType::Int4);
    EXPECT_EQ(packed.bytes(), 2U);
}

TEST(OnnxTensor, makesEveryBoolZeroOrOne) {
    auto const literal = read(raw(ElementType::Bool, {3}, std::string("\x00\x02\x01", 3)));
    EXPECT_EQ(std::memcmp(literal.data(), "\x00\x01\x01", 3), 0);
}

TEST(OnnxTensor, narrowsFloat64AndSaysSoOnce) {
    std::vector<std::string> log;
    TensorReader const reader("", [&](Severity, std::string const& message) { log.push_back(message); });
    auto const proto =
        test::asRead<pb::TensorProto>(raw(ElementType::Float64, {3}, bytesOfValues<double>({0.1, 1e-300, -INFINITY})));
    auto const literal = reader.literal(*proto, nullptr);
    reader.literal(*proto, nullptr);
    EXPECT_EQ(literal, test::floats({3}, {0.1F, 0, -INFINITY}));
    EXPECT_EQ(log, std::vector<std::string>{"tensor 'w' is float64; all float64 tensors are computed in float32"});
}

TEST(OnnxTensor, refusesFloat64BeyondFloat32) {
    EXPECT_EQ(
        errorFor(raw(ElementType::Float64, {2}, bytesOfValues<double>({1, -1e300}))),
        "element 1 is -1e+300, which does not fit in float32, in which float64 is computed; save it as the largest "
        "float32, or as infinity");
}

// the bits of ONNX's types: E4M3FNUZ 1.5 and NaN, E5M2 1.5, E5M2FNUZ 1.5, E2M3 1.125, E3M2 1.25
TEST(OnnxTensor, widensFloatsOfFewBits) {
    auto const numbers = [](ElementType type, std::string const& bytes, int64_t count = 1) {
        auto const literal = read(raw(type, {count}, bytes));
        EXPECT_EQ(literal.type(), DataType::Float16);
        return literal.toFloat();
    };
    EXPECT_EQ(numbers(ElementType::Float8E4M3FNUZ, "\x44")[0], 1.5F);
    EXPECT_TRUE(std::isnan(numbers(ElementType::Float8E4M3FNUZ, "\x80")[0]));
    EXPECT_EQ(numbers(ElementType::Float8E5M2, "\x3e")[0], 1.5F);
    EXPECT_EQ(numbers(ElementType::Float8E5M2FNUZ, "\x42")[0], 1.5F);
    // x0 | x1 << 6, x1 >> 2 | x2 << 4, x2 >> 4 | x3 << 2: the elements 9, 9, 41 (negative), 0 of 6 bits
    EXPECT_EQ(numbers(ElementType::Float6E2M3, std::string("\x49\x92\x02", 3), 4),
              (std::vector<float>{1.125F, 1.125F, -1.125F, 0}));
    auto listed = tensor(ElementType::Float6E3M2, {3});
    for (int bits : {13, 13 + 32, 1}) listed.add_int32_data(bits);
    EXPECT_EQ(read(listed).toFloat(), (std::vector<float>{1.25F, -1.25F, 0.0625F}));
}

TEST(OnnxTensor, unpacksIntegersOf2Bits) {
    EXPECT_EQ(read(raw(ElementType::UInt2, {5}, "\xe4\x02")).toInt64(), (std::vector<int64_t>{0, 1, 2, 3, 2}));
    EXPECT_EQ(read(raw(ElementType::Int2, {5}, "\xe4\x02")).toInt64(), (std::vector<int64_t>{0, 1, -2, -1, -2}));
}

TEST(OnnxTensor, mayBeEmpty) {
    EXPECT_EQ(read(tensor(ElementType::Float32, {0, 3})).dims(), (Dims{0, 3}));
    EXPECT_EQ(read(raw(ElementType::Int64, {0}, "")).dims(), Dims{0});
}

TEST(OnnxTensor, mustHaveAllItsData) {
    EXPECT_EQ(errorFor(raw(ElementType::Float32, {2, 3}, "1234")), "float32 [2,3] needs 24 bytes, and 4 are there");
    EXPECT_EQ(errorFor(tensor(ElementType::Float32, {2})), "needs 2 entries of float32, has 0");
    auto proto = tensor(ElementType::Int8, {1});
    proto.add_int32_data(300);
    EXPECT_EQ(errorFor(proto), "entry 0 is 300, which no int8 can be");
}

TEST(OnnxTensor, mustBeOfASensibleShape) {
    EXPECT_EQ(errorFor(tensor(ElementType::Float32, {-1})), "has shape [-1]; expected extents of 0 or more");
    EXPECT_EQ(errorFor(tensor(ElementType::Float32, {1LL << 60, 4})), "float32 [1152921504606846976,4] does not fit in "
                                                                      "memory");
    EXPECT_EQ(errorFor(tensor(ElementType::Float32, {1LL << 62, 4})),
              "a tensor of shape [4611686018427387904,4] has more elements than 64 bits can count");
    EXPECT_EQ(errorFor(tensor(ElementType::Float32, {1, 1, 1, 1, 1, 1, 1, 1, 1})),
              "a tensor of 9 axes; expected at most 8");
}

TEST(OnnxTensor, mustBeOfATypeThatIsComputedWith) {
    EXPECT_EQ(errorFor(tensor(ElementType::String, {1})), "is string; expected numbers or bools");
    EXPECT_EQ(errorFor(raw(ElementType::Complex64, {1}, "12345678")),
              "type 14 (complex64) is not supported; expected float, float16, bfloat16, an integer type or bool");
    auto newer = tensor(ElementType::Float32, {1});
    newer.set_data_type(99);
    EXPECT_EQ(errorFor(newer), "is unknown to this reader; expected numbers or bools");
}

TEST(OnnxTensor, mustBeWhole) {
    auto proto = tensor(ElementType::Float32, {1});
    proto.mutable_segment()->set_begin(0);
    EXPECT_EQ(errorFor(proto), "is split into segments; save it in one piece");
}

TEST(OnnxTensor, mustLieWhereThisReaderKnows) {
    auto proto = tensor(ElementType::Float32, {1});
    proto.GetReflection()->MutableUnknownFields(&proto)->AddVarint(14, 2);
    EXPECT_EQ(errorFor(proto), "its field 'data_location' is 2, which is not supported; save the model with an "
                               "older version of ONNX");
}

// ---- external data

namespace fs = std::filesystem;

class ExternalData : public testing::Test {
protected:
    void SetUp() override {
        std::filesystem::create_directories(folder_ / "weights");
        std::ofstream(folder_ / "weights" / "w.bin", std::ios::binary) << "....\x01" << std::string(3, '\0') << "rest";
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    static proto::TensorProto at(std::string const& location, std::string const& offset, std::string const& length) {
        auto proto = tensor(ElementType::Int32, {1});
        proto.set_data_location(proto::TensorProto::EXTERNAL);
        auto const add = [&](char const* key, std::string const& value) {
            if (value.empty()) return;
            auto* entry = proto.add_external_data();
            entry->set_key(key);
            entry->set_value(value);
        };
        add("location", location);
        add("offset", offset);
        add("length", length);
        return proto;
    }

    Literal load(proto::TensorProto const& proto) const {
        return TensorReader((folder_ / "model.onnx").string(), {})
            .literal(*test::asRead<pb::TensorProto>(proto), nullptr);
    }
    std::string errorFor(proto::TensorProto const& proto) const {
        std::string error = errorOf([&] { load(proto); });
        if (auto const found = error.find(folder_.string()); found != std::string::npos)
            error.replace(found, folder_.string().size(), "HERE");
        return error;
    }

    std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) / text("tenon_external_data_", getpid());
};

TEST_F(ExternalData, isReadBesideTheModel) {
    EXPECT_EQ(load(at("weights/w.bin", "4", "4")).as<int32_t>()[0], 1);
    EXPECT_EQ(load(at("weights/w.bin", "4", "")).as<int32_t>()[0], 1);
}

TEST_F(ExternalData, mayBeginAtAnyByte) { EXPECT_EQ(load(at("weights/w.bin", "3", "4")).as<int32_t>()[0], '.' + 256); }

// most of the file is a hole, which occupies no disk space
TEST_F(ExternalData, mayLieBehind4GiB) {
    constexpr uintmax_t kFar = (uintmax_t{1} << 32) + 8;
    std::error_code problem;
    std::filesystem::resize_file(folder_ / "weights" / "w.bin", kFar, problem);
    if (problem) GTEST_SKIP() << "no files of 4 GiB here: " << problem.message();
    std::ofstream(folder_ / "weights" / "w.bin", std::ios::binary | std::ios::app) << '\x07' << std::string(3, '\0');
    EXPECT_EQ(load(at("weights/w.bin", std::to_string(kFar), "4")).as<int32_t>()[0], 7);
    EXPECT_EQ(errorFor(at("weights/w.bin", std::to_string(kFar + 1), "4")),
              "needs 4 bytes from byte 4294967305 of 'HERE/weights/w.bin', which ends at 4294967308: it is truncated, "
              "or belongs to another model");
    EXPECT_EQ(errorFor(at("weights/w.bin", "18446744073709551615", "4")),
              "needs 4 bytes from byte 18446744073709551615 of 'HERE/weights/w.bin', which ends at 4294967308: it is "
              "truncated, or belongs to another model");
}

TEST_F(ExternalData, mustStayInTheModelsFolder) {
    EXPECT_EQ(errorFor(at("/etc/passwd", "", "")), "its external data is at '/etc/passwd'; expected a path below the "
                                                   "model's folder, neither absolute nor with '..'");
    EXPECT_EQ(
        errorFor(at("weights/../../w.bin", "", "")),
        "its external data is at 'weights/../../w.bin'; expected a path below the model's folder, neither absolute "
        "nor with '..'");
}

/// As in model caches on disk: files are links to content stored by its hash.
class LinkedData : public ExternalData {
protected:
    void SetUp() override {
        unsetenv(kAllow);
        fs::create_directories(model_ / "weights");
        fs::create_directories(folder_ / "blobs");
        std::ofstream(folder_ / "blobs" / "hash", std::ios::binary) << "\x01" << std::string(3, '\0');
        std::ofstream(model_ / "own.bin", std::ios::binary) << "\x02" << std::string(3, '\0');
    }
    void TearDown() override {
        unsetenv(kAllow);
        ExternalData::TearDown();
    }

    int32_t read(std::string const& location, fs::path const& model) const {
        return TensorReader(model.string(), {})
            .literal(*test::asRead<pb::TensorProto>(at(location, "", "")), nullptr)
            .as<int32_t>()[0];
    }
    int32_t read(std::string const& location) const { return read(location, model_ / "model.onnx"); }
    std::string refusalOf(std::string const& location) const {
        return errorOf([&] { read(location); });
    }
    std::string expectedRefusal(std::string const& location, fs::path const& target) const {
        return text("its external data at '", location, "' is a link to '", fs::canonical(target).string(),
                    "', outside of the model's folder '", fs::canonical(model_).string(),
                    "'; if you trust the model, allow it by TENON_ALLOW_LINKED_DATA=1 in the environment (trtexec: "
                    "--allowLinkedData, tenon: --allow-linked-data)");
    }

    static constexpr char const* kAllow = "TENON_ALLOW_LINKED_DATA";
    fs::path model_ = folder_ / "snapshots" / "main";
};

TEST_F(LinkedData, mayStayInTheModelsFolder) {
    fs::create_symlink("../own.bin", model_ / "weights" / "w.bin");
    fs::create_symlink(fs::absolute(model_) / "own.bin", model_ / "absolute.bin");
    fs::create_directory_symlink(".", model_ / "here");
    EXPECT_EQ(read("weights/w.bin"), 2);
    EXPECT_EQ(read("absolute.bin"), 2);
    EXPECT_EQ(read("here/here/own.bin"), 2);
}

TEST_F(LinkedData, isRefusedOutsideOfTheModelsFolderUnlessAllowed) {
    fs::create_symlink("../../blobs/hash", model_ / "model.onnx_data");
    fs::create_symlink("model.onnx_data", model_ / "twice");
    fs::create_directory_symlink("../../blobs", model_ / "folder");
    for (std::string const location : {"model.onnx_data", "twice", "folder/hash"})
        EXPECT_EQ(refusalOf(location), expectedRefusal(location, folder_ / "blobs" / "hash"));
    setenv(kAllow, "0", 1);
    EXPECT_NE(refusalOf("twice"), "");
    setenv(kAllow, "1", 1);
    for (std::string const location : {"model.onnx_data", "twice", "folder/hash"}) EXPECT_EQ(read(location), 1);
}

TEST_F(LinkedData, isNotReadFromAFolderWhoseNameOnlyBeginsLikeTheModels) {
    fs::create_directories(folder_ / "snapshots" / "main2");
    fs::copy_file(model_ / "own.bin", folder_ / "snapshots" / "main2" / "w.bin");
    fs::create_symlink("../main2/w.bin", model_ / "w.bin");
    EXPECT_EQ(refusalOf("w.bin"), expectedRefusal("w.bin", folder_ / "snapshots" / "main2" / "w.bin"));
}

TEST_F(LinkedData, isLookedForBesideTheLinkThatAModelIsOpenedBy) {
    std::ofstream(folder_ / "blobs" / "model") << "the model";
    fs::create_symlink("../../blobs/model", model_ / "model.onnx");
    EXPECT_EQ(read("own.bin"), 2);
    fs::create_directory_symlink("main", folder_ / "snapshots" / "latest");
    EXPECT_EQ(read("own.bin", folder_ / "snapshots" / "latest" / "model.onnx"), 2);
}

TEST_F(LinkedData, isReadBesideAModelInTheCurrentFolder) {
    auto const before = fs::current_path();
    fs::current_path(model_);
    fs::create_symlink("../../blobs/hash", "out.bin");
    EXPECT_EQ(read("own.bin", "model.onnx"), 2);
    EXPECT_EQ(errorOf([&] { read("out.bin", "model.onnx"); }), expectedRefusal("out.bin", "../../blobs/hash"));
    fs::current_path(before);
}

TEST_F(LinkedData, mustLeadToAFileEvenIfLinksAreAllowed) {
    setenv(kAllow, "1", 1);
    fs::create_symlink("/dev/zero", model_ / "zeros");
    fs::create_symlink("loop", model_ / "loop");
    for (std::string const location : {"zeros", "loop"})
        EXPECT_EQ(refusalOf(location), text("its external data is in '", (model_ / location).string(),
                                            "', which is missing or not a regular file; keep it beside the model"));
}

TEST_F(ExternalData, mustBeThere) {
    EXPECT_EQ(errorFor(at("v.bin", "", "")),
              "its external data is in 'HERE/v.bin', which is missing or not a regular file; keep it beside the model");
    EXPECT_EQ(
        errorFor(at("weights", "", "")),
        "its external data is in 'HERE/weights', which is missing or not a regular file; keep it beside the model");
    EXPECT_EQ(errorFor(at("", "4", "")), "its data is external, but no location is given");
}

TEST_F(ExternalData, mustBeLongEnough) {
    EXPECT_EQ(errorFor(at("weights/w.bin", "10", "")), "needs 4 bytes from byte 10 of 'HERE/weights/w.bin', which ends "
                                                       "at 12: it is truncated, or belongs to another model");
    EXPECT_EQ(errorFor(at("weights/w.bin", "18446744073709551615", "")),
              "needs 4 bytes from byte 18446744073709551615 of 'HERE/weights/w.bin', which ends at 12: it is "
              "truncated, or belongs to another model");
    EXPECT_EQ(errorFor(at("weights/w.bin", "0", "3")), "needs 4 bytes, and its external data in 'weights/w.bin' has 3");
    EXPECT_EQ(errorFor(at("weights/w.bin", "-4", "")),
              "the offset of its external data is '-4'; expected a number of bytes");
}

TEST_F(ExternalData, needsThePathOfTheModel) {
    EXPECT_EQ(
        errorOf([] { TensorReader("", {}).literal(*test::asRead<pb::TensorProto>(at("w.bin", "", "")), nullptr); }),
        "its data is in the file 'w.bin' beside the model, but the model was given as bytes; give its path too");
}

} // namespace
} // namespace tenon::onnx
