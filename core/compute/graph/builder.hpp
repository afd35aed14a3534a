// SPDX-License-Identifier: Apache-2.0
// Builds one graph: adds nodes on behalf of plugins, inlines policies' functions into their callers, and collects every
// mistake with the author's file and line. The C functions of tenon/abi/graph.h only check pointers and call it
// (surface.cpp).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compute/graph/context.hpp"
#include "compute/graph/graph.hpp"
#include "compute/graph/rules.hpp"

namespace tenon::graph {

class Builder {
public:
    Builder(const Context& context, Problems& problems);

    // What a function draws: new numbers, or the numbers that earlier functions of its network have drawn under the
    // same label from the same values.
    enum class Draws { kOwn, kShared };

    // Builds a unit's function at the top level of the program; inputs are values of this graph. Outputs may be
    // poisoned.
    std::vector<ValueId> build(const Unit& unit, std::string_view function, std::span<const ValueId> inputs,
                               std::string_view mode, Draws draws = Draws::kOwn);

    // Checks that every memory of the program is remembered for the next step.
    void check_memories();

    // Whether the function has a memory that this program does not remember yet. The inputs are valid values of this
    // graph.
    [[nodiscard]] bool remembers_more(const Unit& unit, std::string_view function,
                                      std::span<const ValueId> inputs) const;

    // These two are for code that assembles a program from plugins' functions.
    ValueId read_column(std::string_view key);
    // If the value has one row for each agent of a group, it becomes a column of the group.
    void write(std::string name, ValueId value);
    // Cuts a row of numbers into the columns "KEY.part" of an action of several columns (action_parts.cpp). None if the
    // action is one column, or if the row does not have as many elements as the columns together.
    std::vector<Named> cut_action(std::string_view key, ValueId row);
    [[nodiscard]] std::vector<const Column*> action_parts(std::string_view key) const;

    [[nodiscard]] Graph take() { return std::move(graph_); }
    [[nodiscard]] const Graph& graph() const { return graph_; }
    [[nodiscard]] bool failed() const { return failed_; }

    // The builder whose function this thread is building, or null. A plugin may call no other.
    static Builder* current();

    // The functions behind the C interface. Their caller has checked the pointers (surface.cpp).
    tn_status emit(const tn_node& node);
    tn_status type_of(tn_value value, tn_type& type);
    tn_status spec_of(std::string_view key, bool optional, const tn_source* source, const tn_spec** spec);
    std::uint32_t find(const char* name, std::uint32_t revision);
    tn_status region_begin(const tn_node& node, std::span<tn_value> body);
    tn_status region_end(std::span<const tn_value> results, std::span<tn_value> out);
    tn_status actions(const tn_spec* const** list, std::uint32_t& count);
    // Reports an invalid call that has no author's line.
    tn_status refuse(std::string sentence);
    // Passes the new problems, or all of them, to the crash handler (plugin/crash.hpp).
    void keep_untold(bool all = false);
    // Memory ran out in the middle of a change. The graph cannot be used any more.
    void give_up();
    [[nodiscard]] bool has_given_up() const { return given_up_; }

private:
    // What a function that runs step by step reads and what it remembers, by key.
    struct Steps {
        std::uint32_t region = 0;
        std::map<std::string, ValueId, std::less<>> memories;
        std::map<std::string, ValueId, std::less<>> remembered;
    };

    // The windows of a function's histories over sequences, by key.
    struct Histories {
        struct Seen {
            ValueId rows = 0;
            ValueId count = 0;  // of rows that count
        };
        std::map<std::string, Seen, std::less<>> seen;
        bool after = false;      // the function is under "next.", where windows move on
        std::size_t number = 0;  // of those that do; columns must be read again, because `seen` is filled on the way
    };

    // A history as a function reads it.
    struct History {
        std::string name;
        std::int64_t window = 1;
        std::uint32_t source = 0;
        std::int64_t axis = -1;                 // of its rows
        std::vector<std::int64_t> before = {};  // the shape of the rows before a step
    };

    // Values that a called function reads instead of a column or memory, by its full key.
    struct Bindings {
        std::map<std::string, ValueId, std::less<>> columns;
        std::map<std::string, ValueId, std::less<>> memories;
        std::map<std::string, ValueId, std::less<>> parameters;  // by "role/name"
        std::map<std::string, ValueId, std::less<>> remembered;
        std::set<std::string, std::less<>> read;
    };

