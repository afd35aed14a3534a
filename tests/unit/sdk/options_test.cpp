// SPDX-License-Identifier: Apache-2.0
#include "tenon/options.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/plugin_instance.hpp"
#include "tenon/actor_critic.hpp"
#include "tenon/bind_options.hpp"
#include "tenon/objective.hpp"

namespace options_test {

using Catch::Matchers::ContainsSubstring;

namespace {

struct Everything {
    bool flag;
    std::int64_t count;
    std::uint8_t small;
    float rate;
    std::string mode;
    std::vector<int> sizes;
    std::vector<double> weights;
    std::vector<std::string> names;
    tenon::Table table;
    double epsilon;
    bool was_set_up = false;

    static constexpr auto options = std::tuple{
        tenon::option<&Everything::flag>("flag", true, "a flag"),
        tenon::option<&Everything::count>("count", -3, "[-10,10]", "a count"),
        tenon::option<&Everything::small>("small", 200, "[0,1000]", "a small count"),
        tenon::option<&Everything::rate>("rate", 0.25, "(0,1]", "a rate"),
        tenon::option<&Everything::mode>("mode", "fast", "fast|slow", "a mode"),
        tenon::option<&Everything::sizes>("sizes", {120, 84}, "[1,inf)", "sizes"),
        tenon::option<&Everything::weights>("weights", {}, "", "weights"),
        tenon::option<&Everything::names>("names", {"a", "b"}, "a|b|c", "names"),
        tenon::option<&Everything::table>("table", "a table"),
        tenon::live<&Everything::epsilon>("epsilon", 0.5, "[0,1]", "a live number"),
        tenon::live("temperature", 1, "(0,inf)", "a live number without a member"),
    };

    void setup() { was_set_up = true; }
};

// Enough of an adapter to look at what configure did.
struct Adapter {
    explicit Adapter(const tn_create_args& args) { tenon::configure(author, args); }
    static const void* get_interface(std::string_view) { return nullptr; }
    Everything author{};
};

constexpr auto kComponent = tenon::component<Adapter, Everything>("everything", "env", "options of every type");

// As objectives were written before there were estimators by name.
struct Gae : tenon::ActorCritic {
    void prepare(const tenon::Graph& g) const { prepare_advantage(g); }
    void update(const tenon::Graph& g) const { value_rows(g); }
    static constexpr auto options =
        std::tuple_cat(tenon::ActorCritic::gae_options, std::tuple{tenon::live("beta", 0.5, "", "x")});
};
constexpr auto kGae = tenon::objective<Gae>("gae", "x");

}  // namespace

TEST_CASE("every type of option reaches its member") {
    tenon::test::PluginHost host;
    const tenon::test::PluginInstance instance(host, kComponent);
    REQUIRE(instance.status() == TN_OK);
    const Everything& author = static_cast<Adapter*>(instance.self())->author;
    CHECK(author.flag);
    CHECK(author.count == -3);
    CHECK(author.small == 200);
    CHECK(author.rate == 0.25F);
    CHECK(author.mode == "fast");
    CHECK(author.sizes == std::vector{120, 84});
    CHECK(author.weights.empty());
    CHECK(author.names == std::vector<std::string>{"a", "b"});
    CHECK(author.table.json == "{}");
    CHECK(author.epsilon == 0.5);
    CHECK(author.was_set_up);
}

TEST_CASE("gae_options are the options of an actor and critic with an estimator, which is GAE by default") {
    tenon::test::PluginHost host;
    std::string estimator;
    const tenon::test::PluginInstance instance(host, kGae, 0, [&](auto& options) {
        estimator = tenon::to_view(options["estimator"].text);
        for (const char* name : {"gamma", "lambda", "value_coefficient", "beta"}) {
            CHECK(options[name].real > 0);
        }
    });
    CHECK(instance.status() == TN_OK);
    CHECK(estimator == "gae");
}

TEST_CASE("what the host passes wins over the defaults") {
    tenon::test::PluginHost host;
    const tenon::test::PluginInstance instance(host, kComponent, 0, [](auto& options) {
        options["flag"].integer = 0;
        options["rate"].real = 0.75;
        options["mode"].text = tenon::to_str("slow");
        options["table"].text = tenon::to_str(R"({"a":1})");
    });
    REQUIRE(instance.status() == TN_OK);
    const Everything& author = static_cast<Adapter*>(instance.self())->author;
    CHECK(!author.flag);
    CHECK(author.rate == 0.75F);
    CHECK(author.mode == "slow");
    CHECK(author.table.json == R"({"a":1})");
}

TEST_CASE("a host that passes something else is told which option") {
    tenon::test::PluginHost host;
    const auto refused = [&](auto change, const std::string& why) {
        const tenon::test::PluginInstance instance(host, kComponent, 0, change);
        CHECK(instance.status() == TN_INVALID_ARGUMENT);
        CHECK(instance.self() == nullptr);
        CHECK_THAT(host.error, ContainsSubstring(why));
    };
    refused([](auto& options) { options["count"].type = TN_OPTION_FLOAT; },
            "option 'count' was passed with another type than int");
    refused([](auto& options) { options["rate"].name = tenon::to_str("speed"); }, "option 'rate' was not passed");
    refused([](auto& options) { options["rate"].struct_size = 8; }, "option 'rate' was not passed");
    refused([](auto& options) { options["small"].integer = 300; },
            "option 'small' is 300, which the plugin's type cannot hold");
}

TEST_CASE("options are found in any order") {
    tenon::test::PluginHost host;
    const tenon::test::PluginInstance instance(host, kComponent, 0,
                                               [](auto& options) { std::swap(options["count"], options["flag"]); });
    REQUIRE(instance.status() == TN_OK);
    CHECK(static_cast<Adapter*>(instance.self())->author.count == -3);
}

TEST_CASE("ranges and defaults are checked as they are written") {
    CHECK(tenon::option_range("[0.05,1]").contains(0.05));
    CHECK(!tenon::option_range("(0.05,1]").contains(0.05));
    CHECK(tenon::option_range("(0,2.5e-4)").high == 2.5e-4);
    CHECK(tenon::option_range("[-inf,-1e22]").high == -1e22);
    CHECK(tenon::option_range("").contains(-1e300));
    for (const char* slip : {"0,1", "[0;1]", "[1,0]", "[,1]", "[0,1", "[a,1]", "[0,1e400]", "[0.1.2,1]"}) {
        CAPTURE(slip);
        CHECK_THROWS(tenon::option_range(slip));
    }
    CHECK_THROWS(tenon::check_default(2.0, "[0,1]"));
    CHECK_THROWS(tenon::check_default(std::int64_t{-1}, "[0,inf)"));
    CHECK_THROWS(tenon::check_default(std::string_view("medium"), "fast|slow"));
    CHECK_NOTHROW(tenon::check_default(std::string_view("slow"), "fast|slow"));
    CHECK_THROWS(tenon::check_default(std::string_view("fas"), "fast|slow"));
}

}  // namespace options_test
