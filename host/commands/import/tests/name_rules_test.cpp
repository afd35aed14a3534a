// SPDX-License-Identifier: Apache-2.0
#include "commands/import/name_rules.hpp"

#include <algorithm>

#include "commands/import/layouts.hpp"
#include "support/catch.hpp"

namespace name_rules_test {

using namespace tenon;
using Catch::Matchers::ContainsSubstring;

namespace {

ForeignTensor counting(std::string name, std::vector<std::int64_t> shape, double from = 0) {
    ForeignTensor out{.name = std::move(name), .shape = std::move(shape), .values = {}};
    std::int64_t size = 1;
    for (const std::int64_t extent : out.shape) {
        size *= extent;
    }
    for (std::int64_t i = 0; i < size; ++i) {
        out.values.push_back(from + static_cast<double>(i));
    }
    return out;
}

std::vector<NamedTensor> applied(const std::vector<std::string>& rules, const std::vector<ForeignTensor>& tensors) {
    std::vector<NameRule> read;
    for (const std::string& rule : rules) {
        read.push_back(*read_name_rule(rule));
    }
    Result<std::vector<NamedTensor>> out = apply(read, tensors, "f");
    REQUIRE(out);
    return *out;
}

const NamedTensor& named(const std::vector<NamedTensor>& all, const std::string& name) {
    const auto found = std::ranges::find(all, name, &NamedTensor::name);
    INFO(name);
    REQUIRE(found != all.end());
    return *found;
}

using Values = std::vector<double>;

}  // namespace

TEST_CASE("a prefix becomes another, and other names stay") {
    const auto out = applied({"pi.=actor/"}, {counting("pi.0.weight", {1}), counting("vf.0.weight", {1})});
    CHECK(out.size() == 2);
    named(out, "actor/0.weight");
    named(out, "vf.0.weight");
}

TEST_CASE("a number in a name is the same on both sides") {
    const auto out =
        applied({"h.{n}.ln_{n}.=actor/block{n}.norm."},
                {counting("h.12.ln_12.bias", {1}), counting("h.1.ln_2.bias", {1}), counting("h..ln_.x", {1})});
    named(out, "actor/block12.norm.bias");
    named(out, "h.1.ln_2.bias");
    named(out, "h..ln_.x");
}

TEST_CASE("matrices are transposed, vectors are not") {
    const auto out = applied({"c.=actor/d.:t"}, {counting("c.weight", {2, 3}), counting("c.bias", {3})});
    CHECK(named(out, "actor/d.weight").tensor.shape == std::vector<std::int64_t>{3, 2});
    CHECK(named(out, "actor/d.weight").tensor.values == Values{0, 3, 1, 4, 2, 5});
    CHECK(named(out, "actor/d.bias").tensor.values == Values{0, 1, 2});
}

TEST_CASE("parts of a fused tensor become parameters, after it is transposed") {
    const std::vector<std::string> rules = {"qkv.[0/3]=actor/q.:t", "qkv.[1/3]=actor/k.:t", "qkv.[2/3]=actor/v.:t"};
    const auto out = applied(rules, {counting("qkv.weight", {2, 3}), counting("qkv.bias", {6})});
    CHECK(out.size() == 6);
    CHECK(named(out, "actor/k.weight").tensor.values == Values{1, 4});
    CHECK(named(out, "actor/k.weight").tensor.shape == std::vector<std::int64_t>{1, 2});
    CHECK(named(out, "actor/v.bias").tensor.values == Values{4, 5});
    const Result<std::vector<NamedTensor>> uneven =
        apply({*read_name_rule(rules[0])}, {counting("qkv.bias", {4})}, "f");
    REQUIRE(!uneven);
    CHECK_THAT(uneven.error().sentence, ContainsSubstring("qkv.bias is [4], which has no 3 equal parts"));
}

TEST_CASE("separate tensors become one parameter, in the order of their places") {
    const std::vector<std::string> rules = {"v.=actor/qkv.[2]", "q.=actor/qkv.[0]", "k.=actor/qkv.[1]"};
    const auto out = applied(
        rules, {counting("k.weight", {1, 2}, 10), counting("v.weight", {1, 2}, 20), counting("q.weight", {2, 2})});
    CHECK(out.size() == 1);
    CHECK(out[0].tensor.shape == std::vector<std::int64_t>{4, 2});
    CHECK(out[0].tensor.values == Values{0, 1, 2, 3, 10, 11, 20, 21});
    CHECK(out[0].tensor.name == "q.weight + k.weight + v.weight");
    std::vector<NameRule> read;
    for (const std::string& rule : rules) {
        read.push_back(*read_name_rule(rule));
    }
    const auto sentence = [&](const std::vector<ForeignTensor>& tensors) {
        const Result<std::vector<NamedTensor>> refused = apply(read, tensors, "f");
        REQUIRE(!refused);
        return refused.error().sentence;
    };
    CHECK_THAT(sentence({counting("q.w", {1}), counting("v.w", {1})}),
               ContainsSubstring("part 1 of actor/qkv.w is missing"));
    CHECK_THAT(sentence({counting("q.w", {1, 2}), counting("k.w", {1, 3})}),
               ContainsSubstring("q.w and k.w do not go together in actor/qkv.w: [1, 2] and [1, 3]"));
}

TEST_CASE("rules with the same beginning all apply, so that a tensor becomes two parameters") {
    const auto out = applied({"wte.=actor/tokens.", "wte.=actor/head.", "w=actor/x"}, {counting("wte.weight", {1})});
    CHECK(out.size() == 2);
    named(out, "actor/tokens.weight");
    named(out, "actor/head.weight");
}

TEST_CASE("what is no rule is refused") {
    for (const char* text : {"actor", "=actor/", "pi.=actor", "pi.=actor/{n}", "pi.[3/3]=actor/", "pi.[x]=actor/",
                             "pi.=actor/[x]", "pi.=actor/[-1]"}) {
        CAPTURE(text);
        const Result<NameRule> read = read_name_rule(text);
        REQUIRE(!read);
        CHECK_THAT(read.error().sentence, ContainsSubstring("--map must be FROM=NETWORK/NAME"));
    }
}

TEST_CASE("layouts say what becomes of the tensors of GPT-2 and Llama") {
    const std::vector<ForeignTensor> gpt2 = {counting("wte.weight", {5, 2}), counting("h.3.attn.c_attn.weight", {2, 6}),
                                             counting("h.3.attn.c_attn.bias", {6}),
                                             counting("h.3.mlp.c_proj.weight", {8, 2}), counting("ln_f.bias", {2})};
    for (const std::string prefix : {"", "transformer."}) {
        std::vector<ForeignTensor> tensors = gpt2;
        for (ForeignTensor& tensor : tensors) {
            tensor.name.insert(0, prefix);
        }
        const Result<std::vector<NamedTensor>> out = apply(*rules_of_layout("gpt2"), tensors, "f");
        REQUIRE(out);
        CHECK(out->size() == gpt2.size());
        CHECK(named(*out, "actor/tokens.weight").tensor.shape == std::vector<std::int64_t>{5, 2});
        CHECK(named(*out, "actor/block3.qkv.weight").tensor.shape == std::vector<std::int64_t>{6, 2});
        CHECK(named(*out, "actor/block3.down.weight").tensor.shape == std::vector<std::int64_t>{2, 8});
        named(*out, "actor/block3.qkv.bias");
        named(*out, "actor/norm.bias");
    }
    const Result<std::vector<NamedTensor>> llama =
        apply(*rules_of_layout("llama"),
              {counting("model.layers.0.self_attn.q_proj.weight", {4, 4}),
               counting("model.layers.0.self_attn.k_proj.weight", {2, 4}),
               counting("model.layers.0.self_attn.v_proj.weight", {2, 4}, 50), counting("model.norm.weight", {4})},
              "f");
    REQUIRE(llama);
    CHECK(named(*llama, "actor/block0.qkv.weight").tensor.shape == std::vector<std::int64_t>{8, 4});
    CHECK(named(*llama, "actor/block0.qkv.weight").tensor.values[24] == 50);
    named(*llama, "actor/norm.weight");
    const Result<std::vector<NamedTensor>> other =
        apply(*rules_of_layout("llama=judge"), {counting("model.norm.weight", {4})}, "f");
    REQUIRE(other);
    named(*other, "judge/norm.weight");
    const Result<std::vector<NameRule>> none = rules_of_layout("bert");
    REQUIRE(!none);
    CHECK(none.error().help == "layouts: gpt2, llama");
}

}  // namespace name_rules_test