    // One call of a function: which unit it belongs to, and how its reads are resolved.
    struct Frame {
        const Unit* unit = nullptr;  // null at the top, where only the host reads and writes columns
        std::string function;
        std::string prefix = {};   // put before the keys of columns: "next."; "|next.": both, stacked
        std::string slab;          // live, target, reference
        std::string version = {};  // empty: as of the start of the update; else after that stage
        std::string mode;          // train, eval, act
        std::int64_t draws = 0;    // more than 0: of every random node, a row
        std::string path = {};     // of calls from the top, the name of random streams
        std::map<std::string, int, std::less<>> ordinals = {};
        Steps* steps = nullptr;          // inside a scan over the steps of sequences
        Histories* histories = nullptr;  // over sequences, of a function that has some
        Bindings* bound = nullptr;
        std::size_t regions = 0;  // the number of open regions when it was called
        bool shares_draws = false;
        bool knows_no_sizes = false;  // it has asked for the size of a poisoned value, so its shapes may depend on it
        // The author's line at which this function got a value. The node itself may come from another function: an
        // earlier one, or one that this function called.
        std::unordered_map<ValueId, std::uint32_t> lines = {};
    };

    struct Draft {
        const OpDef* op = nullptr;
        std::vector<ValueId> inputs;
        std::vector<Attribute> attributes;
        std::uint32_t source = 0;
    };

    using Values = std::vector<ValueId>;

