// SPDX-License-Identifier: Apache-2.0
// Several stages: which parameters a stage reads, and when. Networks are single numbers, so that every step can be
// written down: critic c with loss (c - y)^2, actor a with loss (a - version of c)^2.
#include <cmath>
#include <optional>
#include <span>

#include "support.hpp"
#include "support/catch.hpp"

namespace stages_test {

using namespace tenon;
using namespace tenon::test;

namespace {

const std::vector<double> kLive{0.1, 0.9, 0.999, 1e-8, 0.0};

struct Adam {
    double w;
    double m = 0;
    double v = 0;
    int step = 0;

    void move(double g) {
        ++step;
        m = 0.9 * m + 0.1 * g;
        v = 0.999 * v + 0.001 * g * g;
        w -= 0.1 * (m / (1 - std::pow(0.9, step))) / (std::sqrt(v / (1 - std::pow(0.999, step))) + 1e-8);
    }
};

struct TwoStages {
    Sketch sketch;
    Learner learner;
    Memory y = memory("y", DType::kF64, {}, {2.0, 4.0});
    ValueId in_y = 0;
    std::unique_ptr<Program> program;
    std::vector<double> losses;
    std::vector<double> metrics;
    double updates = 0;

    TwoStages() {
        learner.real = DType::kF64;
        add_network(learner, "critic", {{.name = "c", .shape = {}, .values = {0.5}, .trainable = true}}, true);
        add_network(learner, "actor", {{.name = "a", .shape = {}, .values = {-1.0}, .trainable = true}});
        in_y = sketch.column("y", Type{Kind::kReal, {graph::kRows}});
    }

    ValueId square_of(ValueId a, ValueId b) { return sketch.add("square", {sketch.add("sub", {a, b})}); }

    void make(std::int64_t critic_every = 1, std::int64_t actor_every = 1) {
        const ProgramSpec spec{.name = "update", .graph = &sketch.graph, .inputs = {y.port}, .outputs = {}, .seed = 0};
        auto made =
            executor(DType::kF64)->update(spec, {plan_of({0}, critic_every), plan_of({1}, actor_every)}, learner);
        INFO((made ? std::string{} : made.error().sentence));
        REQUIRE(made.has_value());
        program = std::move(*made);
    }

    // Why it was left out, if that is allowed.
    std::optional<Problem> run(StepPart part = {}, Leeway leeway = Leeway::kNone) {
        const std::vector<const void*> inputs{y.data()};
        losses.assign(sketch.graph.losses.size(), 0);
        metrics.assign(sketch.graph.metrics.size(), 0);
        Call call{.sizes = {.rows = 2},
                  .inputs = inputs,
                  .numbers = {.live = kLive, .updates = updates++},
                  .part = part,
                  .leeway = leeway,
                  .results = {.losses = losses, .metrics = metrics}};
        const Result<Computed*> done = program->run(call);
        INFO((done ? std::string{} : done.error().sentence));
        REQUIRE(done.has_value());
        return (*done)->left_out() != nullptr ? std::optional(*(*done)->left_out()) : std::nullopt;
    }

