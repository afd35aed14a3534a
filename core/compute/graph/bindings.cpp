// SPDX-License-Identifier: Apache-2.0
// Calls that bind values: the function reads them in place of columns or of the network's memories. An actor reads
// imagined states this way.
#include <algorithm>
#include <set>

#include "base/error/listed.hpp"
#include "compute/graph/attributes.hpp"
#include "compute/graph/builder.hpp"

namespace tenon::graph {
namespace {

constexpr std::string_view kMemory = "memory.";
constexpr std::string_view kParameters = "parameters";

std::optional<std::string> memory_of(const Unit& unit, std::string_view name) {
    return name.starts_with(kMemory) ? std::optional(key_of_memory(unit, name.substr(kMemory.size()))) : std::nullopt;
}

// "32", "8, 8", or "no sizes".
std::string text_of_sizes(std::span<const Dim> sizes) {
    return sizes.empty() ? "no sizes" : "sizes " + listed(sizes, [](Dim size) { return std::to_string(size); });
}

}  // namespace

std::size_t Builder::memories_among(std::span<const std::string> names) {
    return static_cast<std::size_t>(
        std::ranges::count_if(names, [](const std::string& name) { return name.starts_with(kMemory); }));
}

// Reads what the call binds. False if it binds a name twice, or a value whose sizes differ from the column's.
bool Builder::bind(Frame& frame, const Draft& draft, std::span<const std::string> names,
                   std::span<const ValueId> values, Bindings& bound) {
    if (const Bindings* const outer = frames_.back().bound; outer != nullptr) {
        bound.columns = outer->columns;
        bound.memories = outer->memories;
        bound.parameters = outer->parameters;
    }
    if (frame.prefix.find('|') != std::string::npos) {
        fail("the call of " + frame.unit->role + " binds columns of two batches at once; call it on each",
             draft.source);
        return false;
    }
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string function = frame.unit->role + "." + frame.function;
        if (!seen.insert(names[i]).second) {
            fail("the call of " + function + " binds '" + names[i] + "' twice", draft.source);
            return false;
        }
        if (const auto memory = memory_of(*frame.unit, names[i])) {
            bound.memories[*memory] = values[i];
            continue;
        }
        if (names[i] == kParameters) {
            if (!bind_parameters(*frame.unit, values[i], draft.source, bound)) {
                return false;
            }
            continue;
        }
        const std::string key = frame.prefix + names[i];
        const Type& type = graph_.type(values[i]);
        if (const Column* const column = find_column(key); column != nullptr) {
            const Type stored = type_of(column->spec);
            const bool fits = std::ranges::equal(stored.sizes(), type.sizes()) && stored.kind == type.kind;
            if (!fits && !is_transformed(*column)) {  // a transform may change its sizes
                fail("the call of " + function + " binds '" + names[i] + "', which is " + graph_.symbols.text(stored) +
                         ", to " + graph_.symbols.text(type),
                     draft.source, {{values[i], ""}});
                return false;
            }
        }
        bound.columns[key] = values[i];
    }
    frame.bound = &bound;
    return true;
}

// Reports bindings that nothing has read. Returns what the network remembers for the memories among the bindings.
Builder::Values Builder::unbind(const Unit& unit, const Draft& draft, const std::string& prefix,
                                std::span<const std::string> names, const Bindings& bound) {
    Values out;
    for (const std::string& name : names) {
        const auto memory = memory_of(unit, name);
        if (!bound.read.contains(memory ? *memory : name == kParameters ? name : prefix + name)) {
            Problem* told = fail(Fault::kInput,
                                 "[policy." + unit.role + "] must read '" + name + "', which it is to be given as " +
                                     "a value, but " + text_of(draft.attributes, "function") + " does not read it",
                                 draft.source);
            if (told != nullptr && !unit.place.file.empty()) {
                told->also.push_back(unit.place);
            }
        }
        if (memory) {
            const auto next = bound.remembered.find(*memory);
            out.push_back(next != bound.remembered.end() ? next->second : bound.memories.find(*memory)->second);
        }
    }
    Bindings* const outer = frames_.back().bound;
    if (outer != nullptr) {  // a call inside this one has read its values
        outer->read.insert(bound.read.begin(), bound.read.end());
        for (const auto& [key, value] : bound.remembered) {
            const bool own = std::ranges::any_of(names, [&](const auto& name) { return memory_of(unit, name) == key; });
            if (!own) {
                outer->remembered[key] = value;
            }
        }
    }
    return out;
}

