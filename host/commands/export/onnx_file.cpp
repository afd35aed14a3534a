// SPDX-License-Identifier: Apache-2.0
#include "commands/export/onnx_file.hpp"

#include <algorithm>
#include <utility>

#include "base/data/key.hpp"
#include "base/file/atomic.hpp"
#include "commands/export/onnx_translator.hpp"
#include "commands/export/weights_file.hpp"

namespace tenon {
namespace {

bool is_written(const ActingPolicy& policy, const std::string& key) {
    const Spec* spec = policy.wiring().env_specs.find(key);
    return policy.remembers(key) || (spec != nullptr && spec->role == Role::kAction);
}

// The value with the dimensions and the type of its column, under the column's name.
void write_output(OnnxGraph& out, const OnnxOperand& value, const Port& port, const std::string& name) {
    graph::Type full{value.type.kind, {graph::kLanes}};
    full.dims.insert(full.dims.end(), value.type.sizes().begin(), value.type.sizes().end());
    std::string from = out.expanded(value.name, value.type, full);
    if (port.dtype != out.dtype_of(value.type.kind)) {
        from = out.cast(from, port.dtype);
    }
    out.add({"Identity", {from}, {name}, {}});
    OnnxValue output{.name = name, .dtype = port.dtype, .dims = {"batch"}};
    for (const graph::Dim size : value.type.sizes()) {
        output.dims.emplace_back(size);
    }
    out.model.outputs.push_back(std::move(output));
}

}  // namespace

Result<OnnxModel> onnx_model(const ActingPolicy& policy) {
    const BuiltProgram& program = policy.program();
    const graph::Graph& graph = program.graph;
    std::vector<graph::ValueId> wanted;
    for (const graph::Named& write : graph.writes) {
        if (is_written(policy, write.name)) {
            wanted.push_back(write.value);
        }
    }
    OnnxTranslator translator(program, policy.chains, policy.learner,
                              numbers_at(policy.wiring(), policy.standing, policy.live));
    TENON_TRY(brought_in(translator.add(wanted), program.place));
    OnnxGraph& out = translator.out();
    if (out.model.inputs.empty()) {
        return input_problem("the policy cannot be exported to ONNX: it reads no column", program.place);
    }
    out.model.name = "policy";
    for (const auto& [key, value] : description_of(policy.wiring(), policy.standing.frames)) {
        out.model.metadata.emplace_back(key, value);
    }
    for (std::size_t i = 0; i < graph.writes.size(); ++i) {
        const std::string& key = graph.writes[i].name;
        if (!is_written(policy, key)) {
            continue;
        }
        const std::string name = policy.remembers(key) ? next_key(key) : key;
        write_output(out, translator.operand(graph.writes[i].value), program.outputs[i], name);
        if (policy.remembers(key)) {
            out.model.metadata.emplace_back("memory." + key, name);
        }
    }
    return std::move(out.model);
}

bool export_onnx(const RunRequest& request, const std::filesystem::path& out, const Notice& notice,
                 Problems& problems) {
    const std::unique_ptr<ActingPolicy> policy = open_policy(request, notice, problems);
    if (policy == nullptr) {
        return false;
    }
    const Result<OnnxModel> model = onnx_model(*policy);
    Status done = model ? write_file(out, onnx_bytes(*model)) : Status(model.error());
    is_done(done, problems);
    return problems.empty();
}

}  // namespace tenon
