// SPDX-License-Identifier: Apache-2.0
// Names that end up in files and in sentences.
#include <string>
#include <string_view>
#include <vector>

#include "wrong_in_c.hpp"

namespace names_test {

using namespace tenon;
using namespace tenon::test;

TEST_CASE("names that end up in files are made of letters, digits and few others") {
    const auto named = [](const char* op, std::string_view name) -> AuthorInC::Body {
        return [op, name](const InC& c) {
            const bool takes = op != std::string_view("parameter") && op != std::string_view("stage");
            std::vector<tn_attribute> attributes = {text_in_c(op == std::string_view("write") ? "key" : "name", name)};
            if (op == std::string_view("stage")) {
                attributes.push_back(attribute_in_c("owns", TN_ATTRIBUTE_STRINGS));
            }
            c.emit(op, takes ? std::vector{c.column("next.reward")} : std::vector<tn_value>{}, attributes);
        };
    };
    const char* const letters = "may hold letters, digits, '_', '-', '.' and '/' only";
    const std::string metric = std::string("the name of a metric, 'q value', ") + letters;
    static const std::string long_name(129, 'x');
    check_refused(
        {{"a newline", named("metric", "q\nvalue"), metric.c_str()},
         {"a blank", named("metric", "q value"), metric.c_str()},
         {"a carriage return", named("metric", "q\rvalue"), metric.c_str()},
         {"an escape", named("metric", "q\x1bvalue"), metric.c_str()},
         {"a quote", named("metric", "q\"value"), "the name of a metric, 'q\"value', may hold letters"},
         {"a comma", named("metric", "q,value"), "the name of a metric, 'q,value', may hold letters"},
         {"a backslash", named("metric", "q\\value"), "the name of a metric, 'q\\value', may hold letters"},
         {"no UTF-8", named("metric", "q\xff"), "the name of a metric, 'q\xEF\xBF\xBD', may hold letters"},
         {"a zero", named("metric", std::string_view("q\0value", 7)), metric.c_str()},
         {"nothing", named("metric", ""), "the name of a metric, '', is empty"},
         {"too long", named("metric", long_name), "is longer than 128 characters"},
         {"a loss", named("rows", "q,value"), "the name of a loss, 'q,value', may hold letters"},
         {"a stage", named("stage", "q,value"), "the name of a stage, 'q,value', may hold letters"},
         {"a parameter", named("parameter", "q,value"), "the name of a parameter, 'q,value', may hold letters"},
         {"a control", named("control", "q,value"), "the name of a control, 'q,value', may hold letters"},
         {"a column", named("write", "q/value"),
          "the name of a column, 'q/value', may hold letters, digits, '_', '-' and dots only"},
         {"the host's loss", named("metric", "loss"),
          "the name of a metric, 'loss', is one of those that the host records under train/"},
         {"one of the host's losses", named("metric", "loss/q"), "the name of a metric, 'loss/q', is one of those"},
         {"the host's updates", named("metric", "n_updates"), "the name of a metric, 'n_updates', is one of those"},
         {"updates left out", named("metric", "n_left_out"), "the name of a metric, 'n_left_out', is one of those"},
         {"a rate", named("metric", "learning_rate"), "the name of a metric, 'learning_rate', is one of those"},
         {"a norm", named("metric", "grad_norm/update"), "the name of a metric, 'grad_norm/update', is one of those"}},
        kRows);
    World world;
    AuthorInC author([&](const InC& c) {
        for (const char* name : {"q_value", "Q-value", "q/1.5", "losses", "loss_of_q"}) {
            named("metric", name)(c);
        }
    });
    CHECK(world.build(author.unit()).metrics.size() == 5);
    CHECK(world.problems.empty());
}

TEST_CASE("the networks that a stage owns have names that a sentence can show") {
    World world;
    AuthorInC author([](const InC& c) {
        static const tn_str owned = {"q\n\xff", 3};
        tn_attribute owns = attribute_in_c("owns", TN_ATTRIBUTE_STRINGS);
        owns.texts = &owned;
        owns.count = 1;
        c.emit("stage", {}, {text_in_c("name", "critic"), owns});
    });
    const graph::Graph graph = world.build(author.unit());
    REQUIRE(graph.stages.size() == 1);
    CHECK(graph.stages[0].owns == std::vector<std::string>{"q \xEF\xBF\xBD"});
}

}  // namespace names_test
