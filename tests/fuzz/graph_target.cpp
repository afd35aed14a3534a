// SPDX-License-Identifier: Apache-2.0
#include "fuzz/graph_target.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compute/exec/rows.hpp"
#include "compute/graph/limits.hpp"
#include "compute/graph/text.hpp"
#include "config/manifest/optimisers.hpp"
#include "engines/compiled/program.hpp"
#include "fuzz/graph_author.hpp"
#include "fuzz/target.hpp"
#include "train/plan/live.hpp"
#include "train/plan/programs.hpp"
#include "train/plan/stages.hpp"

namespace tenon::fuzz {
namespace {

using graph::Column;
using graph::Dim;
using graph::Unit;

constexpr std::size_t kParts = 6;
constexpr std::int64_t kMostRun = 1 << 13;  // elements of all values for one row
constexpr std::size_t kMostNodesRun = 2000;

constexpr tn_function kUpdate{sizeof(tn_function), 0, "update", "", ""};
constexpr tn_function kPrepare{sizeof(tn_function), 0, "prepare", "", ""};
constexpr tn_function kSample{sizeof(tn_function), 0, "sample", "", "action log_prob"};
constexpr tn_function kValue{sizeof(tn_function), 0, "value", "", "value"};
constexpr tn_function kQ{sizeof(tn_function), 0, "q", "action", "q"};
constexpr tn_function kFeatures{sizeof(tn_function), 0, "features", "", "features"};
constexpr tn_function kApply{sizeof(tn_function), 0, "apply", "x", "x"};

// The part of the bytes that builds a function. It is always the same, so the plugin is pure.
std::size_t part_of(std::string_view function) {
    constexpr std::array<std::string_view, kParts> kFunctions = {"update", "sample", "value", "q", "features", "apply"};
    const auto found = std::ranges::find(kFunctions, function);
    return found == kFunctions.end() ? 0 : static_cast<std::size_t>(found - kFunctions.begin());
}

struct World {
    std::span<const std::uint8_t> bytes;
    bool pure = true;
    Script shared;
    Budget budget;
    std::vector<Column> columns;
    std::vector<Unit> networks;
    std::vector<graph::ColumnTransform> transforms;
    Layouts layouts;

    World(std::span<const std::uint8_t> all, bool is_pure) : bytes(all), pure(is_pure), shared(all) {}

    static tn_status build(void* self, const tn_build_args* args) {
        World& world = *static_cast<World*>(self);
        const std::size_t size = world.bytes.size() / kParts;
        Script own(world.bytes.subspan(part_of(args->function) * size, size));
        Author(world.pure ? own : world.shared, world.budget, *args).write();
        return TN_OK;
    }

    void add(const char* key, DType dtype, Shape shape, SpecKind kind = SpecKind::kUnbounded,
             Role role = Role::kExtra) {
        Spec spec;
        spec.key = key;
        spec.kind = kind;
        spec.role = role;
        spec.dtype = dtype;
        spec.shape = shape;
        if (kind == SpecKind::kCategorical) {
            spec.categories = {2};
        }
        columns.push_back({std::move(spec), "env"});
    }

    Unit unit(std::string role, std::vector<const tn_function*> functions) {
        static constexpr tn_graph_component_api kApi{sizeof(tn_graph_component_api), 0, nullptr, &World::build};
        Unit out;
        out.component = "fuzz/" + role;
        out.role = std::move(role);
        out.api = &kApi;
        out.self = this;
        out.functions = std::move(functions);
        out.options = {{"a", 0.5, -1}};
        return out;
    }

