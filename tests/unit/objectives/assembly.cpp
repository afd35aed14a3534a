// SPDX-License-Identifier: Apache-2.0
#include "assembly.hpp"

#include <algorithm>

#include "authors.hpp"
#include "base/random/key.hpp"
#include "base/random/normal.hpp"
#include "compute/gradient/derivative.hpp"
#include "config/manifest/optimisers.hpp"
#include "plugins/plugin/error_text.hpp"
#include "run/start/executor.hpp"
#include "support/catch.hpp"
#include "train/plan/live.hpp"
#include "train/plan/parts.hpp"
#include "train/plan/wiring.hpp"

namespace tenon::test {
namespace {

constexpr std::string_view kFeedPrefix = "draw/";

Host& host() {
    static Host made(1, Registry::scan({{TENON_PLUGINS, "the tests", {}}}));
    return made;
}

template <class T>
T must(Result<T> result) {
    INFO((result ? std::string() : result.error().sentence));
    REQUIRE(result.has_value());
    return std::move(*result);
}

void must(const Status& status) {
    INFO((status ? std::string() : status.error().sentence));
    REQUIRE(status.has_value());
}

void must(const Problems& problems) {
    for (const Problem& problem : problems) {
        UNSCOPED_INFO(problem.sentence << " (" << problem.place.file << ":" << problem.place.line << ")");
    }
    REQUIRE(problems.empty());
}

std::vector<OptionValue> values_of(const std::vector<OptionSchema>& schemas, const Options& options) {
    std::vector<OptionValue> out;
    std::size_t used = 0;
    for (const OptionSchema& schema : schemas) {
        const auto given = std::ranges::find(options, schema.name, &Options::value_type::first);
        used += given == options.end() ? 0U : 1U;
        REQUIRE((given != options.end() || schema.standard.has_value()));
        out.push_back(must(conform(schema, given == options.end() ? *schema.standard : given->second, schema.name)));
    }
    REQUIRE(used == options.size());
    return out;
}

void take_functions(graph::Unit& unit) {
    const tn_function* const* list = nullptr;
    std::uint32_t count = 0;
    REQUIRE(unit.api->functions(unit.self, &list, &count) == TN_OK);
    unit.functions.assign(list, list + count);
}

// So that a target is not what it follows.
void shake(Network& network, Slab& slab, DType real, std::uint64_t seed) {
    const std::size_t count = network.layout.trainable_size;
    std::vector<double> noise(slab.empty() ? 0 : count);
    fill_normal(make_key(seed, network.layout.role + "/shake"), 0, noise.data(), noise.size());
    for (const Parameter& parameter : network.layout.parameters) {
        for (std::size_t i = parameter.offset; i < parameter.offset + parameter.size && i < noise.size(); ++i) {
            if (real == DType::kF64) {
                slab.as<double>()[i] += 0.3 * noise[i];
            } else {
                slab.as<float>()[i] += static_cast<float>(0.3 * noise[i]);
            }
        }
    }
}

}  // namespace

std::set<std::string> shipped(std::string_view kind) {
    std::set<std::string> out;
    for (const auto& file : host().registry.files()) {
        REQUIRE(file->note);
        for (const ComponentNote& component : file->note->components) {
            if (component.kind == kind) {
                out.insert(file->library + "/" + component.id);
            }
        }
    }
    return out;
}

Assembly::Assembly(Plan plan) : plan_(std::move(plan)) {
    learner.real = plan_.real;
    instances_.reserve(plan_.networks.size() + 1);
    for (const NetworkUse& use : plan_.networks) {
        graph::Unit unit = make_unit(use.component, use.role, "policy." + use.role, use.options);
        unit.members = use.count;
        unit.group = use.group;
        for (const std::string_view function : graph::column_functions(unit)) {
            unit.provides.push_back({use.role + "." + std::string(function), std::string(function)});
        }
        networks_.push_back(std::move(unit));
        layouts_.networks.push_back({.role = use.role,
                                     .members = use.count,
                                     .ensemble = use.count > 1,
                                     .parameters = {},
                                     .trainable_size = 0,
                                     .size = 0});
    }
    for (const std::string& name : plan_.live) {
        live_.add("objective." + name, 0);
    }
    objective_ = make_unit(plan_.objective, "objective", "objective", plan_.options);
    objective_.group = plan_.group;
    objective_.own = !plan_.group.empty();
    for (const graph::OptionBinding& option : objective_.options) {
        if (option.live >= 0) {
            live_.values[static_cast<std::size_t>(option.live)] = option.value;
        }
    }
    executor_ = must(load_executor(plan_.compiled ? "compiled" : "reference", plan_.real));
}

graph::Unit Assembly::make_unit(const std::string& component, const std::string& role, const std::string& path,
                                const Options& options) {
    graph::Unit unit;
    unit.role = role;
    unit.component = component;
    if (component.starts_with("test/")) {
        const Author author = author_called(component.c_str() + 5);
        unit.api = author.api;
        unit.self = author.self;
        for (const auto& [name, value] : options) {
            unit.options.push_back({name, std::get<double>(value), live_.find(path + "." + name)});
        }
        unit.kernels = must(graph::kernels_of(author.fused, author.self, component, {}));
        take_functions(unit);
        return unit;
    }
    tables_.push_back(std::make_unique<ComponentTable>());
    tables_.back()->path = path;
    Part part{.table = tables_.back().get(), .info = must(host().registry.find(component)), .values = {}, .loaded = {}};
    part.values = values_of(part.schema(), options);
    part.loaded = must(host().registry.load(part.info, host().services.table()));
    instances_.push_back(must(instantiate(part, 0, plan_.seed, "")));
    unit.api = instances_.back().interface<tn_graph_component_api>("tenon.graph/1");
    unit.self = instances_.back().self();
    unit.kernels =
        must(graph::kernels_of(instances_.back().interface<tn_fused_api>("tenon.fused/1"), unit.self, component, {}));
    unit.options = bind_options(part, live_);
    take_functions(unit);
    return unit;
}

Problems Assembly::try_build() {
    Problems problems;
    const BuildSite site{.networks = &networks_,
                         .layouts = &layouts_,
                         .real = plan_.real,
                         .groups = &plan_.groups,
                         .burn_in = plan_.burn_in,
                         .forgets = plan_.forgets};
    update = build_update(site, objective_, plan_.leading, plan_.columns, problems);
    return problems;
}

void Assembly::build() {
    Problems problems = try_build();
    must(problems);
    for (Port& port : update.outputs) {
        port.dtype = DType::kF64;
    }
    settle();
    Manifest manifest;
    manifest.optimiser.kind = plan_.optimiser;
    manifest.optimiser.lr = plan_.lr;
    manifest.optimiser_stages = plan_.optimisers;
    complete_optimisers(manifest, problems);
    manifest.target = plan_.target;
    manifest.train.clip_norm = plan_.clip_norm;
    stages = plan_stages(update.graph, "", layouts_, manifest, live_, problems);
    must(problems);
}

Status Assembly::try_load() {
    for (const StagePlan& stage : stages) {
        for (const std::uint32_t owned : stage.owned) {
            must(begin_optimiser(learner.networks[owned], plan_.real, stage.optimiser));
        }
    }
    add_draws(update.inputs);
    Result<std::unique_ptr<Program>> made = executor_->update(update.spec(plan_.seed), stages, learner);
    if (!made) {
        return made.error();
    }
    program_ = std::move(*made);
    return {};
}

void Assembly::load() {
    must(try_load());
}

// Gives every network that a build has asked for its slabs.
void Assembly::settle() {
    for (const NetworkLayout& layout : layouts_.networks) {
        if (learner.find(layout.role) != nullptr) {
            continue;
        }
        Network network;
        network.layout = layout;
        place(network.layout);
        const bool target = layouts_.reads(layout.role, ParameterSlab::kTarget);
        must(initialise(network, plan_.real, plan_.seed, target));
        if (layouts_.reads(layout.role, ParameterSlab::kReference)) {
            must(add_copy(network, ParameterSlab::kReference));
        }
        shake(network, network.target, plan_.real, plan_.seed);
        shake(network, network.reference, plan_.real, plan_.seed);
        learner.networks.push_back(std::move(network));
    }
}

void Assembly::add_draws(std::vector<Port>& inputs) const {
    for (const auto& [stream, values] : draws) {
        inputs.push_back({std::string(kFeedPrefix) + stream, DType::kF64, {}});
    }
}

const void* Assembly::memory_of(const Port& port, const FilledBatch& batch) const {
    return port.key.starts_with(kFeedPrefix) ? draws.at(port.key.substr(kFeedPrefix.size())).data()
                                             : batch.data(port.key);
}

std::vector<void*> Assembly::make_room(const graph::Graph& graph, std::span<const Port> outputs, std::size_t rows,
                                       Columns& columns) {
    std::vector<void*> out;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        std::size_t count = rows;
        for (const graph::Dim size : graph.type(graph.writes[i].value).sizes()) {
            count *= static_cast<std::size_t>(size);
        }
        columns[outputs[i].key].resize(count);
    }
    for (const Port& port : outputs) {
        out.push_back(columns[port.key].data());
    }
    return out;
}

