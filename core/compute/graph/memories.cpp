// SPDX-License-Identifier: Apache-2.0
// Networks with memories. They are written for one step. In acting they run for one step, and over sequences step by
// step. Such a function is first built once in a separate builder, which finds the memories that it reads; then it is
// built again inside a scan.
#include <algorithm>
#include <utility>

#include "base/data/key.hpp"
#include "base/data/shape_text.hpp"
#include "compute/graph/attributes.hpp"
#include "compute/graph/builder.hpp"
#include "compute/graph/burn_in.hpp"
#include "compute/graph/limits.hpp"

namespace tenon::graph {
namespace {

Type type_of_column(std::vector<Dim> leading, const Memory& memory) {
    leading.insert(leading.end(), memory.shape.begin(), memory.shape.end());
    return {Kind::kReal, std::move(leading)};
}

bool has_time(const std::vector<Dim>& leading) {
    return std::ranges::find(leading, kTime) != leading.end();
}

}  // namespace

std::string key_of_memory(const Unit& unit, std::string_view name) {
    return join_keys(unit.group, unit.role + "." + std::string(name));
}

Builder::Values Builder::memory(Draft& draft) {
    const Frame& frame = frames_.back();
    const std::string name = text_of(draft.attributes, "name");
    if (frame.unit == nullptr) {
        return Values(1);
    }
    const std::string key = key_of_memory(*frame.unit, name);
    if (const std::optional<ValueId> bound = bound_memory(key, draft)) {
        return {*bound};
    }
    if (frame.steps != nullptr) {
        const auto inside = frame.steps->memories.find(key);
        return {inside == frame.steps->memories.end() ? ValueId{0} : inside->second};
    }
    const auto shape = value_or(draft.attributes, "shape", std::vector<std::int64_t>());
    const Memory memory = memory_of_frame(name, shape);
    const bool positive = std::ranges::all_of(shape, [](std::int64_t size) { return size > 0; });
    if (memory.shape.size() > kMostMemorySizes || !positive || bounded_product(memory.shape) > kMostElements) {
        fail("memory '" + name + "' has at most " + std::to_string(kMostMemorySizes) +
                 " sizes of at least 1 and at most 2^" + std::to_string(kMostElementsLog2) + " elements" +
                 (memory.group.empty() ? "" : ", all agents together") + ", but this is " + shape_text(memory.shape),
             draft.source);
        return Values(1);
    }
    // The mistake has been reported. The rest is built as if it were correct, so that it reports nothing else.
    const auto stored = [&] { return stored_memory(memory, draft.source); };
    if (!may_remember(name, draft.source)) {
        return {stored()};
    }
    const auto known = std::ranges::find(graph_.memories, key, &Memory::key);
    if (known == graph_.memories.end()) {
        graph_.memories.push_back(memory);
    } else if (known->shape != memory.shape) {
        if (!frame.knows_no_sizes) {
            fail("memory '" + name + "' is read with two different shapes", draft.source);
        }
        return Values(1);
    }
    const ValueId before = stored();
    const ValueId begins = stretched(read_column("is_init"), before, draft.source);
    return {node(OpId::kWhere_1, {begins, number(0), before}, draft.source)};
}

// Whether the running function can have a memory or history of that name; else reports why not.
bool Builder::may_remember(const std::string& name, std::uint32_t source) {
    const Frame& frame = frames_.back();
    if (frame.unit->members > 1) {
        fail(Fault::kInput, "an ensemble cannot remember '" + name + "'; let its members read a trunk that remembers",
             source);
        return false;
    }
    if (context_.leading == std::vector<Dim>{kLanes} || frame.histories != nullptr) {
        return true;
    }
    const bool rows = !has_time(context_.leading);
    fail(rows ? Fault::kInput : Fault::kPlugin,
         rows ? "it remembers '" + name +
                    "', but this run learns from single frames; learn from sequences: "
                    "train.shuffle = \"lanes\" or \"slices\" without a [buffer], or a sampler of sequences"
              : "only networks and explorations can remember, but '" + name + "' is read by another function",
         source);
    return false;
}

// The memory of the running function's network with this name and shape of one agent.
Memory Builder::memory_of_frame(std::string_view name, std::vector<std::int64_t> shape) {
    const Unit& unit = *frames_.back().unit;
    if (!unit.group.empty()) {
        shape.insert(shape.begin(), graph_.symbols.size(agents_of(unit)));
    }
    return {.key = key_of_memory(unit, name), .group = unit.group, .shape = std::move(shape)};
}

// The memory's column; for a group, with the agents as a leading dimension.
ValueId Builder::stored_memory(const Memory& memory, std::uint32_t source) {
    const Type type = type_of_column(context_.leading, memory);
    const ValueId column = intern(Draft{&op_of(OpId::kColumn_1), {}, {{"key", memory.key}}, source}, {type}, 0).front();
    if (memory.group.empty()) {
        return column;
    }
    const auto sizes = static_cast<std::int64_t>(memory.shape.size());
    return node(OpId::kGroup_1, {column}, source, {{"axis", -sizes}, {"name", memory.group}});
}

// An absent agent remembers nothing, so it begins with zeros when it is present again.
ValueId Builder::forgotten_where_absent(ValueId value, std::uint32_t source) {
    const std::string& group = frames_.back().unit->group;
    const ValueId present = group.empty() || value == 0 ? 0 : present_in(group, source);
    return present == 0 ? value : where_present(value, present, source);
}

void Builder::remember(const Draft& draft) {
    Frame& frame = frames_.back();
    if (frame.unit == nullptr) {
        return;
    }
    const std::string name = text_of(draft.attributes, "name");
    const std::string key = key_of_memory(*frame.unit, name);
    ValueId value = draft.inputs[0];
    if (frame.bound != nullptr && frame.bound->memories.contains(key)) {
        frame.bound->remembered[key] = value;
        return;
    }
    if (frame.unit->members > 1) {  // it has no memories, as has been reported
        return;
    }
    value = forgotten_where_absent(value, draft.source);
    if (frame.steps != nullptr) {
        if (!is_inside(value, frame.steps->region) && graph_.type(value).has(kTime)) {
            // for values that do not depend on the memory itself
            value = step_of(value, frame.steps->region, draft.source);
        }
        frame.steps->remembered[key] = value;
        return;
    }
    const auto read = std::ranges::find(graph_.memories, key, &Memory::key);
    if (read == graph_.memories.end()) {
        if (!has_time(context_.leading) && context_.leading != std::vector<Dim>{kRows}) {
            fail("it remembers '" + name + "', but does not read it with memory", draft.source);
        }
        return;
    }
    const Type type = graph_.type(stored_memory(*read, draft.source));
    if (graph_.type(value) != type) {
        fail("memory '" + name + "' is " + graph_.symbols.text(type) + ", but is set to " +
                 graph_.symbols.text(graph_.type(value)),
             draft.source, {{value, ""}});
        return;
    }
    remember_once(name, key, value, draft.source);
}

void Builder::remember_once(const std::string& name, const std::string& key, ValueId value, std::uint32_t source) {
    const auto before = std::ranges::find(graph_.remembered, key, &Named::name);
    if (before == graph_.remembered.end()) {
        graph_.remembered.push_back({key, value});
    } else if (before->value != value) {
        fail("memory '" + name +
                 "' is remembered twice with different values: call the function that remembers it only once, and "
                 "pass on its outputs",
             source);
    }
}

void Builder::check_memories() {
    for (const Memory& memory : graph_.memories) {
        if (failed_ || std::ranges::find(graph_.remembered, memory.key, &Named::name) != graph_.remembered.end()) {
            continue;
        }
        const auto node = std::ranges::find_if(graph_.nodes.begin() + 1, graph_.nodes.end(), [&](const Node& each) {
            return each.is(OpId::kColumn_1) && string_attribute(each, "key") == memory.key;
        });
        fail("memory '" + memory.key + "' is read, but never remembered", node->source);
    }
}

// The memories of the function, found by building it for one step of the lanes in a separate graph.
std::vector<Memory> Builder::memories_of(const Frame& frame, std::span<const ValueId> inputs) const {
    Context context = context_;
    context.leading = {kLanes};
    context.trains = false;
    std::set<std::string> told;
    context.told = &told;
    context.declare = [](const ParameterRequest&) { return Status(); };
    Problems problems;
    Builder aside(context, problems);
    aside.told_later_ = told_later_;
    aside.kept_ = kept_;
    aside.graph_.symbols = graph_.symbols;
    std::vector<ValueId> values;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        values.push_back(stand_in(aside, graph_.type(inputs[i]), i));
    }
    const std::size_t outputs = split_names(find_function(*frame.unit, frame.function)->outputs).size();
    Frame alone = frame;
    alone.prefix.clear();
    alone.version.clear();
    alone.lines.clear();
    Bindings bound;
    if (frame.bound != nullptr) {
        bound = bindings_aside(frame, aside, inputs.size());
        alone.bound = &bound;
    }
    aside.run(std::move(alone), values, outputs);
    return aside.take().memories;
}

