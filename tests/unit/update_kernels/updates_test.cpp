// SPDX-License-Identifier: Apache-2.0
// Whole updates on the emulated device: gradients, clipping, Adam, targets, several stages, phases and minibatches have
// the CPU's bits, and each side has what the other has changed.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/simd/level.hpp"
#include "compute/exec/deferred.hpp"
#include "compute/parameters/clip.hpp"
#include "compute/parameters/device_copies.hpp"
#include "compute/parameters/squares.hpp"
#include "engines/compiled/executor.hpp"
#include "support.hpp"
#include "support/catch.hpp"
#include "unit/update_kernels/compiler.hpp"

// Nothing is compared with the reference executor here, and libtorch is not loaded.
extern "C" tenon::Executor* tenon_torch_executor(tenon::DType /*real*/, tenon::PrintLine /*print*/,
                                                 const std::shared_ptr<tenon::Device>& /*device*/) {
    return nullptr;
}

namespace updates_test {

using namespace tenon;
using namespace tenon::test;

namespace {

#define NEEDS_FMA()                                                              \
    if (simd::level() == simd::Level::kBase) {                                   \
        SKIP("this machine has no AVX2 with FMA, or TENON_LEVEL leaves it out"); \
    }

constexpr std::int64_t kRows = 24;
constexpr std::int64_t kHidden = 16;
constexpr std::int64_t kMany = 7001;  // units of networks whose gradients are cut into parts

std::vector<double> normal(std::mt19937_64& generator, std::int64_t count, double scale = 1) {
    std::normal_distribution<double> distribution(0, scale);
    std::vector<double> out(static_cast<std::size_t>(count));
    for (double& each : out) {
        each = distribution(generator);
    }
    return out;
}

// Indices of Pair::live.
constexpr AdamPlan kAdam{.lr = 0, .beta1 = 1, .beta2 = 2, .eps = 3, .weight_decay = 4};
constexpr LambPlan kLamb{.lr = 0, .beta1 = 1, .beta2 = 2, .eps = 3, .weight_decay = 4};

// A critic with a target that learns the value of a column, and an actor that maximises the critic after its step.
struct Pair {
    Sketch sketch;
    Learner learner;
    std::mt19937_64 generator{7};
    Memory x = memory("x", DType::kF32, {3}, std::vector<double>(3 * kRows, 0.0));
    Memory reward = memory("reward", DType::kF32, {}, std::vector<double>(kRows, 0.0));
    std::vector<StagePlan> stages;
    std::vector<double> live{3e-3, 0.9, 0.999, 1e-8, 0.01, 0.1};  // ... and tau
    std::unique_ptr<Executor> executor;
    std::unique_ptr<Program> program;
    Computed* computed = nullptr;
    std::vector<double> losses{0, 0};
    std::vector<double> norms{0, 0};
    std::vector<double> metrics{0};
    std::int64_t hidden;

    explicit Pair(std::shared_ptr<Device> device, const decltype(OptimiserPlan::rule)& rule = kAdam,
                  std::int64_t units = kHidden, bool shares = false, bool columns_on_device = false)
        : hidden(units) {
        network("critic", 4, true);
        network("actor", 3, false);
        const ValueId in = sketch.column("x", Type{Kind::kReal, {graph::kRows, 3}});
        const ValueId want = sketch.column("reward", Type{Kind::kReal, {graph::kRows}});
        sketch.stage("critic", {"critic"});
        const std::vector<std::vector<std::uint32_t>> owned{{0}, shares ? std::vector{1U, 0U} : std::vector{1U}};
        sketch.stage("actor", shares ? std::vector<std::string>{"actor", "critic"} : std::vector<std::string>{"actor"});
        const ValueId now = critic(in, action(in), "live", "");
        const ValueId next_value = critic(in, action(in), "target", "");
        const ValueId error =
            sketch.add("sub", {now, sketch.add("stop_gradient", {sketch.add("add", {want, next_value})})});
        sketch.loss("value", 0, sketch.add("square", {error}));
        sketch.loss("best", 1, sketch.add("neg", {critic(in, action(in), "live", "critic")}));
        sketch.graph.metrics.push_back({"error", sketch.add("abs", {error})});
        for (std::uint32_t stage = 0; stage < 2; ++stage) {
            stages.push_back(plan_of(owned[stage], 1, stage == 0 ? 0.5 : 0));
            stages.back().optimiser.rule = rule;
            stages.back().targets.assign(owned[stage].size(), {.soft = stage == 0, .tau = 5, .every = 1});
        }
        for (Network& network : learner.networks) {
            REQUIRE(begin_optimiser(network, learner.real, {.rule = rule}));
        }
        const compiled::Setting setting{.device = std::move(device)};
        executor = compiled::make_executor(make_deferred([]() -> Result<std::unique_ptr<Executor>> {
                                               return environment_problem("there is no reference here");
                                           }),
                                           setting);
        const ProgramSpec spec{.name = "update",
                               .graph = &sketch.graph,
                               .inputs = {x.port, reward.port},
                               .outputs = {},
                               .seed = 0,
                               .residence = columns_on_device ? Residence::kInputsOnDevice : Residence::kHost};
        auto made = executor->update(spec, stages, learner);
        INFO((made ? std::string{} : made.error().sentence));
        REQUIRE(made.has_value());
        program = std::move(*made);
    }

