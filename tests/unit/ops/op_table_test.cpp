// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <string>

#include "compute/graph/op.hpp"
#include "support/catch.hpp"

namespace op_table_test {

using namespace tenon::graph;

TEST_CASE("an op is found by its exact name and revision") {
    const OpDef* sum = find_op("sum", 1);
    REQUIRE(sum != nullptr);
    CHECK(sum->name == "sum");
    CHECK(sum->rule == Rule::kReduce);
    REQUIRE(sum->inputs.size() == 1);
    REQUIRE(sum->attributes.size() == 1);
    CHECK(sum->attributes[0].name == "axis");
    CHECK(sum->attributes[0].standard == "-1");
    CHECK_FALSE(sum->attributes[0].required);
    CHECK(find_op("sum", 2) == nullptr);
    CHECK(find_op("sum", 0) == nullptr);
    CHECK(find_op("su", 1) == nullptr);
    CHECK(find_op("", 1) == nullptr);
}

TEST_CASE("revisions of a name come newest first") {
    CHECK(revisions_of("nothing").empty());
    REQUIRE(revisions_of("gather").size() == 1);
    CHECK(revisions_of("gather").front().revision == 1);
    for (const OpDef& op : op_table()) {
        const auto revisions = revisions_of(op.name);
        REQUIRE_FALSE(revisions.empty());
        for (std::size_t i = 1; i < revisions.size(); ++i) {
            CHECK(revisions[i - 1].revision > revisions[i].revision);
        }
        CHECK(find_op(op.name, op.revision) == &op);
    }
}

TEST_CASE("the table is consistent") {
    REQUIRE_FALSE(op_table().empty());
    std::set<std::string> seen;
    for (const OpDef& op : op_table()) {
        INFO(std::string(op.name));
        CHECK(seen.insert(std::string(op.name) + "/" + std::to_string(op.revision)).second);
        CHECK_FALSE(op.summary.empty());
        CHECK((op.results == 1 || op.rule == Rule::kSpecial));
        CHECK(op.random == (op.rule == Rule::kRandom));
        for (std::size_t i = 0; i < op.inputs.size(); ++i) {
            CHECK((!op.inputs[i].variadic || i + 1 == op.inputs.size()));
        }
        for (const AttributeDef& attribute : op.attributes) {
            CHECK((!attribute.required || attribute.standard.empty()));
        }
    }
}

TEST_CASE("an op's number is its place in the table, and another revision has another number") {
    REQUIRE(op_table().size() == static_cast<std::size_t>(OpId::kCount));
    for (std::size_t i = 0; i < op_table().size(); ++i) {
        CHECK(op_table()[i].id == static_cast<OpId>(i));
        CHECK(&op_of(static_cast<OpId>(i)) == &op_table()[i]);
    }
    CHECK(find_op("call", 2)->id == OpId::kCall_2);
    CHECK(find_op("call", 1)->id == OpId::kCall_1);
    CHECK(OpId::kCall_1 != OpId::kCall_2);
}

TEST_CASE("tables and sets of ops hold what was listed, and nothing else") {
    constexpr ByOp<int> kTable{{OpId::kAdd_1, 3}, {OpId::kCall_2, 5}};
    constexpr OpSet kSet{OpId::kAdd_1, OpId::kCall_2};
    CHECK(kTable[OpId::kAdd_1] == 3);
    CHECK(kTable[OpId::kCall_2] == 5);
    CHECK(kTable[OpId::kCall_1] == 0);
    CHECK(kSet.has(OpId::kCall_2));
    CHECK_FALSE(kSet.has(OpId::kCall_1));
}

}  // namespace op_table_test