    bool read_node(const tn_node& node, Draft& draft);
    void name_networks(Draft& draft);
    void say_what_is_missing(std::uint32_t source);
    bool check_values(std::span<const ValueId> values, std::string_view user, std::uint32_t source);
    bool read_attributes(const tn_node& node, Draft& draft);
    bool check_inputs(Draft& draft);
    Values add(Draft draft);
    Values intern(Draft draft, std::vector<Type> types, std::uint32_t region);
    bool check_size(const Draft& draft, const std::vector<Type>& types);
    bool check_time(const Draft& draft);
    Values make(OpId op, std::vector<ValueId> inputs, std::vector<Attribute> attributes, Type type);
    Values special(Draft& draft);
    Values column(Draft& draft);
    [[nodiscard]] std::string group_with(std::string_view key) const;
    [[nodiscard]] const Column* find_in_group(std::string_view key) const;
    Spec spec_of_one(const Column& column);
    ValueId by_agent(const Column& column, const std::string& group, std::uint32_t source);
    ValueId ungrouped(const Column& column, ValueId value, std::uint32_t source);
    ValueId of_one_agent(const Column& column, std::uint32_t source);
    ValueId of_all_agents(const Column& column, std::uint32_t source);
    [[nodiscard]] bool ends_by_agent(std::string_view key) const;
    ValueId end_of_agent(std::string_view key, std::uint32_t source);
    ValueId present_in(const std::string& group, std::uint32_t source);
    ValueId present_for(ValueId value, std::uint32_t source);
    ValueId stretched(ValueId present, ValueId value, std::uint32_t source);
    ValueId where_present(ValueId value, ValueId present, std::uint32_t source);
    std::pair<ValueId, ValueId> over_all(ValueId value, ValueId present, std::uint32_t source);
    ValueId quotient(ValueId a, ValueId b, std::uint32_t source);
    ValueId node(OpId op, std::vector<ValueId> inputs, std::uint32_t source, std::vector<Attribute> attributes = {});
    std::optional<Values> over_present(const Draft& draft);
    ValueId deviation_of_present(ValueId value, ValueId present, std::uint32_t source);
    std::pair<std::string, ValueId> column_of(std::string key, ValueId value, std::uint32_t source);
    ValueId mean_over_agents(ValueId value, std::uint32_t source);
    ValueId mean_over_all_agents(ValueId value, std::uint32_t source);
    std::vector<Dim> members_of(const Unit& unit);
    Dim agents_of(const Unit& unit);
    Values provided_column(const Draft& draft);
    [[nodiscard]] const StandIn* find_stand_in(std::string_view key) const;
    [[nodiscard]] const Column* find_stored(std::string_view key) const;
    [[nodiscard]] const StandIn* find_stand_in_of_agent(std::string_view key) const;
    ValueId stood_in_by_agent(const StandIn& wanted, std::uint32_t source);
    Values stood_in(const std::string& key, std::uint32_t source);
    ValueId of_all_rows(const StandIn& wanted, ValueId value, std::uint32_t source);
    ValueId stand_in_value(const StandIn& wanted, std::uint32_t source);
    bool suits(const StandIn& wanted, ValueId value, std::uint32_t source);
    void report_type(const StandIn& wanted, ValueId value, const Type& type, std::uint32_t source);
    Type type_of_one(const Column& column, const std::string& group);
    Spec spec_of_stand_in(const StandIn& wanted, ValueId value);
    Values provided_by(const Unit& unit, const std::string& function, const std::string& prefix, std::uint32_t source);
    Values stacked_columns(const Draft& draft);
    Values joined_action(const std::vector<const Column*>& parts, std::uint32_t source);
    const tn_spec& spec_of(const Column& column, const std::string& key, const tn_source* source);
    ValueId stored(const Column& column, std::uint32_t source);
    ValueId read(const Column& column, std::uint32_t source);
    [[nodiscard]] bool is_transformed(const Column& column) const;
    ValueId transformed(const Column& column, ValueId value, std::uint32_t source);
    Spec transformed_spec(const Column& column, std::uint32_t source);
    static void set_shape(Spec& spec, const Type& type);
    Values parameter(Draft& draft);
    Values gradient(const Draft& draft);
    [[nodiscard]] Values parameters_read(std::string_view role) const;
    Values parameters(const Draft& draft);
    bool bind_parameters(const Unit& unit, ValueId value, std::uint32_t source, Bindings& bound);
    std::optional<ValueId> bound_parameter(const std::string& name, const Draft& draft);
    std::vector<Named> cut_parameters(const std::string& role, ValueId value, const std::string& what,
                                      std::uint32_t source);
    void parameters_write(const Draft& draft);
    Values option(Draft& draft);
    Values call(Draft& draft);
    bool bind(Frame& frame, const Draft& draft, std::span<const std::string> names, std::span<const ValueId> values,
              Bindings& bound);
    Values unbind(const Unit& unit, const Draft& draft, const std::string& prefix, std::span<const std::string> names,
                  const Bindings& bound);
    Bindings bindings_aside(const Frame& frame, Builder& aside, std::size_t inputs) const;
    static ValueId stand_in(Builder& aside, const Type& type, std::size_t number);
    static void mark_read(Bindings* bound);
    std::optional<ValueId> bound_column(const std::string& key);
    std::optional<ValueId> bound_memory(const std::string& key, const Draft& draft);
    Values random(Draft& draft, Type type);
    [[nodiscard]] std::uint32_t region_of_draw(std::span<const ValueId> inputs) const;
    bool is_drawn(const Type& type, std::int64_t draws);
    Values memory(Draft& draft);
    void remember(const Draft& draft);
    void remember_once(const std::string& name, const std::string& key, ValueId value, std::uint32_t source);
    bool may_remember(const std::string& name, std::uint32_t source);
    [[nodiscard]] Memory memory_of_frame(std::string_view name, std::vector<std::int64_t> shape);
    bool check_sequences(const Frame& frame, std::uint32_t source);
    Values history(const Draft& draft);
    Values episode_step(std::uint32_t source);
    ValueId kept(ValueId count, std::uint32_t source);
    ValueId step_now(std::uint32_t source);
    ValueId steps_before(std::uint32_t source);
    bool check_history(const History& history, ValueId row);
    Values history_now(const History& history, ValueId row);
    bool fits_shape(const History& history, std::span<const std::int64_t> one, std::span<const std::int64_t> other);
    ValueId last_window(const History& history);
    void write_row(const History& history, ValueId row);
    std::vector<std::int64_t> shape_of_earlier(const History& history);
    ValueId earlier_rows(const History& history);
    Values history_over_time(const History& history, ValueId row);
    Values history_after(const History& history, ValueId row);
    Values masked(const History& history, ValueId rows, ValueId count);
    ValueId with_row(const History& history, ValueId before, ValueId row);
    ValueId without_oldest(const History& history, ValueId rows);
    ValueId first_present(const History& history, ValueId count);
    ValueId rows_that_count(ValueId so_far, std::uint32_t source);
    ValueId present_here(std::uint32_t source);
    ValueId cast(ValueId value, const char* to, std::uint32_t source);
    ValueId number(double value);
    ValueId whole(std::int64_t value);
    [[nodiscard]] Type type_of(const Spec& spec) const;
    ValueId stored_memory(const Memory& memory, std::uint32_t source);
    ValueId forgotten_where_absent(ValueId value, std::uint32_t source);
    ValueId first_memory(const Frame& frame, const Memory& memory, std::uint32_t source);
    ValueId end_of_burn_in(std::uint32_t source);
    ValueId beginnings(std::uint32_t source);
    ValueId is_step(OpId compared, std::int64_t which, std::uint32_t source);
    ValueId cut(ValueId memory, ValueId where, std::uint32_t source);
    [[nodiscard]] bool is_inside(ValueId value, std::uint32_t region) const;
    void enter_steps(Draft& draft);
    void enter_inner_scan(Region& inner);
    ValueId step_of(ValueId sequence, std::uint32_t id, std::uint32_t source);
    [[nodiscard]] std::vector<bool> leading_to(const Values& values, std::uint32_t region) const;
    [[nodiscard]] Values read_of(NodeId id, std::uint32_t region) const;
    [[nodiscard]] std::string text_of_steps(std::uint32_t id, const std::vector<bool>& kept,
                                            const Values& results) const;
    Values close_steps(std::uint32_t id, const Values& kept, const Values& yielded);
    [[nodiscard]] Values results_of_steps(std::uint32_t id, const Values& kept, const Values& yielded,
                                          const std::vector<bool>& wanted) const;
    Values end_steps(std::uint32_t id, const Values& results);
    Values move_out(std::uint32_t id, const std::vector<bool>& wanted, const Values& yielded,
                    std::map<ValueId, ValueId> outside);
    [[nodiscard]] std::map<ValueId, ValueId> sequences_of(std::uint32_t id) const;
    Values before_steps(const Values& outputs);
    void copy(NodeId id, const std::vector<bool>& wanted, std::map<ValueId, ValueId>& placed, std::uint32_t around);
    Values copy_scan(NodeId id, const Draft& draft, const std::vector<bool>& wanted, std::map<ValueId, ValueId>& placed,
                     std::uint32_t around);
    Values step_outputs(Frame frame, std::span<const ValueId> inputs, std::size_t outputs);
    Values run_steps(Frame frame, const std::vector<Memory>& memories, std::span<const ValueId> inputs,
                     std::size_t outputs, std::uint32_t source);
    [[nodiscard]] std::vector<Memory> memories_of(const Frame& frame, std::span<const ValueId> inputs) const;
    bool suits_group(const Unit& network, std::uint32_t source);
    [[nodiscard]] bool is_running(const Unit& unit, std::string_view function) const;
    bool check_name(const Draft& draft);
    void add_effect(const Draft& draft);
    void stage(const Draft& draft);
    void rows(const Draft& draft);
    void write(const Draft& draft);
    void metric(const Draft& draft);
    void state_write(const Draft& draft);
    void named(const Draft& draft, std::vector<Named>& list, std::string name);
    Values run(Frame frame, std::span<const ValueId> inputs, std::size_t outputs);
    Values run_or_step(Frame frame, std::span<const ValueId> inputs, std::size_t outputs, std::uint32_t source);
    static std::size_t memories_among(std::span<const std::string> names);
    std::uint32_t stage_index(const std::string& name, const Draft& draft);
    [[nodiscard]] bool is_open(std::uint32_t region) const;
    bool region_of(std::span<const ValueId> inputs, std::uint32_t& region) const;
    [[nodiscard]] std::uint32_t open_steps() const;
    [[nodiscard]] std::uint32_t around_scan(std::uint32_t id) const;
    tn_status end_scan(std::uint32_t id, std::span<tn_value> out);
    bool end_with_rows(std::uint32_t id);
    ValueId no_row_done(const Region& region, const Type& flags);
    ValueId kept_where(ValueId done, ValueId kept, ValueId value, std::uint32_t source);
    ValueId filled_where(ValueId done, double fill, ValueId value, std::uint32_t source);
    bool read_steps(const Draft& draft, Region& region);
    static void close_arguments(Region& region);
    void open_scan(const Draft& draft, Region& region);
    void check_reset(const Draft& draft, Region& region);
    std::optional<std::size_t> find_kernel(const Draft& draft);
    Values intern_fused(Draft draft, std::size_t kernel, std::vector<Type> types);
    Values fused(Draft& draft);
    Values close_fused(std::uint32_t id);
    [[nodiscard]] std::uint32_t scan_of_value(ValueId value) const;