    [[nodiscard]] double critic() const { return read(learner, learner.networks[0], learner.networks[0].live, "c")[0]; }
    [[nodiscard]] double actor() const { return read(learner, learner.networks[1], learner.networks[1].live, "a")[0]; }
};

}  // namespace

TEST_CASE("parameters are read as of the start of the update unless a stage is named") {
    for (const bool after : {false, true}) {
        TwoStages two;
        const ValueId c = two.sketch.parameter("critic", "c", Type{});
        const ValueId a = two.sketch.parameter("actor", "a", Type{});
        const std::uint32_t critic = two.sketch.stage("critic", {"critic"});
        const std::uint32_t actor = two.sketch.stage("actor", {"actor"});
        two.sketch.loss("critic.q", critic, two.square_of(c, two.in_y));
        const ValueId seen = after ? two.sketch.parameter("critic", "c", Type{}, "live", "critic") : c;
        two.sketch.loss("actor.a", actor, two.square_of(a, seen));
        two.make();
        Adam by_hand_c{.w = 0.5};
        Adam by_hand_a{.w = -1};
        for (int update = 0; update < 6; ++update) {
            const double start = by_hand_c.w;
            by_hand_c.move(2 * (start - 3));  // the mean over y = 2 and 4
            by_hand_a.move(2 * (by_hand_a.w - (after ? by_hand_c.w : start)));
            two.run();
            CHECK(two.critic() == Catch::Approx(by_hand_c.w).epsilon(1e-13));
            CHECK(two.actor() == Catch::Approx(by_hand_a.w).epsilon(1e-13));
        }
    }
}

TEST_CASE("start values that a later phase still needs survive the step that changes them") {
    // the actor's loss (a c_start - c_after)^2 keeps c_start for its backward pass, while the critic has moved on
    TwoStages two;
    const ValueId c = two.sketch.parameter("critic", "c", Type{});
    const ValueId a = two.sketch.parameter("actor", "a", Type{});
    const std::uint32_t critic = two.sketch.stage("critic", {"critic"});
    const std::uint32_t actor = two.sketch.stage("actor", {"actor"});
    two.sketch.loss("critic.q", critic, two.square_of(c, two.in_y));
    const ValueId product = two.sketch.add("mul", {a, c});
    two.sketch.loss("actor.a", actor,
                    two.square_of(product, two.sketch.parameter("critic", "c", Type{}, "live", "critic")));
    two.sketch.graph.metrics.push_back({"start", c});
    two.make();
    Adam by_hand_c{.w = 0.5};
    Adam by_hand_a{.w = -1};
    for (int update = 0; update < 4; ++update) {
        const double start = by_hand_c.w;
        by_hand_c.move(2 * (start - 3));
        by_hand_a.move(2 * (by_hand_a.w * start - by_hand_c.w) * start);
        two.run();
        CHECK(two.metrics[0] == Catch::Approx(start).epsilon(1e-13));
        CHECK(two.actor() == Catch::Approx(by_hand_a.w).epsilon(1e-13));
    }
}

TEST_CASE("a stage takes the gradient of what it owns at the version it reads") {
    // the second stage owns both networks and reads the critic after the first one
    TwoStages two;
    const ValueId c = two.sketch.parameter("critic", "c", Type{});
    const std::uint32_t critic = two.sketch.stage("critic", {"critic"});
    const std::uint32_t both = two.sketch.stage("both", {"critic", "actor"});
    two.sketch.loss("critic.q", critic, two.square_of(c, two.in_y));
    const ValueId after = two.sketch.parameter("critic", "c", Type{}, "live", "critic");
    two.sketch.loss("both.a", both, two.square_of(two.sketch.parameter("actor", "a", Type{}), after));
    const ProgramSpec spec{
        .name = "update", .graph = &two.sketch.graph, .inputs = {two.y.port}, .outputs = {}, .seed = 0};
    auto made = executor(DType::kF64)->update(spec, {plan_of({0}), plan_of({0, 1})}, two.learner);
    REQUIRE(made.has_value());
    two.program = std::move(*made);
    Adam by_hand_c{.w = 0.5};
    Adam by_hand_a{.w = -1};
    for (int update = 0; update < 3; ++update) {
        by_hand_c.move(2 * (by_hand_c.w - 3));
        const double difference = by_hand_a.w - by_hand_c.w;
        by_hand_c.move(-2 * difference);
        by_hand_a.move(2 * difference);
        two.run();
        CHECK(two.critic() == Catch::Approx(by_hand_c.w).epsilon(1e-13));
        CHECK(two.actor() == Catch::Approx(by_hand_a.w).epsilon(1e-13));
    }
}

TEST_CASE("values are shared between stages and each differentiates only what it owns") {
    // one product a * c in both losses
    TwoStages two;
    const ValueId c = two.sketch.parameter("critic", "c", Type{});
    const ValueId a = two.sketch.parameter("actor", "a", Type{});
    const ValueId product = two.sketch.add("mul", {a, c});
    const std::uint32_t critic = two.sketch.stage("critic", {"critic"});
    const std::uint32_t actor = two.sketch.stage("actor", {"actor"});
    two.sketch.loss("critic.q", critic, two.square_of(product, two.in_y));
    two.sketch.loss("actor.a", actor, two.sketch.add("mul", {product, two.sketch.constant(3)}));
    two.sketch.loss("actor.b", actor, two.sketch.add("square", {a}));
    two.make();
    const double start_c = 0.5;
    const double start_a = -1;
    two.run();
    const auto gradient = [&](std::size_t network, const char* name) {
        return read(two.learner, two.learner.networks[network], two.learner.networks[network].gradient, name)[0];
    };
    CHECK(gradient(0, "c") == Catch::Approx(2 * (start_a * start_c - 3) * start_a).epsilon(1e-13));
    CHECK(gradient(1, "a") == Catch::Approx(3 * start_c + 2 * start_a).epsilon(1e-13));
}

TEST_CASE("a stage that is not due does not step, and what only it needs is not computed") {
    TwoStages two;
    const ValueId c = two.sketch.parameter("critic", "c", Type{});
    const ValueId a = two.sketch.parameter("actor", "a", Type{});
    const std::uint32_t critic = two.sketch.stage("critic", {"critic"});
    const std::uint32_t actor = two.sketch.stage("actor", {"actor"});
    two.sketch.loss("critic.q", critic, two.square_of(c, two.in_y));
    two.sketch.loss("actor.a", actor, two.square_of(a, two.sketch.parameter("critic", "c", Type{}, "live", "critic")));
    two.make(1, 3);
    Adam by_hand_c{.w = 0.5};
    Adam by_hand_a{.w = -1};
    for (int update = 0; update < 7; ++update) {
        by_hand_c.move(2 * (by_hand_c.w - 3));
        if (update % 3 == 0) {
            by_hand_a.move(2 * (by_hand_a.w - by_hand_c.w));
        }
        two.run();
        CHECK(std::isnan(two.losses[1]) == (update % 3 != 0));
        CHECK(two.critic() == Catch::Approx(by_hand_c.w).epsilon(1e-13));
        CHECK(two.actor() == Catch::Approx(by_hand_a.w).epsilon(1e-13));
    }
    CHECK(two.learner.networks[1].steps == 3);
}

TEST_CASE("states are read as of the start and written at the end") {
    TwoStages two;
    add_network(two.learner, "statistics",
                {{.name = "s", .shape = {}, .values = {1.0}, .trainable = false},
                 {.name = "t", .shape = {}, .values = {5.0}, .trainable = false}});
    const ValueId s = two.sketch.special("state",
                                         {{"name", std::string("s")},
                                          {"role", std::string("statistics")},
                                          {"slab", std::string("live")},
                                          {"version", std::string()}},
                                         Type{});
    const ValueId t = two.sketch.special("state",
                                         {{"name", std::string("t")},
                                          {"role", std::string("statistics")},
                                          {"slab", std::string("live")},
                                          {"version", std::string()}},
                                         Type{});
    two.sketch.graph.state_writes = {{"statistics/s", t},
                                     {"statistics/t", two.sketch.add("add", {s, two.sketch.constant(1)})}};
    const ValueId c = two.sketch.parameter("critic", "c", Type{});
    const ValueId a = two.sketch.parameter("actor", "a", Type{});
    two.sketch.loss("critic.q", two.sketch.stage("critic", {"critic"}),
                    two.square_of(c, two.sketch.add("mul", {two.in_y, s})));
    two.sketch.loss("actor.a", two.sketch.stage("actor", {"actor"}), two.square_of(a, two.in_y));
    two.make();
    double by_hand_s = 1;
    double by_hand_t = 5;
    for (int update = 0; update < 3; ++update) {
        const double before = two.critic();
        two.run();
        CHECK(two.losses[0] == Catch::Approx(((before - 2 * by_hand_s) * (before - 2 * by_hand_s) +
                                              (before - 4 * by_hand_s) * (before - 4 * by_hand_s)) /
                                             2));
        std::swap(by_hand_s, by_hand_t);
        by_hand_t += 1;
        const Network& network = two.learner.networks[2];
        CHECK(read(two.learner, network, network.live, "s")[0] == by_hand_s);
        CHECK(read(two.learner, network, network.live, "t")[0] == by_hand_t);
    }
}

namespace {

// A critic, an actor whose loss is the root of a times y squared, and a state that counts; then the minibatches, each
// of rows with one y, some of them together in a step.
struct Minibatch {
    double y;
    StepPart part = {};
};
std::vector<double> after(const std::vector<Minibatch>& minibatches, int left_out, const char* why) {
    TwoStages two;
    add_network(two.learner, "statistics", {{.name = "s", .shape = {}, .values = {1.0}, .trainable = false}});
    const ValueId s = two.sketch.special("state",
                                         {{"name", std::string("s")},
                                          {"role", std::string("statistics")},
                                          {"slab", std::string("live")},
                                          {"version", std::string()}},
                                         Type{});
    two.sketch.graph.state_writes = {{"statistics/s", two.sketch.add("add", {s, two.sketch.constant(1)})}};
    const ValueId c = two.sketch.parameter("critic", "c", Type{});
    const ValueId a = two.sketch.parameter("actor", "a", Type{});
    const ValueId scaled = two.sketch.add("square", {two.sketch.add("mul", {a, two.in_y})});
    two.sketch.loss("critic.q", two.sketch.stage("critic", {"critic"}), two.square_of(c, two.in_y));
    two.sketch.loss("actor.a", two.sketch.stage("actor", {"actor"}), two.sketch.add("sqrt", {scaled}));
    two.make();
    int seen = 0;
    for (const Minibatch& minibatch : minibatches) {
        two.y.f64 = {minibatch.y, minibatch.y};
        const std::optional<Problem> problem = two.run(minibatch.part, Leeway::kLeaveOut);
        seen += problem ? 1 : 0;
        if (problem) {
            CHECK_THAT(problem->sentence, Catch::Matchers::ContainsSubstring(why));
        }
    }
    CHECK(seen == left_out);
    std::vector<double> out;
    for (const Network& network : two.learner.networks) {
        out.push_back(static_cast<double>(network.steps));
        std::vector<const Slab*> slabs{&network.live, &network.target};
        for (const NamedSlab& named : network.optimiser_state) {
            slabs.push_back(&named.slab);
        }
        for (const Slab* slab : slabs) {
            const std::span<const double> values(slab->as<double>(), slab->size() / sizeof(double));
            out.insert(out.end(), values.begin(), values.end());
        }
    }
    return out;
}

}  // namespace

TEST_CASE("a minibatch that is not finite is left out and changes nothing, whichever stage it is that finds it") {
    constexpr StepPart kFirst{.first = true, .last = false};
    constexpr StepPart kLast{.first = false, .last = true};
    const std::pair<double, const char*> bad[] = {
        {std::nan(""), "the loss 'critic.q' of the stage 'critic' is nan"},
        {0.0, "the gradient of the stage 'actor' with respect to the parameter 'a' of 'actor' is not finite"}};
    for (const auto& [y, why] : bad) {
        CHECK(after({{3}, {y}, {2}}, 1, why) == after({{3}, {2}}, 0, ""));
        CHECK(after({{y}}, 1, why) == after({}, 0, ""));
        // in a step of several
        CHECK(after({{3, kFirst}, {y, kLast}}, 1, why) == after({{3}}, 0, ""));
        CHECK(after({{y, kFirst}, {3, kLast}}, 1, why) == after({{3}}, 0, ""));
        CHECK(after({{y, kFirst}, {y, kLast}, {3}}, 2, why) == after({{3}}, 0, ""));
    }
    CHECK(after({{3}}, 0, "") != after({}, 0, ""));
}

}  // namespace stages_test