bool Builder::remembers_more(const Unit& unit, std::string_view function, std::span<const ValueId> inputs) const {
    const Frame frame{.unit = &unit, .function = std::string(function), .slab = "live", .mode = "act"};
    return std::ranges::any_of(memories_of(frame, inputs), [&](const Memory& memory) {
        return std::ranges::find(graph_.remembered, memory.key, &Named::name) == graph_.remembered.end();
    });
}

// Whether the function can run over the sequences of this program; else reports why not.
bool Builder::check_sequences(const Frame& frame, std::uint32_t source) {
    const bool fits = frame.prefix.find('|') == std::string::npos && find_column("is_init") != nullptr;
    if (!fits) {
        fail(frame.unit->role + " remembers from step to step, so it cannot read " +
                 (frame.prefix.empty() ? "a program without the column is_init" : "two batches at once"),
             source);
    }
    return fits;
}

// The function over sequences. Nodes that depend on a memory are inside a scan over time. The scan begins with the
// stored column of the first step, and with zeros at the beginning of an episode. All other nodes are computed for all
// steps at once.
Builder::Values Builder::run_steps(Frame frame, const std::vector<Memory>& memories, std::span<const ValueId> inputs,
                                   std::size_t outputs, std::uint32_t source) {
    Region region;
    region.parent = open_regions_.empty() ? 0 : open_regions_.back();
    region.scan = true;
    region.carries = static_cast<std::int64_t>(memories.size());
    region.reset = region.carries;
    for (const Memory& memory : memories) {
        region.arguments.push_back(first_memory(frame, memory, source));
        if (region.arguments.back() == 0) {
            return Values(outputs);
        }
    }
    region.arguments.push_back(beginnings(source));
    region.inputs = region.arguments;
    const ValueId warm = end_of_burn_in(source);
    graph_.regions.push_back(std::move(region));
    Steps steps{.region = static_cast<std::uint32_t>(graph_.regions.size() - 1), .memories = {}, .remembered = {}};
    open_regions_.push_back(steps.region);
    open_scan(Draft{&op_of(OpId::kScan_1), {}, {}, source}, graph_.regions[steps.region]);
    for (std::size_t i = 0; i < memories.size(); ++i) {
        const ValueId carried = graph_.regions[steps.region].inputs[i];
        steps.memories[memories[i].key] =
            warm == 0 ? carried : cut(carried, step_of(warm, steps.region, source), source);
    }

    const std::size_t problems = said();
    frame.steps = &steps;
    const Values yielded = step_outputs(std::move(frame), inputs, outputs);
    Values kept;
    for (const Memory& memory : memories) {
        const auto found = steps.remembered.find(memory.key);
        if (found == steps.remembered.end() && said() == problems) {
            fail("memory '" + memory.key + "' is read, but never remembered", source);
        }
        kept.push_back(found == steps.remembered.end() ? ValueId{0} : found->second);
    }
    if (said() != problems || std::ranges::find(kept, ValueId{0}) != kept.end()) {
        open_regions_.pop_back();
        return Values(outputs);
    }
    return close_steps(steps.region, kept, yielded);
}