    void network(const std::string& role, std::int64_t inputs, bool target) {
        add_network(learner, role,
                    {{.name = "a",
                      .shape = {hidden, inputs},
                      .values = normal(generator, hidden * inputs, 0.5),
                      .trainable = true},
                     {.name = "b", .shape = {hidden}, .values = normal(generator, hidden, 0.1), .trainable = true},
                     {.name = "c", .shape = {1, hidden}, .values = normal(generator, hidden, 0.5), .trainable = true}},
                    target);
    }

    ValueId layers(ValueId in, const std::string& role, std::int64_t inputs, const std::string& slab,
                   const std::string& version) {
        const auto of = [&](const char* name, std::vector<graph::Dim> dims) {
            return sketch.parameter(role, name, Type{Kind::kReal, std::move(dims)}, slab, version);
        };
        const ValueId inside =
            sketch.add("tanh", {sketch.add("linear", {in, of("a", {hidden, inputs}), of("b", {hidden})})});
        return sketch.add("linear", {inside, of("c", {1, hidden})});
    }
    ValueId action(ValueId in) { return sketch.add("tanh", {layers(in, "actor", 3, "live", "")}); }
    ValueId critic(ValueId in, ValueId by, const std::string& slab, const std::string& version) {
        return sketch.add("sum", {layers(sketch.add("concat", {in, by}), "critic", 4, slab, version)},
                          {{"axis", std::int64_t{-1}}});
    }

    Status update(int number, StepPart part = {}, Leeway leeway = Leeway::kNone) {
        std::mt19937_64 dice(static_cast<std::uint64_t>(number));
        const std::vector<double> some = normal(dice, 4 * kRows);
        x.f32.assign(some.begin(), some.begin() + 3 * kRows);
        reward.f32.assign(some.begin() + 3 * kRows, some.end());
        const std::vector<const void*> inputs{x.data(), reward.data()};
        Call call{.sizes = {.rows = kRows},
                  .inputs = inputs,
                  .numbers = {.live = live, .updates = static_cast<double>(number)},
                  .part = part,
                  .leeway = leeway,
                  .results = {.losses = losses, .metrics = metrics, .gradient_norms = norms}};
        computed = TENON_TRY(program->run(call));
        return {};
    }

    // The losses, metrics and norms of every update whose results were to be told later.
    std::vector<std::vector<double>> settled() {
        std::vector<std::vector<double>> out;
        const Results into{.losses = losses, .metrics = metrics, .gradient_norms = norms};
        REQUIRE(computed->settle(into, [&] { out.push_back(results()); }).has_value());
        return out;
    }
    [[nodiscard]] std::vector<double> results() const {
        std::vector<double> out = losses;
        out.insert(out.end(), metrics.begin(), metrics.end());
        out.insert(out.end(), norms.begin(), norms.end());
        return out;
    }