    // A value that a problem is about; without a label it is labelled with its type.
    struct Operand {
        Operand(ValueId of, std::string called = {}) : value(of), label(std::move(called)) {}
        ValueId value;
        std::string label;
    };

    // The new problem, or null if this mistake has been reported before.
    Problem* fail(Fault fault, std::string sentence, std::uint32_t source, const std::vector<Operand>& operands = {});
    // The same for a mistake of the plugin's author.
    Problem* fail(std::string sentence, std::uint32_t source, const std::vector<Operand>& operands = {}) {
        return fail(Fault::kPlugin, std::move(sentence), source, operands);
    }
    bool tell_first(std::string mark);  // false, and counted as repeated, if it has been reported
    [[nodiscard]] std::size_t said() const { return problems_.size() + repeated_; }
    std::uint32_t add_source(const tn_source* source);
    [[nodiscard]] Place place_of(std::uint32_t source) const;
    [[nodiscard]] std::string here() const;  // "dqn/dqn, update: "; inside of a composite its name, too
    // The key with the frame's prefix; the first one if the frame has several, separated by '|'.
    [[nodiscard]] std::string full_key(std::string_view key) const {
        const std::string& prefix = frames_.back().prefix;
        return prefix.substr(0, prefix.find('|')) + std::string(key);
    }
    [[nodiscard]] const Column* find_column(std::string_view key) const;

