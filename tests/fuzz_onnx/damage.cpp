// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "fuzz_onnx/damage.h"

#include "base/text.h"

#include <cmath>
#include <cstring>

namespace tenon::test {

namespace {

constexpr int64_t kNumbers[]{0,
                             1,
                             -1,
                             2,
                             -2,
                             3,
                             4,
                             5,
                             7,
                             8,
                             16,
                             64,
                             255,
                             256,
                             1000,
                             INT32_MAX,
                             INT32_MIN,
                             INT64_MAX,
                             INT64_MIN,
                             INT64_MAX - 1,
                             INT64_MIN + 1,
                             int64_t{1} << 32,
                             int64_t{1} << 62};
constexpr float kReals[]{0, 1, -1, 0.5F, 2, 1e-30F, 1e30F, -3e38F, NAN, INFINITY, -INFINITY};

/// Any element of a repeated field; none of an empty one.
template <class List> auto* any(List* list, size_t random) {
    return list->empty() ? nullptr : list->Mutable(static_cast<int>(random % static_cast<size_t>(list->size())));
}

} // namespace

int64_t Damage::number() {
    return chance(3) ? static_cast<int64_t>(below(9)) - 4 : kNumbers[below(std::size(kNumbers))];
}

float Damage::real() {
    float const value = kReals[below(std::size(kReals))];
    isOrdinary_ = isOrdinary_ && std::abs(value) <= 2; // false for NaN
    return value;
}

std::string Damage::model() {
    Proto model = sound();
    for (size_t more = below(3); more > 0; --more) append(model);
    bool const bytesOnly = chance(4);
    isOrdinary_ = !bytesOnly;
    for (size_t times = bytesOnly ? 0 : 1 + below(4); times > 0; --times) damage(model);
    std::string bytes = model.SerializeAsString();
    if (bytesOnly) damageBytes(bytes);
    return bytes;
}

Damage::Proto Damage::sound() {
    Proto model = *cases_[below(cases_.size())].model;
    model.clear_training_info();
    return model;
}

/// Appends nodes of another model, which read this one's tensors.
void Damage::append(Proto& model) {
    Proto other = sound();
    std::string const prefix = text("m", model.graph().node_size(), '/');
    std::string const joint = tensorName(model);
    auto const renamed = [&](std::string const& name) { return name.empty() ? name : prefix + name; };
    bool joined = false;
    auto const inputName = [&](std::string const& name) {
        bool const takes = !joined && other.graph().input_size() > 0 && name == other.graph().input(0).name();
        return takes ? joint : renamed(name);
    };
    for (auto node : other.graph().node()) {
        for (auto& input : *node.mutable_input()) input = inputName(input);
        for (auto& output : *node.mutable_output()) output = renamed(output);
        node.set_name("");
        *model.mutable_graph()->add_node() = node;
    }
    for (int i = 1; i < other.graph().input_size(); ++i) {
        auto& input = *model.mutable_graph()->add_input() = other.graph().input(i);
        input.set_name(renamed(input.name()));
    }
    for (auto const& one : other.graph().initializer()) {
        auto& initializer = *model.mutable_graph()->add_initializer() = one;
        initializer.set_name(renamed(one.name()));
    }
    if (chance(2)) model.mutable_graph()->clear_output();
    for (auto const& one : other.graph().output()) model.mutable_graph()->add_output()->set_name(renamed(one.name()));
}

std::string Damage::tensorName(Proto const& model) {
    std::vector<std::string> names;
    for (auto const& node : model.graph().node()) {
        names.insert(names.end(), node.output().begin(), node.output().end());
        if (chance(4)) names.insert(names.end(), node.input().begin(), node.input().end());
    }
    return names.empty() ? "none" : names[below(names.size())];
}

void Damage::damage(Proto& model) {
    switch (below(8)) {
    case 0:
    case 1: return damageNode(model);
    case 2: return damageInput(model);
    case 3:
    case 4: return damageInitializer(model);
    case 5: return exchangeInput(model);
    default:
        if (auto* node = any(model.mutable_graph()->mutable_node(), random_())) damageAttribute(*node);
    }
}

void Damage::damageAttribute(proto::NodeProto& node) {
    auto* attribute = any(node.mutable_attribute(), random_());
    if (attribute == nullptr || chance(8)) { // an attribute that the operator may or may not have
        auto const& other = *cases_[below(cases_.size())].model;
        if (other.graph().node_size() == 0 || other.graph().node(0).attribute_size() == 0) return;
        auto const& given = other.graph().node(0).attribute();
        *node.add_attribute() = given.Get(static_cast<int>(below(static_cast<size_t>(given.size()))));
        return;
    }
    if (chance(10)) return attribute->clear_type();
    if (chance(10)) return node.mutable_attribute()->RemoveLast();
    if (attribute->has_i()) attribute->set_i(number());
    if (attribute->has_f()) attribute->set_f(real());
    if (attribute->has_s() && chance(4)) attribute->set_s(std::string(below(3), 'X'));
    if (attribute->ints_size() > 0 && chance(4)) attribute->mutable_ints()->RemoveLast();
    if (attribute->ints_size() > 0) attribute->set_ints(static_cast<int>(below(attribute->ints_size())), number());
    if (attribute->ints_size() > 0 && chance(4)) attribute->add_ints(number());
    if (attribute->has_g()) damageBody(*attribute->mutable_g());
}

/// The graph inside of a node.
void Damage::damageBody(proto::GraphProto& body) {
    if (chance(6)) return std::swap(*body.mutable_input(), *body.mutable_output());
    if (chance(6) && body.output_size() > 0) return body.mutable_output()->RemoveLast();
    if (chance(6) && body.input_size() > 0) return body.mutable_input()->RemoveLast();
    auto* node = any(body.mutable_node(), random_());
    if (node == nullptr) return;
    if (chance(2) || node->input_size() == 0) return damageAttribute(*node);
    auto const& other = body.node(static_cast<int>(below(static_cast<size_t>(body.node_size()))));
    bool const fromOther = other.output_size() > 0 && chance(2);
    node->set_input(static_cast<int>(below(static_cast<size_t>(node->input_size()))),
                    fromOther ? other.output(0) : tensorName(sound()));
}

void Damage::damageNode(Proto& model) {
    auto* node = any(model.mutable_graph()->mutable_node(), random_());
    if (node == nullptr) return;
    switch (below(7)) {
    case 0: return node->set_op_type(sound().graph().node(0).op_type());
    case 1:
        if (node->input_size() > 0)
            node->set_input(static_cast<int>(below(static_cast<size_t>(node->input_size()))), tensorName(model));
        return;
    case 2:
        if (node->input_size() > 0) node->mutable_input()->RemoveLast();
        return;
    case 3: return node->add_input(tensorName(model));
    case 4:
        if (node->input_size() > 0)
            node->set_input(static_cast<int>(below(static_cast<size_t>(node->input_size()))), "");
        return;
    case 5: return node->add_output(text("more", below(3)));
    default: return model.mutable_opset_import(0)->set_version(static_cast<int64_t>(below(30)));
    }
}

void Damage::damageInput(Proto& model) {
    auto* input = any(model.mutable_graph()->mutable_input(), random_());
    if (input == nullptr) return;
    auto& type = *input->mutable_type()->mutable_tensor_type();
    auto& dims = *type.mutable_shape()->mutable_dim();
    auto* dim = any(&dims, random_());
    size_t const what = below(8);
    if (what == 0) return type.set_elem_type(static_cast<int>(below(18)));
    if (what == 1 && dim) return dims.RemoveLast();
    if (what == 2) return type.mutable_shape()->add_dim()->set_dim_value(static_cast<int64_t>(below(4)));
    if (dim == nullptr) return;
    if (what < 6) return dim->set_dim_param(chance(2) ? "N" : "M");
    dim->set_dim_value(chance(2) ? static_cast<int64_t>(below(6)) : number());
}

void Damage::damageInitializer(Proto& model) {
    auto* tensor = any(model.mutable_graph()->mutable_initializer(), random_());
    if (tensor == nullptr) return;
    if (chance(8)) return tensor->set_data_type(static_cast<int>(below(18)));
    if (chance(8) && tensor->dims_size() > 0) return tensor->set_dims(0, static_cast<int64_t>(below(5)));
    if (tensor->int64_data_size() > 0)
        tensor->set_int64_data(static_cast<int>(below(static_cast<size_t>(tensor->int64_data_size()))), number());
    if (tensor->float_data_size() > 0)
        tensor->set_float_data(static_cast<int>(below(static_cast<size_t>(tensor->float_data_size()))), real());
    auto& raw = *tensor->mutable_raw_data();
    size_t const size = tensor->data_type() == proto::TensorProto::INT64 ? 8 : 4;
    if (raw.size() < size) return;
    int64_t const integer = number();
    float const value = real();
    void const* const from = size == 8 ? static_cast<void const*>(&integer) : &value;
    std::memcpy(raw.data() + below(raw.size() / size) * size, from, size);
}

/// A constant becomes an input, or an input a constant.
void Damage::exchangeInput(Proto& model) {
    auto& graph = *model.mutable_graph();
    if (chance(2)) {
        if (graph.initializer_size() == 0) return;
        auto const& tensor = graph.initializer(graph.initializer_size() - 1);
        auto& input = *graph.add_input();
        input.set_name(tensor.name());
        input.mutable_type()->mutable_tensor_type()->set_elem_type(tensor.data_type());
        auto& shape = *input.mutable_type()->mutable_tensor_type()->mutable_shape();
        for (int64_t const extent : tensor.dims()) shape.add_dim()->set_dim_value(extent);
        return graph.mutable_initializer()->RemoveLast();
    }
    if (graph.input_size() == 0) return;
    auto const& input = graph.input(graph.input_size() - 1);
    auto& tensor = *graph.add_initializer();
    tensor.set_name(input.name());
    tensor.set_data_type(proto::TensorProto::INT64);
    tensor.add_dims(static_cast<int64_t>(below(4)));
    for (int64_t i = 0; i < tensor.dims(0); ++i) tensor.add_int64_data(number());
}

void Damage::damageBytes(std::string& bytes) {
    for (size_t times = 1 + below(6); times > 0 && !bytes.empty(); --times) {
        size_t const at = below(bytes.size());
        switch (below(5)) {
        case 0: bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8))); break;
        case 1: bytes[at] = static_cast<char>(random_()); break;
        case 2: bytes.erase(at, 1 + below(8)); break;
        case 3: bytes.insert(at, bytes.substr(below(bytes.size()), 1 + below(16))); break;
        default:
            if (chance(4)) bytes.resize(at);
        }
    }
}

} // namespace tenon::test