    void add_network(Unit unit, std::int64_t members) {
        unit.members = members;
        layouts.networks.push_back({.role = unit.role,
                                    .members = members,
                                    .ensemble = members > 1,
                                    .parameters = {},
                                    .trainable_size = 0,
                                    .size = 0});
        networks.push_back(std::move(unit));
    }
};

void fill(World& world, bool acting) {
    for (const std::string next : {"", "next."}) {
        world.add((next + "observation").c_str(), DType::kF32, {4}, SpecKind::kUnbounded, Role::kObservation);
        world.add((next + "image").c_str(), DType::kU8, {1, 4, 4}, SpecKind::kUnbounded, Role::kObservation);
        world.add((next + "is_init").c_str(), DType::kBool, {}, SpecKind::kBinary);
    }
    world.add("action", DType::kI64, {}, SpecKind::kCategorical, Role::kAction);
    if (!acting) {
        for (const char* key : {"next.terminated", "next.done"}) {
            world.add(key, DType::kBool, {}, SpecKind::kBinary);
        }
        world.add("next.reward", DType::kF32, {}, SpecKind::kUnbounded, Role::kReward);
        for (const char* key : {"actor.z", "trunk.z", "actor.h", "trunk.h"}) {
            world.add(key, DType::kF32, {2});
        }
    }
    world.add_network(world.unit("actor", {&kSample, &kValue, &kQ}), 1);
    world.add_network(world.unit("critic", {&kValue, &kQ}), 2);
    Unit trunk = world.unit("trunk", {&kFeatures});
    trunk.provides = {{"trunk.features", "features"}, {"hidden", "features"}};
    world.add_network(std::move(trunk), 1);
}

void check_problems(const Problems& problems) {
    for (const Problem& problem : problems) {
        require(!problem.sentence.empty(), "a problem has a sentence");
        const bool one_line =
            std::ranges::all_of(problem.sentence, [](char c) { return static_cast<unsigned char>(c) >= 0x20; });
        require(one_line, "a sentence is one line without control characters");
        require(!render(problem).empty(), "a problem can be shown");
    }
}

// Whether a value of region `inner` can be read in `region`.
bool reaches(const graph::Graph& graph, std::uint32_t region, std::uint32_t inner) {
    while (region != 0 && region != inner) {
        region = graph.regions[region].parent;
    }
    return region == inner;
}

void check_graph(const graph::Graph& graph, std::int64_t rows) {
    for (graph::NodeId id = 1; id < graph.nodes.size(); ++id) {
        const graph::Node& node = graph.nodes[id];
        require(node.region < graph.regions.size(), "a node stands in a region that there is");
        for (const graph::ValueId input : node.inputs) {
            require(input != 0 && graph.values[input].node < id, "a node reads what stands before it");
            require(reaches(graph, node.region, graph.node_of(input).region), "and what is there where it stands");
        }
        for (std::uint32_t i = 0; i < node.output_count; ++i) {
            const graph::Type& type = graph.type(node.first_output + i);
            require(graph::excess(type, graph.symbols, rows).empty(), "a value is of a type that values may have");
        }
    }
}

// The reference program that a compiled one asks for a problem of its own where a check fails. It has none.
class Silent final : public Program, public Computed {
public:
    Result<Computed*> run(const Call& /*call*/) override { return this; }
};

std::int64_t elements_of(const graph::Graph& graph) {
    std::int64_t out = 0;
    for (graph::ValueId value = 1; value < graph.values.size(); ++value) {
        const graph::Type& type = graph.type(value);
        std::int64_t size = graph::bounded_product(type.sizes());
        for (const Dim symbol : type.symbols()) {
            size = graph::bounded_product(
                size, symbol > graph::kFirstDerived ? 1 : std::max<Dim>(graph.symbols.size(symbol), 1));
        }
        out = std::min(out + size, graph::kMostElements);
    }
    return out;
}

// Memory for ports, filled with alternating ones and zeros, which every dtype can have.
std::vector<std::vector<std::byte>> memory_for(std::span<const Port> ports, std::size_t rows) {
    std::vector<std::vector<std::byte>> out;
    for (const Port& port : ports) {
        std::vector<std::byte>& memory = out.emplace_back(rows * row_bytes(port));
        for (std::size_t i = 0; i < memory.size(); i += 2 * size_of(port.dtype)) {
            memory[i] =
                std::byte{port.dtype == DType::kF32 || port.dtype == DType::kF64 ? std::uint8_t{0} : std::uint8_t{1}};
        }
    }
    return out;
}

void run(const BuiltProgram& built, Layouts& layouts, const Sizes& sizes, DType real) {
    Problems problems;
    LivePlan live;
    Manifest manifest;
    manifest.optimiser.kind = "sgd";
    manifest.optimiser.lr = 0.1;
    complete_optimisers(manifest, problems);
    const bool updates = !built.graph.losses.empty();
    std::vector<StagePlan> stages;
    if (updates) {
        stages = plan_stages(built.graph, "", layouts, manifest, live, problems);
    }
    check_problems(problems);
    if (!problems.empty()) {
        return;
    }
    Learner learner;
    learner.real = real;
    for (const NetworkLayout& layout : layouts.networks) {
        Network& network = learner.networks.emplace_back();
        network.layout = layout;
        place(network.layout);
        require(bool(initialise(network, real, 1, true)), "there is memory for parameters");
    }
    for (const StagePlan& stage : stages) {
        for (const std::uint32_t owned : stage.owned) {
            require(bool(begin_optimiser(learner.networks[owned], real, stage.optimiser)), "and for their optimiser");
        }
    }
    const ProgramSpec spec = built.spec(1);
    if (const Status compiles = compiled::check_compiles(spec, stages, learner); !compiles) {
        check_problems({compiles.error()});
        return;
    }
    const auto made = compiled::make_program(spec, stages, learner, std::make_shared<Silent>());
    if (!made) {
        check_problems({made.error()});
        return;
    }
    Program& program = **made;
    const std::size_t rows = row_count(sizes);
    const auto inputs = memory_for(spec.inputs, rows);
    auto outputs = memory_for(spec.outputs, rows);
    std::vector<const void*> in;
    std::vector<void*> out;
    std::ranges::transform(inputs, std::back_inserter(in), [](const auto& memory) { return memory.data(); });
    std::ranges::transform(outputs, std::back_inserter(out), [](auto& memory) { return memory.data(); });
    std::vector<double> losses(built.graph.losses.size());
    std::vector<double> metrics(built.graph.metrics.size());
    std::vector<double> controls(built.graph.controls.size());
    std::vector<double> norms(stages.size());
    Call call{.sizes = sizes,
              .inputs = in,
              .outputs = out,
              .numbers = {.live = live.values},
              .results = {.losses = losses, .metrics = metrics, .gradient_norms = norms, .controls = controls}};
    const Result<Computed*> done = program.run(call);
    require(done || !done.error().sentence.empty(), "a refusal has a sentence");
}

}  // namespace

void graph(std::span<const std::uint8_t> bytes) {
    if (bytes.empty()) {
        return;
    }
    const std::uint8_t flags = bytes.front();
    const bool acting = flags % 4 == 0;
    const bool sequences = flags % 4 > 1;
    const DType real = (flags & 32U) != 0 ? DType::kF64 : DType::kF32;
    World world(bytes.subspan(1), (flags & 8U) == 0);
    fill(world, acting);
    if ((flags & 4U) != 0) {
        world.transforms.push_back({world.unit("env.transforms.0", {&kApply}), {"observation"}});
    }
    const Sizes sizes = acting      ? Sizes{.rows = 0, .time = 0, .lanes = 2}
                        : sequences ? Sizes{.rows = 0, .time = 2, .lanes = 2}
                                    : Sizes{.rows = 3, .time = 0, .lanes = 0};
    const auto rows = static_cast<std::int64_t>(row_count(sizes));
    std::set<std::string> told;
    const BuildSite site{.networks = &world.networks,
                         .transforms = &world.transforms,
                         .layouts = &world.layouts,
                         .real = real,
                         .told = &told,
                         .burn_in = (flags & 16U) != 0 ? 1 : 0,
                         .extent = {.rows = rows, .time = sizes.time}};
    const Unit objective = world.unit("objective", {&kUpdate, &kPrepare});
    Problems problems;
    const BuiltProgram built =
        acting ? build_act(site, {{&world.networks.front()}}, "sample", true, world.columns, problems)
        : flags % 4 == 3
            ? build_whole_batch(site, objective, "prepare", world.columns, problems)
            : build_update(site, objective,
                           sequences ? std::vector{graph::kTime, graph::kLanes} : std::vector{graph::kRows},
                           world.columns, problems);
    check_problems(problems);
    require(!built.failed || !problems.empty(), "a build that has failed says why");
    if (built.failed || !problems.empty()) {
        return;
    }
    check_graph(built.graph, rows);
    (void)graph::text(built.graph, graph::Places::kShown);
    if (built.graph.nodes.size() <= kMostNodesRun && elements_of(built.graph) <= kMostRun) {
        run(built, world.layouts, sizes, real);
    }
}

}  // namespace tenon::fuzz