    Context context_;
    Problems& problems_;
    Graph graph_;
    std::vector<Frame> frames_;
    std::vector<std::uint32_t> open_regions_;
    std::unordered_map<std::string, NodeId> known_;
    std::unordered_map<std::string, Values> scans_;  // over steps, by what they compute
    // columns that networks provide, by role, function and the way they are read
    std::unordered_map<std::string, Values> provided_;
    std::unordered_map<std::string, ValueId> stood_in_;  // values of stand-ins, by key
    const Unit* of_group_ = nullptr;                     // the network of a group that an objective without one calls
    std::map<std::string, const Unit*> built_;           // whose draws have the path of a function alone
    std::unordered_map<std::string, Values> drawn_;      // by network, label and the values that they are drawn from
    std::map<std::string, tn_spec, std::less<>> specs_;  // handed out by spec_of
    std::map<std::string, Spec, std::less<>> transformed_specs_;  // what some of them point into
    std::vector<const tn_spec*> actions_;                         // handed out by actions
    std::string asked_name_;
    std::uint32_t asked_revision_ = 0;
    std::set<std::string> told_;  // used if the context has none
    bool failed_ = false;
    bool given_up_ = false;
    const Problems* told_later_;  // its own problems, or those of the build that it assists
    std::size_t kept_ = 0;        // how many of the problems the crash handler has
    std::size_t repeated_ = 0;    // mistakes that had been reported before
    std::size_t histories_ = 0;   // how often windows have moved on
};

// Before the key of a column that has a stand-in: what is stored.
inline constexpr std::string_view kStored = "stored.";
// The column of a group that says which agents take part in a row.
inline constexpr std::string_view kPresent = "present";

// "next.reward" of the group "agents" is stored as "next.agents.reward".
std::string key_in_group(std::string_view group, std::string_view key);

// The column of a network's memory of this name.
std::string key_of_memory(const Unit& unit, std::string_view name);

// The symbol of the value's group; nothing if the value has none.
std::optional<Dim> group_in(const Type& type);

// A text for what a node computes from inputs of these names. Nodes that compute different things have different texts.
std::string identity_text(const Node& node, const std::vector<std::string>& inputs);

// The functions of the C interface. The tn_graph* that plugins get with it is the builder.
const tn_graph_api& graph_surface();
tn_graph* handle_of(Builder& builder);

}  // namespace tenon::graph
