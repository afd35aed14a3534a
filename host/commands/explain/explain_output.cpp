// SPDX-License-Identifier: Apache-2.0
#include "commands/explain/explain_output.hpp"

#include <ostream>
#include <string>
#include <vector>

#include "base/error/listed.hpp"
#include "base/json/write.hpp"
#include "commands/explain/explain.hpp"
#include "table.hpp"

namespace tenon::host {
namespace {

std::string list_of(const std::vector<std::string>& words) {
    return words.empty() ? "-" : listed(words);
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
    std::string out;
    for (const std::int64_t extent : shape) {
        out += (out.empty() ? "[" : ", ") + std::to_string(extent);
    }
    return out.empty() ? "" : out + "]";
}

// Prints the plugins that are not shipped.
void print_plugins(std::ostream& out, const std::vector<ExplainedPlugin>& plugins) {
    std::vector<Row> rows = {{"PLUGIN", "FILE", "IN PLACE OF"}};
    for (const ExplainedPlugin& plugin : plugins) {
        if (!plugin.in_place_of.empty()) {
            rows.push_back({plugin.name, plugin.path, plugin.in_place_of});
        }
    }
    if (rows.size() > 1) {
        print_rows(out, rows);
        out << '\n';
    }
}

void print_tasks(std::ostream& out, const std::vector<ExplainedTask>& tasks) {
    std::vector<Row> rows = {{"TASK", "COMPONENT", "LANES"}};
    for (const ExplainedTask& task : tasks) {
        const std::string first = std::to_string(task.first);
        rows.push_back({task.name, task.component,
                        task.lanes == 1 ? first : first + " to " + std::to_string(task.first + task.lanes - 1)});
    }
    print_rows(out, rows);
}

void print_columns(std::ostream& out, const std::vector<ExplainedColumn>& columns) {
    std::vector<Row> rows = {{"COLUMN", "TYPE", "SHAPE", "WRITTEN BY", "READ BY", "PER ROW", "TOTAL"}};
    for (const ExplainedColumn& column : columns) {
        rows.push_back({column.key, column.dtype, shape_text(column.shape), column.writer, list_of(column.readers),
                        size_text(column.row_bytes), size_text(column.bytes)});
    }
    print_rows(out, rows, "", "lllllrr");
}

void print_buffers(std::ostream& out, const std::vector<ExplainedBuffer>& all) {
    std::vector<Row> rows = {{"BUFFER", "SAMPLER", "FRAMES"}};
    for (const ExplainedBuffer& one : all) {
        rows.push_back({one.name, one.sampler.empty() ? "-" : one.sampler, one.frames});
    }
    print_rows(out, rows);
}

void print_stand_ins(std::ostream& out, const std::vector<ExplainedStandIn>& all) {
    std::vector<Row> rows = {{"STAND-IN", "FOR THE COLUMN", "WHICH IS", "READ BY"}};
    for (const ExplainedStandIn& one : all) {
        rows.push_back({one.of, one.key, one.stored ? "stored, too" : "not stored", list_of(one.readers)});
    }
    print_rows(out, rows);
}

// "5", "2 x 3".
std::string sizes_text(const std::vector<std::int64_t>& sizes) {
    std::string out;
    for (const std::int64_t size : sizes) {
        out += (out.empty() ? "" : " x ") + std::to_string(size);
    }
    return out;
}

void print_categories(std::ostream& out, const std::vector<ExplainedCategories>& categories) {
    std::vector<Row> rows = {{"CATEGORIES", "SIZES", "READ AS"}};
    for (const ExplainedCategories& one : categories) {
        rows.push_back({one.column, sizes_text(one.sizes), listed(one.read_as)});
    }
    print_rows(out, rows);
}

// "target, behaviour"; "none".
std::string copies_text(const ExplainedNetwork& network) {
    std::vector<std::string> all = network.copies;
    if (network.target) {
        all.insert(all.begin(), "target");
    }
    return all.empty() ? "none" : listed(all);
}

void print_networks(std::ostream& out, const std::vector<ExplainedNetwork>& networks) {
    std::vector<Row> rows = {{"NETWORK", "COMPONENT", "MEMBERS", "PARAMETERS", "STATE", "COPIES", "INITIAL", "MEMORY"}};
    for (const ExplainedNetwork& network : networks) {
        rows.push_back({network.role, network.component, std::to_string(network.members),
                        std::to_string(network.trainable), std::to_string(network.state), copies_text(network),
                        (network.init.empty() ? "at random" : network.init) + (network.frozen ? ", frozen" : ""),
                        size_text(network.bytes)});
    }
    print_rows(out, rows, "", "llrrrllr");
}

void print_layers(std::ostream& out, const std::vector<ExplainedLayer>& layers) {
    std::vector<Row> rows = {{"LAYER", "OP", "INPUT", "OUTPUT"}};
    for (const ExplainedLayer& layer : layers) {
        rows.push_back({layer.network + (layer.name.empty() ? "" : "." + layer.name), layer.op, shape_text(layer.reads),
                        shape_text(layer.gives)});
    }
    print_rows(out, rows);
}

void print_stages(std::ostream& out, const std::vector<ExplainedStage>& stages) {
    std::vector<Row> rows = {{"STAGE", "LOSSES", "OWNS", "OPTIMISER", "EVERY"}};
    for (const ExplainedStage& stage : stages) {
        rows.push_back({stage.name, list_of(stage.losses), list_of(stage.owns), stage.optimiser,
                        (stage.every == 1 ? "" : std::to_string(stage.every) + " ") + stage.unit +
                            (stage.every == 1 || stage.unit == "frames" ? "" : "s")});
    }
    print_rows(out, rows);
}

void write(JsonWriter& json, const std::vector<std::string>& words) {
    json.begin_array();
    for (const std::string& word : words) {
        json.text(word);
    }
    json.end_array();
}

void write_bytes(JsonWriter& json, const char* key, std::uint64_t bytes) {
    json.key(key).integer(static_cast<std::int64_t>(bytes));
}

void write(JsonWriter& json, const std::vector<std::int64_t>& shape) {
    json.begin_array();
    for (const std::int64_t extent : shape) {
        json.integer(extent);
    }
    json.end_array();
}

void write(JsonWriter& json, const ExplainedPlugin& plugin) {
    json.begin_object().key("plugin").text(plugin.name).key("path").text(plugin.path).key("in_place_of");
    plugin.in_place_of.empty() ? json.null() : json.text(plugin.in_place_of);
    json.end_object();
}

void write(JsonWriter& json, const ExplainedTask& task) {
    json.begin_object().key("task").text(task.name).key("component").text(task.component);
    json.key("first").integer(task.first).key("lanes").integer(task.lanes).end_object();
}

void write(JsonWriter& json, const ExplainedColumn& column) {
    json.begin_object().key("key").text(column.key).key("dtype").text(column.dtype).key("shape");
    write(json, column.shape);
    json.key("writer").text(column.writer).key("readers");
    write(json, column.readers);
    write_bytes(json, "row_bytes", column.row_bytes);
    write_bytes(json, "bytes", column.bytes);
    json.end_object();
}

void write(JsonWriter& json, const ExplainedBuffer& told) {
    json.begin_object().key("name").text(told.name).key("sampler").text(told.sampler).key("frames").text(told.frames);
    write_bytes(json, "bytes", told.bytes);
    json.end_object();
}

void write(JsonWriter& json, const ExplainedCategories& categories) {
    json.begin_object().key("column").text(categories.column).key("sizes").begin_array();
    for (const std::int64_t size : categories.sizes) {
        json.integer(size);
    }
    json.end_array().key("read_as");
    write(json, categories.read_as);
    json.end_object();
}

void write(JsonWriter& json, const ExplainedNetwork& network) {
    json.begin_object().key("role").text(network.role).key("component").text(network.component);
    json.key("members").integer(network.members);
    write_bytes(json, "parameters", network.trainable);
    write_bytes(json, "state", network.state);
    json.key("target").boolean(network.target).key("copies");
    write(json, network.copies);
    json.key("frozen").boolean(network.frozen).key("init").text(network.init);
    write_bytes(json, "bytes", network.bytes);
    json.end_object();
}

void write(JsonWriter& json, const ExplainedLayer& layer) {
    json.begin_object().key("network").text(layer.network).key("name").text(layer.name).key("op").text(layer.op);
    json.key("reads");
    write(json, layer.reads);
    json.key("gives");
    write(json, layer.gives);
    json.end_object();
}

void write(JsonWriter& json, const ExplainedStage& stage) {
    json.begin_object().key("name").text(stage.name).key("losses");
    write(json, stage.losses);
    json.key("owns");
    write(json, stage.owns);
    json.key("optimiser").text(stage.optimiser).key("every").integer(stage.every).key("unit").text(stage.unit);
    json.end_object();
}

void write(JsonWriter& json, const ExplainedStandIn& told) {
    json.begin_object().key("column").text(told.key).key("of").text(told.of).key("stored").boolean(told.stored);
    json.key("readers");
    write(json, told.readers);
    json.end_object();
}

void write(JsonWriter& json, const ExplainedSchedule& schedule) {
    json.begin_object().key("option").text(schedule.option).key("schedule").text(schedule.text).end_object();
}

void write(JsonWriter& json, const ExplainedHook& hook) {
    json.begin_object().key("component").text(hook.component).key("events");
    write(json, hook.events);
    json.key("reads");
    write(json, hook.reads);
    json.key("reports");
    write(json, hook.reports);
    json.key("moves");
    write(json, hook.moves);
    json.end_object();
}

void print_device_lanes(std::ostream& out, const ExplainedDevice& device) {
    out << "Device: " << device.name << " steps the lanes of " << device.steps;
    if (device.columns) {
        out << ", acts, and has all columns. Once a round rewards, ends of episodes and the newest observations are "
               "copied "
               "back; for a checkpoint all columns are.\n";
        return;
    }
    if (!device.why_columns_on_host.empty()) {
        out << ". It does not act, because " << device.why_columns_on_host;
    }
    out << ". A step copies " << size_text(device.to_device) << " to it and " << size_text(device.back) << " back, and "
        << size_text(device.at_end) << " more where an episode ends; each copy back is waited for.\n";
}

// Prints what the device computes, and what is copied to and from it.
void print_device(std::ostream& out, const ExplainedDevice& device, std::uint64_t minibatch_bytes) {
    if (!device.steps.empty()) {
        print_device_lanes(out, device);
    }
    if (!device.why_lanes_on_host.empty()) {
        out << "Device: the lanes are stepped on the CPU, where columns are: " << device.why_lanes_on_host << ".\n";
    }
    if (!device.rows_of.empty()) {
        out << "Device: " << device.name << " chooses the rows of " << listed(device.rows_of)
            << (device.columns ? ", which stay there.\n" : ". Columns stay in the memory of the CPU.\n");
    }
    if (!device.learns.empty()) {
        out << "Device: " << device.name << " computes the updates of " << listed(device.learns)
            << ". Parameters, targets, gradients and the optimiser's state are on the device. An update copies "
            << (device.columns ? "some numbers" : "its minibatch, " + size_text(minibatch_bytes) + ",")
            << " to it, and losses and metrics back"
            << (device.columns
                    ? ", once a round unless the CPU chooses rows by priorities.\n"
                    : ", with priorities if rows are chosen by them; parameters come back before policies act.\n");
    }
    if (!device.loops.empty()) {
        out << "Device: elementwise loops of updates are " << device.loops << ".\n";
    }
    for (const ExplainedDevice::OnCpu& left : device.on_cpu) {
        out << "Device: the updates of " << left.objective << " are computed on the CPU: " << left.why << ".\n";
    }
}

template <class T>
void write_all(JsonWriter& json, const char* key, const std::vector<T>& all) {
    json.key(key).begin_array();
    for (const T& one : all) {
        write(json, one);
    }
    json.end_array();
}

}  // namespace

void print_explanation(std::ostream& out, const Explanation& explanation) {
    print_plugins(out, explanation.plugins);
    if (!explanation.tasks.empty()) {
        print_tasks(out, explanation.tasks);
        out << '\n';
    }
    print_columns(out, explanation.columns);
    if (!explanation.buffers.empty()) {
        out << '\n';
        print_buffers(out, explanation.buffers);
    }
    if (!explanation.stand_ins.empty()) {
        out << '\n';
        print_stand_ins(out, explanation.stand_ins);
    }
    if (!explanation.categories.empty()) {
        out << '\n';
        print_categories(out, explanation.categories);
    }
    if (!explanation.networks.empty()) {
        out << '\n';
        print_networks(out, explanation.networks);
    }
    if (!explanation.layers.empty()) {
        out << '\n';
        print_layers(out, explanation.layers);
    }
    if (!explanation.stages.empty()) {
        out << '\n';
        print_stages(out, explanation.stages);
    }
    if (!explanation.schedules.empty()) {
        std::vector<Row> rows = {{"SCHEDULE", ""}};
        for (const ExplainedSchedule& schedule : explanation.schedules) {
            rows.push_back({schedule.option, schedule.text});
        }
        out << '\n';
        print_rows(out, rows);
    }
    if (!explanation.hooks.empty()) {
        std::vector<Row> rows = {{"HOOK", "CALLED AT", "READS", "REPORTS", "MOVES"}};
        for (const ExplainedHook& hook : explanation.hooks) {
            rows.push_back(
                {hook.component, listed(hook.events), listed(hook.reads), listed(hook.reports), listed(hook.moves)});
        }
        out << '\n';
        print_rows(out, rows);
    }
    const std::uint64_t total = explanation.storage_bytes + explanation.network_bytes + explanation.minibatch_bytes;
    out << '\n'
        << explanation.loop << "\nMemory: " << size_text(explanation.storage_bytes) << " for columns, "
        << size_text(explanation.network_bytes) << " for networks, " << size_text(explanation.minibatch_bytes)
        << " for a minibatch, " << size_text(total) << " in total, plus the program, plugins and executor.\n";
    print_device(out, explanation.device, explanation.minibatch_bytes);
    if (!explanation.disk_path.empty()) {
        out << "Disk: " << size_text(explanation.disk_bytes) << " for columns in " << explanation.disk_path << ".\n";
    }
}

void print_explanation_as_json(std::ostream& out, const Explanation& explanation) {
    std::string line;
    JsonWriter json(line);
    json.begin_object();
    write_all(json, "plugins", explanation.plugins);
    write_all(json, "tasks", explanation.tasks);
    write_all(json, "columns", explanation.columns);
    write_all(json, "buffers", explanation.buffers);
    write_all(json, "stand_ins", explanation.stand_ins);
    write_all(json, "categories", explanation.categories);
    write_all(json, "networks", explanation.networks);
    write_all(json, "layers", explanation.layers);
    write_all(json, "stages", explanation.stages);
    write_all(json, "schedules", explanation.schedules);
    write_all(json, "hooks", explanation.hooks);
    json.key("loop").text(explanation.loop).key("device").begin_object();
    json.key("name").text(explanation.device.name).key("rows_of");
    write(json, explanation.device.rows_of);
    if (!explanation.device.steps.empty()) {
        json.key("steps").text(explanation.device.steps);
        write_bytes(json, "to_device", explanation.device.to_device);
        write_bytes(json, "from_device", explanation.device.back);
        write_bytes(json, "from_device_at_end", explanation.device.at_end);
        json.key("columns").text(explanation.device.columns ? explanation.device.name : "cpu");
        if (!explanation.device.why_columns_on_host.empty()) {
            json.key("columns_at_home").text(explanation.device.why_columns_on_host);
        }
    }
    if (!explanation.device.why_lanes_on_host.empty()) {
        json.key("lanes_at_home").text(explanation.device.why_lanes_on_host);
    }
    if (!explanation.device.learns.empty()) {
        json.key("learns");
        write(json, explanation.device.learns);
    }
    if (!explanation.device.loops.empty()) {
        json.key("loops").text(explanation.device.loops);
    }
    if (!explanation.device.on_cpu.empty()) {
        json.key("on_cpu").begin_object();
        for (const ExplainedDevice::OnCpu& left : explanation.device.on_cpu) {
            json.key(left.objective).text(left.why);
        }
        json.end_object();
    }
    json.end_object().key("memory").begin_object();
    write_bytes(json, "columns", explanation.storage_bytes);
    write_bytes(json, "networks", explanation.network_bytes);
    write_bytes(json, "minibatch", explanation.minibatch_bytes);
    write_bytes(json, "disk", explanation.disk_bytes);
    json.end_object().end_object();
    out << line << '\n';
}

}  // namespace tenon::host
