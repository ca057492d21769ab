// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/tensor_reader.h"

#include "base/error.h"

#include <cmath>
#include <cstring>

namespace tenon::onnx {
namespace {

Dims dimsOf(pb::TensorProto const& tensor) {
    Dims dims(std::span<int64_t const>(tensor.dims));
    for (int64_t const extent : dims) {
        if (extent < 0) fail(ErrorCode::InvalidModel, "has shape ", dims, "; expected extents of 0 or more");
    }
    return dims;
}

/// The entries of a typed field as values of T, one for each element (or pair of 4-bit elements).
template <class T, class Field> std::shared_ptr<void const> packed(Field const& field, size_t bytes, ElementType type) {
    if (static_cast<size_t>(field.size()) * sizeof(T) != bytes)
        fail(ErrorCode::InvalidModel, "needs ", bytes / sizeof(T), " entries of ", type, ", has ", field.size());
    auto memory = allocateHost(bytes);
    auto* to = static_cast<T*>(memory.get());
    for (auto const value : field) {
        *to = static_cast<T>(value);
        if (static_cast<decltype(value)>(*to) != value && value == value)
            fail(ErrorCode::InvalidModel, "entry ", to - static_cast<T*>(memory.get()), " is ", value, ", which no ",
                 type, " can be");
        ++to;
    }
    return memory;
}

/// One entry per element, of which the lowest 6 bits count; packed as in raw_data.
std::shared_ptr<void const> packedBySix(pb::TensorProto const& tensor, size_t bytes, ElementType type) {
    auto const count = static_cast<size_t>(dimsOf(tensor).volume());
    auto const entries = packed<uint8_t>(tensor.int32Data, count, type);
    for (size_t i = 0; i < count; ++i) {
        if (tensor.int32Data[i] > 63)
            fail(ErrorCode::InvalidModel, "entry ", i, " is ", tensor.int32Data[i], ", which no ", type, " can be");
    }
    auto memory = allocateHost(bytes);
    auto* const to = static_cast<uint8_t*>(memory.get());
    std::memset(to, 0, bytes);
    for (size_t i = 0; i < count; ++i) {
        auto const bits = static_cast<unsigned>(static_cast<uint8_t const*>(entries.get())[i]) << 6 * i % 8;
        to[6 * i / 8] = static_cast<uint8_t>(to[6 * i / 8] | bits);
        if (bits > 255) to[6 * i / 8 + 1] = static_cast<uint8_t>(bits >> 8);
    }
    return memory;
}

/// Each type has one field that may hold it.
std::shared_ptr<void const> typedField(pb::TensorProto const& tensor, ElementType type, size_t bytes) {
    switch (type) {
    case ElementType::Float32: return packed<float>(tensor.floatData, bytes, type);
    case ElementType::Float64: return packed<double>(tensor.doubleData, bytes, type);
    case ElementType::Int64: return packed<int64_t>(tensor.int64Data, bytes, type);
    case ElementType::UInt64: return packed<uint64_t>(tensor.uint64Data, bytes, type);
    case ElementType::UInt32: return packed<uint32_t>(tensor.uint64Data, bytes, type);
    case ElementType::Int32: return packed<int32_t>(tensor.int32Data, bytes, type);
    case ElementType::Int16: return packed<int16_t>(tensor.int32Data, bytes, type);
    case ElementType::Int8: return packed<int8_t>(tensor.int32Data, bytes, type);
    case ElementType::UInt16:
    case ElementType::Float16:
    case ElementType::BFloat16: return packed<uint16_t>(tensor.int32Data, bytes, type);
    case ElementType::UInt8:
    case ElementType::Bool:
    case ElementType::Float8E4M3FN:
    case ElementType::Float8E4M3FNUZ:
    case ElementType::Float8E5M2:
    case ElementType::Float8E5M2FNUZ:
    case ElementType::Float8E8M0:
    case ElementType::UInt2:
    case ElementType::Int2:
    case ElementType::UInt4:
    case ElementType::Int4:
    case ElementType::Float4E2M1: return packed<uint8_t>(tensor.int32Data, bytes, type);
    case ElementType::Float6E2M3:
    case ElementType::Float6E3M2: return packedBySix(tensor, bytes, type);
    case ElementType::Undefined:
    case ElementType::String:
    case ElementType::Complex64:
    case ElementType::Complex128:
    case ElementType::Unknown: break;
    }
    fail(ErrorCode::Unsupported, "is ", type, ", which typed fields do not support");
}

void expectBytes(ElementType type, Dims const& dims, size_t found) {
    size_t const needed = bytesOf(type, dims);
    if (found != needed)
        fail(ErrorCode::InvalidModel, type, " ", dims, " needs ", needed, " bytes, and ", found, " are there");
}

template <class From, class To> Literal converted(Elements const& from, DataType type) {
    auto const count = static_cast<size_t>(from.dims.volume());
    auto memory = allocateHost(count * sizeof(To));
    auto* to = static_cast<To*>(memory.get());
    for (size_t i = 0; i < count; ++i) {
        From value;
        std::memcpy(&value, static_cast<char const*>(from.data) + i * sizeof(From), sizeof(From));
        if constexpr (std::is_same_v<From, uint64_t>) {
            if (value > static_cast<uint64_t>(INT64_MAX))
                fail(ErrorCode::Unsupported, "element ", i, " is ", value, ", which does not fit in int64");
        }
        if constexpr (std::is_same_v<From, double>) {
            if (std::isfinite(value) && std::isinf(static_cast<float>(value)))
                fail(
                    ErrorCode::Unsupported, "element ", i, " is ", value,
                    ", which does not fit in float32, in which float64 is computed; save it as the largest float32, or "
                    "as infinity");
        }
        to[i] = static_cast<To>(value);
    }
    return Literal::borrowed(type, from.dims, memory.get(), memory);
}

/// Elements of 8 bits and less, packed from the lowest bit of the first byte on, each converted by `number(bits)`.
template <class To, class Number> Literal unpacked(Elements const& from, Number const& number) {
    auto const count = static_cast<size_t>(from.dims.volume());
    auto const width = static_cast<size_t>(bitsOf(from.type));
    auto memory = allocateHost(count * sizeof(To));
    auto const* bytes = static_cast<uint8_t const*>(from.data);
    for (size_t i = 0; i < count; ++i) {
        size_t const at = i * width;
        unsigned bits = bytes[at / 8];
        if (at % 8 + width > 8) bits |= static_cast<unsigned>(bytes[at / 8 + 1]) << 8;
        static_cast<To*>(memory.get())[i] = number(static_cast<uint8_t>((bits >> at % 8) & ((1U << width) - 1)));
    }
    return Literal::borrowed(kTypeOf<To>, from.dims, memory.get(), memory);
}

int8_t signedOfTwoBits(uint8_t bits) { return static_cast<int8_t>(bits < 2 ? bits : bits - 4); }

} // namespace

size_t bytesOf(ElementType type, Dims const& dims) {
    int64_t bits = 0;
    if (bitsOf(type) == 0) fail(ErrorCode::Unsupported, "is ", type, "; expected numbers or bools");
    if (__builtin_mul_overflow(dims.volume(), bitsOf(type), &bits) || bits > INT64_MAX - 7)
        fail(ErrorCode::InvalidModel, type, " ", dims, " does not fit in memory");
    return static_cast<size_t>((bits + 7) / 8);
}

namespace {

/// The field of the file that holds a tensor's data; empty: none. An Error if several do.
std::string_view placeInFile(pb::TensorProto const& tensor) {
    std::string_view place;
    auto const note = [&](std::string_view field, auto const& data) {
        if (data.empty()) return;
        if (!place.empty())
            fail(ErrorCode::InvalidModel, "has data in ", place, " and in ", field, "; expected one of them");
        place = field;
    };
    note("raw_data", tensor.rawData ? tensor.rawData->bytes : std::string_view());
    note("float_data", tensor.floatData);
    note("double_data", tensor.doubleData);
    note("int32_data", tensor.int32Data);
    note("int64_data", tensor.int64Data);
    note("uint64_data", tensor.uint64Data);
    note("string_data", tensor.stringData);
    return place;
}

} // namespace

Elements TensorReader::elements(pb::TensorProto const& tensor, std::shared_ptr<void const> const& owner) const {
    if (tensor.dataLocation != pb::kInFile && tensor.dataLocation != pb::kExternal)
        fail(ErrorCode::Unsupported, "its field 'data_location' is ", tensor.dataLocation,
             ", which is not supported; save the model with an older version of ONNX");
    Elements all{elementType(tensor.dataType), dimsOf(tensor), nullptr, owner};
    if (tensor.segment) fail(ErrorCode::Unsupported, "is split into segments; save it in one piece");
    size_t const needed = bytesOf(all.type, all.dims);
    if (auto const given = given_.find(tensor.name); given != given_.end() && !tensor.name.empty()) {
        expectBytes(all.type, all.dims, given->second.size());
        all.data = given->second.data();
        all.owner = nullptr;
    } else if (tensor.dataLocation == pb::kExternal) {
        if (auto const place = placeInFile(tensor); !place.empty())
            fail(ErrorCode::InvalidModel, "its data is external, and it has data in ", place, " too");
        all.owner = files_.find(tensor, path_, needed);
        all.data = all.owner.get();
    } else if (placeInFile(tensor) == "raw_data" || (tensor.rawData && needed == 0)) {
        expectBytes(all.type, all.dims, tensor.rawData->bytes.size());
        all.data = tensor.rawData->bytes.data();
    } else {
        all.owner = typedField(tensor, all.type, needed);
        all.data = all.owner.get();
    }
    return all;
}

Literal TensorReader::literal(pb::TensorProto const& tensor, std::shared_ptr<void const> const& owner) const {
    Elements const found = elements(tensor, owner);
    if (found.type == ElementType::Float64 && !narrowed_) {
        narrowed_ = true;
        say(log_, Severity::Warning,
            text("tensor '", tensor.name, "' is float64; all float64 tensors are computed in float32"));
    }
    return converted(found);
}

Literal TensorReader::converted(Elements const& found) const {
    DataType const type = dataTypeOf(static_cast<int64_t>(found.type));
    if (NumberForm const form = numberForm(found.type); form != NumberForm::Own)
        return unpacked<Half>(found, [&](uint8_t bits) { return Half(numberIn(smallFloat(form), bits)); });
    switch (found.type) {
    case ElementType::Float64: return onnx::converted<double, float>(found, type);
    case ElementType::Int16: return onnx::converted<int16_t, int32_t>(found, type);
    case ElementType::UInt16: return onnx::converted<uint16_t, int32_t>(found, type);
    case ElementType::UInt32: return onnx::converted<uint32_t, int64_t>(found, type);
    case ElementType::UInt64: return onnx::converted<uint64_t, int64_t>(found, type);
    case ElementType::Bool:
        return onnx::converted<uint8_t, bool>(found, type); // bits other than 0 and 1 are not a bool
    case ElementType::UInt2:
    case ElementType::UInt4: return unpacked<uint8_t>(found, [](uint8_t bits) { return bits; });
    case ElementType::Int2: return unpacked<int8_t>(found, signedOfTwoBits);
    default: return Literal::anywhere(type, found.dims, found.data, found.owner); // the same bits in the graph
    }
}

} // namespace tenon::onnx
