// SPDX-License-Identifier: Apache-2.0
// What values a schema takes, and the sentence for those that it does not.
#include "config/option/schema.hpp"

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

namespace schema_test {

using tenon::OptionSchema;
using tenon::OptionType;
using tenon::OptionValue;
using tenon::to_toml;

namespace {

OptionSchema schema(OptionType type, std::string range = {}, std::vector<std::string> choices = {}) {
    OptionSchema out;
    out.type = type;
    out.range = std::move(range);
    out.choices = std::move(choices);
    return out;
}

std::string refusal(const OptionSchema& wanted, const OptionValue& value) {
    const tenon::Result<OptionValue> result = conform(wanted, value, "x.y");
    return result ? "accepted" : result.error().sentence;
}

using Ints = std::vector<std::int64_t>;
using Floats = std::vector<double>;
using Strings = std::vector<std::string>;

}  // namespace

TEST_CASE("ranges know which ends belong to them") {
    const std::optional<tenon::Range> range = tenon::parse_range("[0,1)");
    REQUIRE(range);
    CHECK(range->contains(0));
    CHECK(range->contains(0.999));
    CHECK_FALSE(range->contains(1));
    CHECK_FALSE(range->contains(-1e-9L));
    const std::optional<tenon::Range> positive = tenon::parse_range("( 0, inf )");
    REQUIRE(positive);
    CHECK_FALSE(positive->contains(0));
    CHECK(positive->contains(1e308));
    CHECK_FALSE(positive->contains(std::numeric_limits<double>::infinity()));
    CHECK_FALSE(positive->contains(std::numeric_limits<double>::quiet_NaN()));
    CHECK(tenon::parse_range("[-inf,-1e15]")->contains(-std::numeric_limits<double>::infinity()));
}

TEST_CASE("what is no range is refused") {
    for (const char* text :
         {"", "0,1", "[0;1]", "[1,0]", "[0,1", "0,1]", "[,1]", "[0,1]x", "[a,b]", "[nan,1]", "[,]", "[]"}) {
        CAPTURE(text);
        CHECK_FALSE(tenon::parse_range(text));
    }
}

TEST_CASE("type names come back as types") {
    for (const OptionType type : {OptionType::kBool, OptionType::kInt, OptionType::kFloat, OptionType::kString,
                                  OptionType::kInts, OptionType::kFloats, OptionType::kStrings, OptionType::kTable}) {
        CHECK(tenon::option_type(name_of(type)) == type);
    }
    CHECK_FALSE(tenon::option_type("double"));
}

TEST_CASE("a table is taken as it is, and is no list") {
    const tenon::OptionTable table{.json = R"({"a":1})", .toml = "{ a = 1 }"};
    CHECK(*conform(schema(OptionType::kTable), table, "x") == OptionValue(table));
    CHECK(to_toml(OptionValue(table)) == "{ a = 1 }");
    CHECK_FALSE(tenon::is_list(OptionType::kTable));
    CHECK(refusal(schema(OptionType::kTable), Ints{}) == "x.y must be a table, but is a list of ints");
    CHECK(refusal(schema(OptionType::kInts), table) == "x.y must be a list of ints, but is a table");
}

TEST_CASE("an int serves as a float and an empty list as any list") {
    CHECK(*conform(schema(OptionType::kFloat), std::int64_t{3}, "x") == OptionValue(3.0));
    CHECK(*conform(schema(OptionType::kFloats), Ints{1, 2}, "x") == OptionValue(Floats{1, 2}));
    CHECK(*conform(schema(OptionType::kStrings), Ints{}, "x") == OptionValue(Strings{}));
    CHECK(*conform(schema(OptionType::kInts), Strings{}, "x") == OptionValue(Ints{}));
}

TEST_CASE("a wrong type is said with both types") {
    CHECK(refusal(schema(OptionType::kInt), std::string("3")) == "x.y must be an int, but is a string");
    CHECK(refusal(schema(OptionType::kInt), 3.0) == "x.y must be an int, but is a float");
    CHECK(refusal(schema(OptionType::kBool), std::int64_t{1}) == "x.y must be a bool, but is an int");
    CHECK(refusal(schema(OptionType::kInts), Floats{1}) == "x.y must be a list of ints, but is a list of floats");
    CHECK(refusal(schema(OptionType::kString), Strings{"a"}) == "x.y must be a string, but is a list of strings");
}

TEST_CASE("a value out of range is said with the range") {
    CHECK(refusal(schema(OptionType::kInt, "[1,8]"), std::int64_t{0}) == "x.y must be in [1,8], but is 0");
    CHECK(refusal(schema(OptionType::kInt, "[1,8]"), std::int64_t{8}) == "accepted");
    CHECK(refusal(schema(OptionType::kFloat, "(0,1]"), std::int64_t{0}) == "x.y must be in (0,1], but is 0.0");
    CHECK(refusal(schema(OptionType::kFloats, "[0,1]"), Floats{0.5, 1.5}) == "x.y[1] must be in [0,1], but is 1.5");
    CHECK(refusal(schema(OptionType::kFloat, "[0,1]"), std::numeric_limits<double>::quiet_NaN()) ==
          "x.y must be in [0,1], but is nan");
}

TEST_CASE("large ints are compared exactly") {
    const OptionSchema seed = schema(OptionType::kInt, "[0,9007199254740992]");
    CHECK(refusal(seed, std::int64_t{9007199254740992}) == "accepted");
    CHECK(refusal(seed, std::int64_t{9007199254740993}) ==
          "x.y must be in [0,9007199254740992], but is 9007199254740993");
}

TEST_CASE("a wrong choice is said with the choices and the nearest one") {
    const OptionSchema dtype = schema(OptionType::kString, {}, {"float32", "float64"});
    CHECK(refusal(dtype, std::string("float23")) ==
          "x.y must be 'float32' or 'float64', but is 'float23'; did you mean 'float32'?");
    CHECK(refusal(dtype, std::string("int")) == "x.y must be 'float32' or 'float64', but is 'int'");
    CHECK(refusal(schema(OptionType::kStrings, {}, {"a", "b", "c"}), Strings{"a", "quite else"}) ==
          "x.y[1] must be 'a', 'b' or 'c', but is 'quite else'");
}

TEST_CASE("values become TOML") {
    CHECK(to_toml(OptionValue(true)) == "true");
    CHECK(to_toml(OptionValue(std::numeric_limits<std::int64_t>::min())) == "-9223372036854775808");
    CHECK(to_toml(OptionValue(2.0)) == "2.0");
    CHECK(to_toml(OptionValue(std::string("a\"b"))) == R"("a\"b")");
    CHECK(to_toml(OptionValue(Ints{})) == "[]");
    CHECK(to_toml(OptionValue(Floats{1, 0.5})) == "[1.0, 0.5]");
    CHECK(to_toml(OptionValue(Strings{"a", "b"})) == R"(["a", "b"])");
}

TEST_CASE("a name that was not written to its end is found where only one begins so") {
    const std::vector<std::string_view> names = {"entropy_coefficient", "entropy_target_of_all", "value_coefficient"};
    CHECK(tenon::nearest("value_coef", names) == "value_coefficient");
    CHECK(tenon::nearest("entropy_coeff", names) == "entropy_coefficient");
    CHECK(tenon::nearest("entropy_", names).empty());
    CHECK(tenon::nearest("val", names).empty());
    CHECK(tenon::nearest("ENTROPY_Coefficient", names) == "entropy_coefficient");
    CHECK(tenon::nearest("PPO", {"a2c", "ppo"}) == "ppo");  // in other letters
    CHECK(tenon::nearest("mean_reward", {"eval/mean_reward", "eval/mean_ep_length"}) == "eval/mean_reward");
    CHECK(tenon::nearest("loss", {"train/loss", "other/loss"}).empty());
    CHECK(tenon::nearest("gpu", {"auto", "cpu", "device"}).empty());  // of short words the first letter counts
    CHECK(tenon::nearest("pcu", {"auto", "cpu", "device"}) == "cpu");
    CHECK(tenon::nearest("dqm", {"ppo", "dqn"}) == "dqn");
    CHECK(tenon::nearest("ac", {"ppo", "sac"}) == "sac");
}

}  // namespace schema_test
