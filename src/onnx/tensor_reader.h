// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/log.h"
#include "base/mapped_file.h"
#include "onnx/model.h"
#include "onnx/types.h"

namespace tenon::onnx {

/// The elements of a tensor in the file, packed row-major as in ONNX's raw_data.
struct Elements {
    ElementType type = ElementType::Undefined;
    Dims dims;
    void const* data = nullptr;
    std::shared_ptr<void const> owner; // keeps `data` alive; null: the parser's caller does
};

/// The files beside a model that its tensors' external_data name, each opened once and kept while its data are in use.
class ExternalFiles {
public:
    /// The `bytes` bytes of a tensor of the model at `modelPath`, in the mapped file.
    std::shared_ptr<void const> find(pb::TensorProto const& tensor, std::string const& modelPath, size_t bytes);

private:
    std::map<std::string, std::shared_ptr<MappedFile const>> opened_;
};

/// Reads tensors of a model: raw, in typed fields, in external files, or given to the parser by name.
class TensorReader {
public:
    using Given = std::map<std::string, std::span<std::byte const>>;

    /// `path`: of the model, whose folder contains the external files.
    TensorReader(std::string path, Log log, Given given = {})
        : path_(std::move(path)), log_(std::move(log)), given_(std::move(given)) {}

    /// As in the file. `owner` keeps the tensor alive.
    Elements elements(pb::TensorProto const& tensor, std::shared_ptr<void const> const& owner) const;
    /// In the graph's type for it, see dataTypeOf(); shares the file's bytes if no conversion is needed.
    Literal literal(pb::TensorProto const& tensor, std::shared_ptr<void const> const& owner) const;

private:
    Literal converted(Elements const& elements) const;

    std::string path_;
    Log log_;
    Given given_;
    mutable ExternalFiles files_;
    mutable bool narrowed_ = false; // the note on float64 has been logged
};

/// "float32 [64,3,7,7]" → 37632 bytes; an Error for types without a fixed size.
size_t bytesOf(ElementType type, Dims const& dims);

} // namespace tenon::onnx