Outcome Assembly::run(const FilledBatch& batch, Moment moment) {
    Outcome out;
    must(try_run(batch, moment, out));
    return out;
}

Status Assembly::try_run(const FilledBatch& batch, Moment moment, Outcome& out) {
    std::vector<const void*> inputs;
    for (const Port& port : update.inputs) {
        inputs.push_back(memory_of(port, batch));
    }
    const graph::Graph& graph = update.graph;
    std::vector<double> losses(graph.losses.size());
    std::vector<double> metrics(graph.metrics.size());
    std::vector<double> controls(graph.controls.size());
    const std::vector<void*> outputs = make_room(graph, update.outputs, batch.rows(), out.columns);
    out.norms.resize(stages.size());
    Result<Computed*> done = program_->run({
        .sizes = batch.sizes(),
        .inputs = inputs,
        .outputs = outputs,
        .numbers = {.live = live_.values, .updates = moment.updates},
        .random = {.counter = moment.counter},
        .part = {.first = moment.first, .last = moment.last},
        .results = {.losses = losses, .metrics = metrics, .gradient_norms = out.norms, .controls = controls},
    });
    for (std::size_t i = 0; i < losses.size(); ++i) {
        out.losses[graph.losses[i].name] = losses[i];
    }
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        out.metrics[graph.metrics[i].name] = metrics[i];
    }
    for (std::size_t i = 0; i < controls.size(); ++i) {
        out.controls[graph.controls[i].name] = controls[i];
    }
    return done ? Status() : Status(std::move(done.error()));
}