// The first step of the sequences after the burn-in; 0: there is no burn-in.
ValueId Builder::end_of_burn_in(std::uint32_t source) {
    return context_.burn_in == 0 ? 0 : is_step(OpId::kEq_1, context_.burn_in + 1, source);
}

// The steps at which memories are zero.
ValueId Builder::beginnings(std::uint32_t source) {
    const ValueId begins = read(*find_column("is_init"), source);
    return context_.forgets ? node(OpId::kOr_1, {begins, is_step(OpId::kEq_1, 1, source)}, source) : begins;
}

// Whether the number of a row's step, from 1, compares like this with `which`.
ValueId Builder::is_step(OpId compared, std::int64_t which, std::uint32_t source) {
    const ValueId one = number(1);
    const ValueId begins = read(*find_column("is_init"), source);
    const ValueId step = step_numbers(begins, one, [&](auto op, auto inputs, auto attributes) {
        return node(op, std::move(inputs), source, std::move(attributes));
    });
    return node(compared, {step, number(static_cast<double>(which))}, source);
}

// The memory, with its gradient cut at these steps.
ValueId Builder::cut(ValueId memory, ValueId where, std::uint32_t source) {
    where = stretched(where, memory, source);
    const ValueId stopped = node(OpId::kStopGradient_1, {memory}, source);
    return node(OpId::kWhere_1, {where, stopped, memory}, source);
}

// The value of the memory at the first step of the sequences.
ValueId Builder::first_memory(const Frame& frame, const Memory& memory, std::uint32_t source) {
    const Column* const stored = find_column(memory.key);
    if (stored == nullptr) {
        fail(Fault::kInput,
             "[policy." + frame.unit->role + "] is " + frame.unit->component +
                 ", which remembers from step to step, but there is no column '" + memory.key +
                 "' to start from: the acting policy must be a graph that writes it",
             source);
        return 0;
    }
    return node(OpId::kAtTime_1, {stored_memory(memory, source)}, source, {{"index", std::int64_t{0}}});
}

// Under a prefix the function is built twice: without the prefix, which gives the memories and histories after that
// step, and then under the prefix, where it continues from these.
Builder::Values Builder::step_outputs(Frame frame, std::span<const ValueId> inputs, std::size_t outputs) {
    if (frame.prefix.empty()) {
        return run(std::move(frame), inputs, outputs);
    }
    Frame before = frame;
    before.prefix.clear();
    before.path += "/before";
    run(std::move(before), inputs, outputs);
    if (frame.histories != nullptr) {
        frame.histories->after = true;
    }
    Steps after;
    if (const Steps* const steps = frame.steps; steps != nullptr) {
        after = {.region = steps->region, .memories = steps->memories, .remembered = {}};
        for (const auto& [key, value] : steps->remembered) {
            after.memories[key] = value;
        }
        frame.steps = &after;
    }
    return run(std::move(frame), inputs, outputs);
}

}  // namespace tenon::graph