    void updates(int first, int count) {
        for (int number = first; number < first + count; ++number) {
            const Status done = update(number);
            INFO((done ? std::string{} : done.error().sentence));
            REQUIRE(done.has_value());
        }
    }

    // Of all slabs on the host.
    std::vector<std::byte> bytes(SlabKinds kinds = kAllSlabs) {
        REQUIRE(fetch_to_host(learner, kinds).has_value());
        std::vector<std::byte> out;
        const auto add = [&](const Slab& slab) {
            out.insert(out.end(), slab.as<std::byte>(), slab.as<std::byte>() + slab.size());
        };
        for (const Network& network : learner.networks) {
            add(network.live);
            add(network.target);
            add(network.gradient);
            for (const NamedSlab& state : network.optimiser_state) {
                add(state.slab);
            }
        }
        return out;
    }
};

// A network whose rows attend to each other.
struct Attends {
    Sketch sketch;
    Learner learner;
    std::mt19937_64 generator{11};
    Memory x = memory("x", DType::kF32, {4, 3}, normal(generator, 12 * kRows));
    std::vector<double> live{3e-3, 0.9, 0.999, 1e-8, 0.01};
    std::vector<double> losses{0};
    std::vector<double> norms{0};
    std::unique_ptr<Executor> executor;
    std::unique_ptr<Program> program;

    explicit Attends(std::shared_ptr<Device> device) {
        const ValueId in = sketch.column("x", Type{Kind::kReal, {graph::kRows, 4, 3}});
        std::vector<Given> parameters;
        std::vector<ValueId> inputs;
        for (const char* name : {"query", "key", "value"}) {
            parameters.push_back(
                {.name = name, .shape = {8, 3}, .values = normal(generator, 24, 0.5), .trainable = true});
            inputs.push_back(sketch.add("linear", {in, sketch.parameter("net", name, Type{Kind::kReal, {8, 3}})}));
        }
        add_network(learner, "net", parameters);
        sketch.stage("update", {"net"});
        const ValueId out = sketch.add(
            "attention", inputs,
            {{"causal", std::int64_t{1}}, {"heads", std::int64_t{2}}, {"scale", 0.0}, {"window", std::int64_t{3}}});
        const std::vector<graph::Attribute> last{{"axis", std::int64_t{-1}}};
        sketch.loss("loss", 0, sketch.add("sum", {sketch.add("sum", {sketch.add("square", {out})}, last)}, last));
        std::vector<StagePlan> stages{plan_of({0})};
        stages[0].optimiser.rule = kAdam;
        REQUIRE(begin_optimiser(learner.networks[0], learner.real, {.rule = kAdam}));
        executor = compiled::make_executor(make_deferred([]() -> Result<std::unique_ptr<Executor>> {
                                               return environment_problem("there is no reference here");
                                           }),
                                           {.device = std::move(device)});
        const ProgramSpec spec{.name = "update", .graph = &sketch.graph, .inputs = {x.port}, .outputs = {}, .seed = 0};
        auto made = executor->update(spec, stages, learner);
        INFO((made ? std::string{} : made.error().sentence));
        REQUIRE(made.has_value());
        program = std::move(*made);
    }