Problems Assembly::try_forward(const std::string& function, const std::vector<graph::Dim>& leading) {
    Problems problems;
    try_forward(function, leading, problems);
    return problems;
}

graph::Graph Assembly::build_forward(const std::string& function, const std::vector<graph::Dim>& leading) {
    Problems problems;
    graph::Graph graph = try_forward(function, leading, problems);
    must(problems);
    settle();
    return graph;
}

graph::Graph Assembly::try_forward(const std::string& function, const std::vector<graph::Dim>& leading,
                                   Problems& problems) {
    const graph::Context context{
        .program = function,
        .leading = leading,
        .columns = &plan_.columns,
        .networks = &networks_,
        .groups = &plan_.groups,
        .trains = false,
        .declare = [this](const graph::ParameterRequest& request) { return layouts_.declare(request); },
        .take_error = [] { return take_error(); },
        .differentiate = &graph::add_derivative};
    graph::Builder builder(context, problems);
    builder.build(objective_, function, {}, "eval");
    return builder.take();
}

Columns Assembly::forward(const std::string& function, const FilledBatch& batch, Moment moment) {
    const bool over_time = batch.sizes().time > 0;
    graph::Graph graph = build_forward(function, over_time ? std::vector<graph::Dim>{graph::kTime, graph::kLanes}
                                                           : std::vector<graph::Dim>{graph::kRows});
    for (std::size_t i = 0; by_body && i < graph.regions.size(); ++i) {
        graph.regions[i].name.clear();
    }
    ProgramSpec spec{.name = function, .graph = &graph, .inputs = {}, .outputs = {}, .seed = plan_.seed};
    spec.writes_state = function == "conclude" || moment.commits;
    for (const graph::Column& column : plan_.columns) {
        spec.inputs.push_back({column.spec.key, column.spec.dtype, column.spec.shape});
    }
    add_draws(spec.inputs);
    std::vector<const void*> inputs;
    for (const Port& port : spec.inputs) {
        inputs.push_back(memory_of(port, batch));
    }
    for (const graph::Named& write : graph.writes) {
        const auto sizes = graph.type(write.value).sizes();
        spec.outputs.push_back({write.name, DType::kF64, Shape(sizes)});
    }
    Columns out;
    const std::vector<void*> outputs = make_room(graph, spec.outputs, batch.rows(), out);
    const std::unique_ptr<Program> program = must(executor_->forward(spec, learner));
    Call call{.sizes = batch.sizes(),
              .inputs = inputs,
              .outputs = outputs,
              .numbers = {.live = live_.values, .updates = moment.updates},
              .random = {.counter = moment.counter}};
    std::vector<double> metrics(graph.metrics.size());
    call.results.metrics = metrics;
    must(program->run(call));
    forward_metrics.clear();
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        forward_metrics[graph.metrics[i].name] = metrics[i];
    }
    return out;
}

Network& Assembly::network(std::string_view role) {
    Network* found = learner.find(role);
    REQUIRE(found != nullptr);
    return *found;
}

double& Assembly::live(std::string_view name) {
    const std::int64_t found = live_.find(name);
    REQUIRE(found >= 0);
    return live_.values[static_cast<std::size_t>(found)];
}

}  // namespace tenon::test
