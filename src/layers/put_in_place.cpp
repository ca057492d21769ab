// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/put_in_place.h"

#include "base/text.h"
#include "layers/constant/constant.h"

namespace tenon {

void putInPlace(Graph& graph, Tensor* input, Literal const& value) {
    if (input->readers().empty()) return;
    Tensor* const constant = graph.emit(Constant(value), {}, text("constant ", input->name));
    auto const readers = input->readers();
    for (Node* reader : readers) {
        for (size_t i = 0; i < reader->inputs().size(); ++i) {
            if (reader->inputs()[i] == input) graph.setInput(reader, static_cast<int>(i), constant);
        }
    }
}

} // namespace tenon