    std::vector<float> updated() {
        const std::vector<const void*> inputs{x.data()};
        for (int number = 0; number < 3; ++number) {
            const auto done = program->run({.sizes = {.rows = kRows},
                                            .inputs = inputs,
                                            .numbers = {.live = live, .updates = static_cast<double>(number)},
                                            .results = {.losses = losses, .gradient_norms = norms}});
            INFO((done ? std::string{} : done.error().sentence));
            REQUIRE(done.has_value());
        }
        REQUIRE(fetch_to_host(learner, kAllSlabs).has_value());
        const auto* first = learner.networks[0].live.as<float>();
        return {first, first + 72};
    }
};

}  // namespace

// A device has no kernel for attention, which becomes products there.
TEST_CASE("attention on a device is the CPU's up to rounding") {
    Attends cpu(nullptr);
    Attends on_device(open_emulated());
    REQUIRE(on_device.learner.on_device != nullptr);
    const std::vector<float> want = cpu.updated();
    const std::vector<float> have = on_device.updated();
    CHECK(cpu.norms[0] > 0.1);
    CHECK(std::abs(on_device.norms[0] - cpu.norms[0]) < 1e-5 * cpu.norms[0]);
    for (std::size_t i = 0; i < want.size(); ++i) {
        CHECK(std::abs(have[i] - want[i]) < 1e-5F);
    }
}

TEST_CASE("an update on a device has the bits of the CPU's") {
    NEEDS_FMA();
    Pair cpu(nullptr);
    Pair on_device(open_emulated());
    REQUIRE(on_device.learner.on_device != nullptr);
    for (int number = 0; number < 4; ++number) {
        cpu.updates(number, 1);
        on_device.updates(number, 1);
        CHECK(on_device.losses == cpu.losses);
        CHECK(on_device.metrics == cpu.metrics);
        CHECK(on_device.norms == cpu.norms);
        CHECK(on_device.bytes() == cpu.bytes());
    }
    CHECK(cpu.norms[0] > 0.5);  // which was clipped
}

// A step of several minibatches has other memory for gradients than one of a single minibatch. The columns of the
// emulated device are as well the host's.
TEST_CASE("results that are told later are those of their updates, whatever steps come between") {
    NEEDS_FMA();
    const StepPart parts[] = {{}, {}, {.first = true, .last = false}, {.first = false, .last = true}, {}};
    Pair cpu(nullptr);
    Pair on_device(open_emulated(), kAdam, kHidden, false, true);
    std::vector<std::vector<double>> expected;
    for (int number = 0; number < 5; ++number) {
        REQUIRE(cpu.update(number, parts[number]).has_value());
        expected.push_back(cpu.results());
        REQUIRE(on_device.update(number, parts[number], Leeway::kLater).has_value());
        CHECK(on_device.computed->is_later());
    }
    const auto bits = [](const std::vector<std::vector<double>>& all) {
        std::vector<std::uint64_t> out;
        for (const std::vector<double>& each : all) {
            for (const double number : each) {
                out.push_back(std::isnan(number) ? 1 : std::bit_cast<std::uint64_t>(number));
            }
        }
        return out;
    };
    CHECK(bits(on_device.settled()) == bits(expected));
    const bool same = on_device.bytes() == cpu.bytes();
    CHECK(same);
}

// One block has no other to wait for.
TEST_CASE("blocks of a run wait for what others write") {
    using Rule = decltype(OptimiserPlan::rule);
    const auto [rule, hidden, shares] = GENERATE(
        table<Rule, std::int64_t, bool>({{kAdam, kHidden, false}, {kLamb, kHidden, true}, {kLamb, kMany, false}}));
    CAPTURE(hidden, shares);
    Pair one(open_emulated(), rule, hidden, shares);
    Pair several(open_emulated(5), rule, hidden, shares);
    for (Pair* pair : {&one, &several}) {
        pair->updates(0, 2);
        REQUIRE(pair->update(2, {.first = true, .last = false}).has_value());
        REQUIRE(pair->update(3, {.first = false, .last = true}).has_value());
    }
    CHECK(several.norms == one.norms);
    const bool same = several.bytes() == one.bytes();
    CHECK(same);
}

TEST_CASE("updates whose loops are compiled at run time have the bits of the CPU's") {
    NEEDS_FMA();
    Pair cpu(nullptr);
    Pair on_device(compiler::device_that_compiles(JitWhen::kAlways, GENERATE(1U, 4U)));
    const int before = compiler::count;
    cpu.updates(0, 4);
    on_device.updates(0, 4);
    CHECK(compiler::count > before);
    CHECK(on_device.bytes() == cpu.bytes());
}

TEST_CASE("every optimiser on a device has the bits of the CPU's") {
    NEEDS_FMA();
    using Rule = decltype(OptimiserPlan::rule);
    std::vector<Rule> rules;
    for (const bool decoupled : {false, true}) {
        rules.push_back(AdamPlan{.lr = 0, .beta1 = 1, .beta2 = 2, .eps = 3, .weight_decay = 4, .decoupled = decoupled});
    }
    for (const bool keeps : {false, true}) {
        rules.push_back(SgdPlan{
            .lr = 0, .momentum = 1, .dampening = 4, .weight_decay = 4, .nesterov = false, .keeps_momentum = keeps});
        for (const bool centered : {false, true}) {
            rules.push_back(RmspropPlan{.lr = 0,
                                        .alpha = 1,
                                        .eps = 3,
                                        .momentum = 1,
                                        .weight_decay = 4,
                                        .centered = centered,
                                        .keeps_momentum = keeps});
        }
    }
    rules.push_back(
        SgdPlan{.lr = 0, .momentum = 1, .dampening = 6, .weight_decay = 4, .nesterov = true, .keeps_momentum = true});
    rules.emplace_back(kLamb);
    for (std::size_t i = 0; i < rules.size(); ++i) {
        for (const double weight_decay : {0.0, 0.01}) {
            CAPTURE(i, weight_decay);
            Pair cpu(nullptr, rules[i]);
            Pair on_device(open_emulated(), rules[i]);
            for (Pair* pair : {&cpu, &on_device}) {
                pair->live[4] = weight_decay;
                pair->live.push_back(0);  // no dampening
                pair->updates(0, 3);
            }
            CHECK(on_device.norms == cpu.norms);
            CHECK(on_device.bytes() == cpu.bytes());
        }
    }
}

// Of the gradient that the device has left: its large sums have other last bits than the CPU's.
TEST_CASE("the norm of a large gradient is the CPU's") {
    Pair on_device(open_emulated(), kAdam, kMany);
    on_device.updates(0, 1);
    REQUIRE(fetch_to_host(on_device.learner, kGradientSlabs).has_value());
    Network* const actor = &on_device.learner.networks[1];
    REQUIRE(square_parts(actor->layout.trainable_size) > 1);
    CHECK(on_device.norms[1] == gradient_norm(std::span(&actor, 1), on_device.learner.real, nullptr));
}

TEST_CASE("two stages on a device step one network") {
    NEEDS_FMA();
    Pair cpu(nullptr, kAdam, kHidden, true);
    Pair on_device(open_emulated(), kAdam, kHidden, true);
    cpu.updates(0, 3);
    on_device.updates(0, 3);
    CHECK(on_device.learner.networks[0].steps == 6);
    CHECK(on_device.norms == cpu.norms);
    CHECK(on_device.norms[0] != on_device.norms[1]);
    CHECK(on_device.bytes() == cpu.bytes());
}

TEST_CASE("minibatches are gathered on a device") {
    NEEDS_FMA();
    const bool shares = GENERATE(false, true);
    Pair cpu(nullptr, kAdam, kHidden, shares);
    Pair on_device(open_emulated(), kAdam, kHidden, shares);
    for (Pair* pair : {&cpu, &on_device}) {
        REQUIRE(pair->update(1, {.first = true, .last = false}).has_value());
        REQUIRE(pair->update(2, {.first = false, .last = false}).has_value());
        REQUIRE(pair->update(3, {.first = false, .last = true}).has_value());
    }
    CHECK(on_device.bytes() == cpu.bytes());
}

TEST_CASE("the host has what the device has changed once it asks, and the device what the host has") {
    NEEDS_FMA();
    Pair on_device(open_emulated());
    const std::vector<std::byte> before = on_device.bytes();
    on_device.updates(0, 2);
    Network& critic = on_device.learner.networks[0];
    CHECK(std::memcmp(critic.live.data(), before.data(), critic.live.size()) == 0);  // nobody has asked
    REQUIRE(fetch_to_host(on_device.learner, kLiveSlabs).has_value());
    CHECK(std::memcmp(critic.live.data(), before.data(), critic.live.size()) != 0);

    // as loading does, on both sides
    Pair cpu(nullptr);
    cpu.updates(0, 2);
    for (Pair* pair : {&cpu, &on_device}) {
        static_cast<void>(pair->bytes());
        write(pair->learner, pair->learner.networks[1], "b", std::vector<double>(kHidden, 0.25));
        changed_on_host(pair->learner);
    }
    cpu.updates(2, 2);
    on_device.updates(2, 2);
    CHECK(on_device.bytes() == cpu.bytes());
}

}  // namespace updates_test
