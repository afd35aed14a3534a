// SPDX-License-Identifier: Apache-2.0
// Interns nodes and records mistakes. Reading nodes from plugins is in emit.cpp, ops that the builder itself decides
// are in special.cpp, calls between units in calls.cpp, regions in regions.cpp.
#include "compute/graph/builder.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/data/mapped.hpp"
#include "base/error/listed.hpp"
#include "compute/graph/attributes.hpp"
#include "compute/graph/limits.hpp"
#include "plugins/plugin/crash.hpp"
#include "plugins/plugin/error_text.hpp"

namespace tenon::graph {
namespace {

// Attributes are part of a node's identity, so different ones must have different texts: numbers are written by their
// bits.
void append_value(std::string& key, const AttributeValue& value) {
    const auto bytes = [&](const auto& x) { key.append(reinterpret_cast<const char*>(&x), sizeof x); };
    bytes(value.index());
    std::visit(
        [&](const auto& x) {
            using T = std::decay_t<decltype(x)>;
            if constexpr (std::is_arithmetic_v<T>) {
                bytes(x);
            } else if constexpr (std::is_same_v<T, std::string>) {
                bytes(x.size());
                key += x;
            } else {
                bytes(x.size());
                for (const auto& element : x) {
                    append_value(key, AttributeValue{element});
                }
            }
        },
        value);
}

std::string identity(OpId op, std::uint32_t region, const std::vector<ValueId>& inputs,
                     const std::vector<Attribute>& attributes) {
    std::string key(reinterpret_cast<const char*>(&op), sizeof op);
    key.append(reinterpret_cast<const char*>(&region), sizeof region);
    key.append(reinterpret_cast<const char*>(inputs.data()), inputs.size() * sizeof(ValueId));
    for (const Attribute& attribute : attributes) {
        key += '\n' + attribute.key + '=';
        append_value(key, attribute.value);
    }
    return key;
}

}  // namespace

std::string identity_text(const Node& node, const std::vector<std::string>& inputs) {
    std::string key = identity(node.op->id, 0, {}, node.attributes);
    for (const std::string& input : inputs) {
        key += ' ' + input;
    }
    return key;
}

Builder::Builder(const Context& context, Problems& problems)
    : context_(context), problems_(problems), told_later_(&problems) {
    frames_.push_back(Frame{.unit = nullptr, .function = context.program, .slab = "live", .mode = "train"});
    graph_.burn_in = context.burn_in;
    for (std::size_t i = 0; context.groups != nullptr && i < context.groups->size(); ++i) {
        graph_.symbols.group((*context.groups)[i].name, (*context.groups)[i].agents);
    }
}

std::vector<ValueId> Builder::build(const Unit& unit, std::string_view function, std::span<const ValueId> inputs,
                                    std::string_view mode, Draws draws) {
    const tn_function* found = find_function(unit, function);
    if (found == nullptr) {
        if (Problem* told =
                fail(Fault::kInput, unit.component + " has no function '" + std::string(function) + "'", 0)) {
            told->place = unit.place;
        }
        return {};
    }
    std::string path = unit.component + "." + std::string(function);
    if (draws == Draws::kOwn && built_.try_emplace(path, &unit).first->second != &unit) {
        path += "@" + unit.role;  // two networks of one component draw different numbers
    }
    Frame frame{.unit = &unit,
                .function = std::string(function),
                .slab = "live",
                .mode = std::string(mode),
                .path = std::move(path),
                .shares_draws = draws == Draws::kShared};
    const std::size_t outputs = split_names(found->outputs).size();
    const bool is_network =
        std::ranges::any_of(*context_.networks, [&](const Unit& network) { return &network == &unit; });
    return is_network ? run_or_step(std::move(frame), inputs, outputs, 0) : run(std::move(frame), inputs, outputs);
}

ValueId Builder::read_column(std::string_view key) {
    Draft draft{&op_of(OpId::kColumn_1), {}, {{"key", std::string(key)}}, 0};
    return column(draft).front();
}

void Builder::write(std::string name, ValueId value) {
    auto [key, column] = column_of(std::move(name), value, 0);
    graph_.writes.push_back({std::move(key), column});
}

Builder::Values Builder::add(Draft draft) {
    std::ranges::sort(draft.attributes, {}, &Attribute::key);
    if (std::ranges::find(draft.inputs, ValueId{0}) != draft.inputs.end()) {
        return Values(std::max(draft.op->results, 1U));  // the cause has been reported
    }
    if (draft.op->rule == Rule::kSpecial) {
        return special(draft);
    }
    if (!check_inputs(draft)) {
        return Values(draft.op->results);
    }
    enter_steps(draft);
    const auto types = mapped<Type>(draft.inputs, [&](const ValueId input) { return graph_.type(input); });
    const Node shape_of{.op = draft.op, .inputs = {}, .attributes = draft.attributes};
    auto outcome = infer(*draft.op, shape_of, types, graph_.symbols);
    if (const auto* misfit = std::get_if<Misfit>(&outcome)) {
        std::vector<Operand> operands;
        for (const int i : {misfit->first, misfit->second}) {
            if (i >= 0) {
                const auto at = static_cast<std::size_t>(i);
                operands.emplace_back(draft.inputs[at], text_of_input(*draft.op, at, types[at], graph_.symbols));
            }
        }
        const std::string op = misfit->fault == Fault::kPlugin ? std::string(draft.op->name) + ": " : "";
        fail(misfit->fault, op + misfit->sentence, draft.source, operands);
        return Values(draft.op->results);
    }
    if (!check_time(draft)) {
        return Values(draft.op->results);
    }
    Type& type = std::get<Type>(outcome);
    if (draft.op->random) {
        return random(draft, std::move(type));
    }
    std::uint32_t region = 0;
    if (!region_of(draft.inputs, region)) {
        fail(std::string(draft.op->name) + ": an input belongs to a closed region", draft.source);
        return Values(draft.op->results);
    }
    return intern(std::move(draft), {std::move(type)}, region);
}

Builder::Values Builder::intern(Draft draft, std::vector<Type> types, std::uint32_t region) {
    const bool merges = !draft.op->random;
    std::string key = merges ? identity(draft.op->id, region, draft.inputs, draft.attributes) : std::string{};
    if (merges) {
        if (const auto found = known_.find(key); found != known_.end()) {
            const Node& node = graph_.nodes[found->second];
            Values out(node.output_count);
            for (std::uint32_t i = 0; i < node.output_count; ++i) {
                out[i] = node.first_output + i;
            }
            return out;
        }
    }
    if (!check_size(draft, types)) {
        return Values(types.size());
    }
    const auto id = static_cast<NodeId>(graph_.nodes.size());
    Node node{.op = draft.op,
              .inputs = std::move(draft.inputs),
              .attributes = std::move(draft.attributes),
              .first_output = static_cast<ValueId>(graph_.values.size()),
              .output_count = static_cast<std::uint32_t>(types.size()),
              .region = region,
              .source = draft.source};
    Values out;
    for (std::uint32_t i = 0; i < types.size(); ++i) {
        out.push_back(static_cast<ValueId>(graph_.values.size()));
        graph_.values.push_back({std::move(types[i]), id, i});
    }
    graph_.nodes.push_back(std::move(node));
    if (merges) {
        known_.emplace(std::move(key), id);
    }
    return out;
}

bool Builder::check_size(const Draft& draft, const std::vector<Type>& types) {
    if (graph_.nodes.size() >= kMostNodes) {
        Problem* const problem = fail(
            "the graph has more than " + std::to_string(kMostNodes) + " nodes, which is the maximum", draft.source);
        if (problem != nullptr) {
            problem->help = "a scan has the nodes of one step for all of them";
        }
        return false;
    }
    for (const Type& type : types) {
        if (const std::string what = excess(type, graph_.symbols, context_.extent.rows); !what.empty()) {
            fail(std::string(draft.op->name) + ": the result, " + graph_.symbols.text(type) + "," + what, draft.source);
            return false;
        }
    }
    return true;
}

// Whether the program's sequences have a step with this index.
bool Builder::check_time(const Draft& draft) {
    const std::int64_t steps = context_.extent.time;
    if (draft.op->rule != Rule::kAtTime || steps == 0) {
        return true;
    }
    const auto index = std::get<std::int64_t>(*value_of(draft.attributes, "index"));
    if (index < -steps || index >= steps) {
        fail("at_time: there is no step " + std::to_string(index) + " in sequences of " + counted(steps, "step"),
             draft.source, {draft.inputs[0]});
        return false;
    }
    return true;
}

Builder::Values Builder::make(OpId op, std::vector<ValueId> inputs, std::vector<Attribute> attributes, Type type) {
    std::ranges::sort(attributes, {}, &Attribute::key);
    return intern(Draft{&op_of(op), std::move(inputs), std::move(attributes), 0}, {std::move(type)}, 0);
}

tn_status Builder::type_of(tn_value value, tn_type& type) {
    // Plugins that were built when TN_MAX_RANK was 8 have memory for 8 dimensions.
    constexpr std::size_t kFirstRoom = 8;
    constexpr std::size_t kLeast = offsetof(tn_type, dim) + kFirstRoom * sizeof(Dim);
    if (type.struct_size < kLeast || type.struct_size > kMostStructSize) {
        return refuse("type_of was given a tn_type of struct_size " + std::to_string(type.struct_size) +
                      ", but this host knows " + std::to_string(sizeof type));
    }
    if (value == 0 || value >= graph_.values.size()) {
        frames_.back().knows_no_sizes = frames_.back().knows_no_sizes || failed_;
        return TN_INVALID_ARGUMENT;
    }
    const Type& known = graph_.type(value);
    if (const std::size_t room = (type.struct_size - offsetof(tn_type, dim)) / sizeof(Dim); known.dims.size() > room) {
        return refuse("type_of was asked for " + graph_.symbols.text(known) +
                      ", but the plugin was built for values of " + std::to_string(room) +
                      " dimensions; build it with the SDK of this host");
    }
    type.dtype = known.kind == Kind::kReal ? TN_REAL : known.kind == Kind::kInt ? TN_I64 : TN_BOOL;
    type.rank = static_cast<std::uint32_t>(known.dims.size());
    std::copy(known.dims.begin(), known.dims.end(), type.dim);
    return TN_OK;
}

tn_status Builder::refuse(std::string sentence) {
    fail(std::move(sentence), 0);
    return TN_INVALID_ARGUMENT;
}

void Builder::keep_untold(bool all) {
    for (kept_ = all ? 0 : kept_; kept_ < told_later_->size(); ++kept_) {
        tenon::keep_untold(render((*told_later_)[kept_]) + "\n");
    }
}

void Builder::give_up() {
    failed_ = true;
    if (!std::exchange(given_up_, true)) {
        problems_.push_back(environment_problem(
            here() + "there is not enough memory for its graph of " + counted(graph_.nodes.size(), "node"),
            frames_.back().unit == nullptr ? Place{} : frames_.back().unit->place));
    }
}

bool Builder::tell_first(std::string mark) {
    failed_ = true;
    const bool first = (context_.told == nullptr ? told_ : *context_.told).insert(std::move(mark)).second;
    repeated_ += first ? 0 : 1;
    return first;
}

Problem* Builder::fail(Fault fault, std::string sentence, std::uint32_t source, const std::vector<Operand>& operands) {
    const Frame& frame = frames_.back();
    sentence = repaired(sentence);  // it may contain names from a plugin
    // The key does not contain the function's name. A mistake on one line, or in what a component was given, is the
    // same in all functions that the line builds, and is reported once.
    const std::string role = frame.unit == nullptr ? "" : frame.unit->role;
    const Place at = place_of(source);
    if (!tell_first(role + "\n" + sentence + "\n" + at.file + ":" + std::to_string(at.line) + ":" +
                    std::to_string(at.column))) {
        return nullptr;
    }
    Problem problem{.fault = fault, .sentence = here() + sentence, .place = at, .help = {}, .also = {}};
    for (const Operand& operand : operands) {
        const auto here_at = frame.lines.find(operand.value);
        Place place = place_of(here_at == frame.lines.end() ? graph_.node_of(operand.value).source : here_at->second);
        place.label = repaired(operand.label.empty() ? graph_.symbols.text(graph_.type(operand.value)) : operand.label);
        const bool same_spot = place.file == at.file && place.line == at.line && place.column == at.column;
        if (!place.file.empty() && (!same_spot || operands.size() > 1)) {  // if there are two operands, both are shown
            problem.also.push_back(std::move(place));
        }
    }
    if (frame.unit != nullptr && !frame.unit->place.file.empty()) {
        problem.also.push_back(frame.unit->place);
    }
    problems_.push_back(std::move(problem));
    return &problems_.back();
}

Place Builder::place_of(std::uint32_t source) const {
    const Source& known = graph_.sources[source];
    return Place{.file = repaired(known.file), .line = known.line, .column = known.column, .length = 1, .excerpt = {}};
}

std::string Builder::here() const {
    const Frame& frame = frames_.back();
    std::string out = frame.unit == nullptr ? "" : frame.unit->component + ", " + frame.function + ": ";
    for (const std::uint32_t id : open_regions_) {  // the body of a composite often belongs to another author
        const Region& region = graph_.regions[id];
        out += region.name.empty() ? "" : region.name + ": ";
    }
    return out;
}

const Column* Builder::find_column(std::string_view key) const {
    const auto found =
        std::ranges::find_if(*context_.columns, [&](const Column& column) { return column.spec.key == key; });
    return found == context_.columns->end() ? nullptr : &*found;
}

}  // namespace tenon::graph
