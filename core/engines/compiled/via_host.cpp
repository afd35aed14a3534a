// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/via_host.hpp"

#include <utility>

#include "base/device/block.hpp"
#include "base/device/own_kernels.hpp"
#include "compute/exec/over_shards.hpp"
#include "compute/exec/rows.hpp"

namespace tenon::compiled {
namespace {

std::size_t output_bytes(const ProgramSpec& spec, const Learner& learner, const Call& call, std::size_t number) {
    const graph::Type& type = spec.graph->type(spec.graph->writes[number].value);
    return written_count(type, *spec.graph, learner, call.sizes) * size_of(spec.outputs[number].dtype);
}

class ViaHost final : public Program {
public:
    ViaHost(std::shared_ptr<Program> program, const ProgramSpec& spec, const Learner& learner,
            std::shared_ptr<Device> device)
        : program_(std::move(program)),
          spec_(spec),
          graph_(*spec.graph),
          columns_(spec_, learner, spec.writes_on_device(), std::move(device)) {
        spec_.graph = &graph_;
    }

    Result<Computed*> run(const Call& call) override {
        const Call on_host = TENON_TRY(columns_.bring(call));
        Computed* const by = TENON_TRY(program_->run(on_host));
        TENON_TRY(columns_.send_outputs(call));
        return by;
    }

private:
    std::shared_ptr<Program> program_;
    ProgramSpec spec_;
    const graph::Graph graph_;
    HostColumns columns_;
};

}  // namespace

bool HostColumns::is_on_device(const Call& call, std::size_t output) const {
    return call.outputs[output] != nullptr && !is_over_shards(spec_.outputs[output].key);
}

Result<Call> HostColumns::bring(const Call& call) {
    const tn_device& table = device_->table;
    const std::size_t rows = row_count(call.sizes);
    inputs_.resize(call.inputs.size());
    input_places_.assign(call.inputs.size(), nullptr);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
        if (call.inputs[i] == nullptr) {
            continue;
        }
        inputs_[i].resize(rows * row_bytes(spec_.inputs[i]));
        TENON_TRY(told(*device_, table.read(table.ctx, inputs_[i].data(), call.inputs[i], inputs_[i].size())));
        input_places_[i] = inputs_[i].data();
    }
    outputs_.resize(call.outputs.size());
    output_places_.assign(call.outputs.begin(), call.outputs.end());
    for (std::size_t i = 0; i < outputs_.size() && outputs_on_device_; ++i) {
        if (is_on_device(call, i)) {
            outputs_[i].resize(output_bytes(spec_, learner_, call, i));
            output_places_[i] = outputs_[i].data();
        }
    }
    Call on_host = call;
    on_host.inputs = input_places_;
    on_host.outputs = output_places_;
    on_host.fault = nullptr;
    return on_host;
}

Status HostColumns::send_outputs(const Call& call) {
    if (!outputs_on_device_) {
        return {};
    }
    const tn_device& table = device_->table;
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
        if (!is_on_device(call, i)) {
            continue;
        }
        TENON_TRY(told(*device_, table.write(table.ctx, call.outputs[i], outputs_[i].data(), outputs_[i].size())));
    }
    return {};
}

Result<Computed*> OutputsToHost::run(const Call& call) {
    std::vector<Block> blocks(call.outputs.size());
    std::vector<void*> device_outputs(through_.begin(), through_.end());
    device_outputs.resize(call.outputs.size(), nullptr);
    const auto bytes = [&](std::size_t i) { return output_bytes(spec_, learner_, call, i); };
    for (std::size_t i = 0; i < device_outputs.size(); ++i) {
        if (is_over_shards(spec_.outputs[i].key)) {
            device_outputs[i] = call.outputs[i];  // the program writes it to the host
        } else if (call.outputs[i] != nullptr && through_.empty()) {
            blocks[i] = TENON_TRY(Block::make(device_, bytes(i)));
            device_outputs[i] = blocks[i].memory();
        }
    }
    Call one = call;
    one.outputs = device_outputs;
    Computed* const by = TENON_TRY(program_.run(one));
    for (std::size_t i = 0; i < device_outputs.size(); ++i) {
        const tn_device& table = device_->table;
        TENON_TRY(call.outputs[i] == nullptr || is_over_shards(spec_.outputs[i].key)
                      ? Status()
                      : told(*device_, table.read(table.ctx, call.outputs[i], device_outputs[i], bytes(i))));
    }
    return by;
}

std::unique_ptr<Program> via_host(std::shared_ptr<Program> program, const ProgramSpec& spec, const Learner& learner,
                                  std::shared_ptr<Device> device) {
    return std::make_unique<ViaHost>(std::move(program), spec, learner, std::move(device));
}

}  // namespace tenon::compiled