// The bindings of a call, in a separate builder that builds the function at one step of time and without a prefix.
Builder::Bindings Builder::bindings_aside(const Frame& frame, Builder& aside, std::size_t inputs) const {
    Bindings out;
    std::size_t number = inputs;
    const auto inside = [&](ValueId value) { return value == 0 ? 0 : stand_in(aside, graph_.type(value), number++); };
    for (const auto& [key, value] : frame.bound->columns) {
        out.columns[key.starts_with(frame.prefix) ? key.substr(frame.prefix.size()) : key] = inside(value);
    }
    for (const auto& [key, value] : frame.bound->memories) {
        out.memories[key] = inside(value);
    }
    for (const auto& [key, value] : frame.bound->parameters) {
        out.parameters[key] = inside(value);
    }
    return out;
}

ValueId Builder::stand_in(Builder& aside, const Type& type, std::size_t number) {
    return aside
        .intern(Draft{&op_of(OpId::kArgument_1),
                      {},
                      {{"number", static_cast<std::int64_t>(number)}, {"region", std::int64_t{0}}},
                      0},
                {at_one_step(type, kTime)}, 0)
        .front();
}

// The value that is bound for the column; none if there is no such binding.
std::optional<ValueId> Builder::bound_column(const std::string& key) {
    Bindings* const bound = frames_.back().bound;
    if (bound == nullptr || !bound->columns.contains(key)) {
        return std::nullopt;
    }
    bound->read.insert(key);
    return bound->columns.find(key)->second;
}

// Marks all bindings as read, for a function that was already built with them.
void Builder::mark_read(Bindings* bound) {
    if (bound != nullptr) {
        for (const auto* list : {&bound->columns, &bound->memories}) {
            for (const auto& [key, value] : *list) {
                bound->read.insert(key);
            }
        }
        if (!bound->parameters.empty()) {
            bound->read.insert(std::string(kParameters));
        }
    }
}

bool Builder::bind_parameters(const Unit& unit, ValueId value, std::uint32_t source, Bindings& bound) {
    const std::vector<Named> parts = cut_parameters(unit.role, value, "the call of " + unit.role + " binds", source);
    for (const Named& part : parts) {
        bound.parameters[part.name] = part.value;
    }
    return !parts.empty();
}

// The value in place of the frame's parameter of that name; none if its network's are not bound.
std::optional<ValueId> Builder::bound_parameter(const std::string& name, const Draft& draft) {
    const std::string role = frames_.back().unit->role + "/";
    Bindings* const bound = frames_.back().bound;
    if (bound == nullptr) {
        return std::nullopt;
    }
    const auto first = bound->parameters.lower_bound(role);
    if (first == bound->parameters.end() || !first->first.starts_with(role)) {
        return std::nullopt;
    }
    bound->read.insert(std::string(kParameters));
    const auto found = bound->parameters.find(role + name);
    if (found == bound->parameters.end()) {
        fail("it reads the parameter '" + name +
                 "', which is not among the parameters that its call binds: the program must call a function that "
                 "reads it before it takes the network's parameters",
             draft.source);
        return ValueId{0};
    }
    return found->second;
}

std::optional<ValueId> Builder::bound_memory(const std::string& key, const Draft& draft) {
    Bindings* const bound = frames_.back().bound;
    if (bound == nullptr || !bound->memories.contains(key)) {
        return std::nullopt;
    }
    bound->read.insert(key);
    const ValueId value = bound->memories.find(key)->second;
    const auto sizes = value_or(draft.attributes, "shape", std::vector<std::int64_t>());
    if (value != 0 && !std::ranges::equal(graph_.type(value).sizes(), sizes)) {
        fail("memory '" + key + "' has " + text_of_sizes(sizes) + ", but the call binds it to " +
                 graph_.symbols.text(graph_.type(value)),
             draft.source, {{value, ""}});
        return ValueId{0};
    }
    return value;
}

}  // namespace tenon::graph
