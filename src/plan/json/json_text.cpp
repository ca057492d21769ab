// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/json/json_text.h"

#include "base/error.h"

namespace tenon {
namespace {

/// Printing and traversing JSON are recursive. Shape expressions nest up to 200 levels, below a few of ours.
constexpr size_t kMostNested = 1000;

using Members = Json::object_t::Container;

/// A vector of pairs with constant keys would grow by deep copies of all elements; this one moves them.
void makeRoom(Members& members) {
    if (members.size() < members.capacity()) return;
    Members larger;
    larger.reserve(2 * members.size() + 8);
    for (auto& [key, value] : members) larger.emplace_back(std::move(const_cast<std::string&>(key)), std::move(value));
    members.swap(larger);
}

/// Puts each parsed value directly into its parent, without temporary nested values.
class Builder final : public nlohmann::json_sax<Json> {
public:
    Builder(Json& root, std::string_view what) : root_(root), what_(what) {}

    bool null() override { return put(nullptr); }
    bool boolean(bool value) override { return put(value); }
    bool number_integer(number_integer_t value) override { return put(value); }
    bool number_unsigned(number_unsigned_t value) override { return put(value); }
    bool number_float(number_float_t value, string_t const&) override { return put(value); }
    bool string(string_t& value) override { return put(std::move(value)); }
    bool binary(binary_t&) override { return false; }
    bool start_object(std::size_t) override { return open(Json::value_t::object); }
    bool start_array(std::size_t) override { return open(Json::value_t::array); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(string_t& key) override {
        key_ = std::move(key);
        return true;
    }
    bool parse_error(std::size_t, std::string const&, nlohmann::detail::exception const& error) override {
        fail(ErrorCode::InvalidPlan, what_, " is not JSON: ", std::string_view(error.what()));
    }

private:
    /// The slot of the next value. Objects keep the order of keys and are searched from the front.
    Json& place() {
        if (open_.empty()) return root_;
        Json& outer = *open_.back();
        if (outer.is_array()) return outer.get_ref<Json::array_t&>().emplace_back();
        Members& members = outer.get_ref<Json::object_t&>();
        makeRoom(members);
        return members.emplace_back(std::move(key_), Json()).second;
    }

    template <class T> bool put(T&& value) {
        place() = std::forward<T>(value);
        return true;
    }

    bool open(Json::value_t kind) {
        if (open_.size() == kMostNested) fail(ErrorCode::InvalidPlan, what_, " is nested too deeply");
        Json& made = place();
        made = Json(kind);
        open_.push_back(&made); // its siblings are added after it is closed, so its address is stable until then
        return true;
    }

    bool close() {
        open_.pop_back();
        return true;
    }

    Json& root_;
    std::string_view what_;
    std::vector<Json*> open_;
    std::string key_;
};

} // namespace

JsonText::JsonText(std::string_view text, std::string_view what) {
    Builder builder(root_, what);
    Json::sax_parse(text, &builder);
}

} // namespace tenon
