// SPDX-License-Identifier: Apache-2.0
#include "expression_lane.hpp"

#include <algorithm>
#include <utility>

#include "tenon/option_text.hpp"

namespace physics {
namespace {

Slot compile_number(const std::string& text, const std::string& option, const mjModel& model, double dt,
                    Program& program) {
    const Slot slot = compile(text, option, model, dt, program);
    if (slot.size != 1) {
        throw tenon::InvalidArgument("option '" + option + "' is one number, and \"" + text + "\" is a list of " +
                                     std::to_string(slot.size));
    }
    return slot;
}

Compiled compile_all(const mjModel& model, const Expressions& expressions, double dt) {
    Compiled made;
    for (const auto& [name, size] : expressions.inputs) {
        made.program.inputs.push_back(
            {name, {static_cast<std::uint32_t>(made.program.registers.size()), static_cast<std::uint32_t>(size)}});
        made.program.registers.resize(made.program.registers.size() + size);
    }
    tenon::Mistakes mistakes;
    if (expressions.observation.empty()) {
        mistakes.note([] {
            throw tenon::InvalidArgument("option 'observation' has no expression, so there is nothing to observe");
        });
    }
    for (const std::string& one : expressions.observation) {
        mistakes.note([&] {
            made.observed.push_back(compile(one, "observation", model, dt, made.program));
            made.elements += made.observed.back().size;
        });
    }
    mistakes.note([&] { made.reward = compile_number(expressions.reward, "reward", model, dt, made.program); });
    mistakes.note(
        [&] { made.terminated = compile_number(expressions.terminated, "terminated", model, dt, made.program); });
    mistakes.throw_any();
    return made;
}

}  // namespace

ExpressionLane ExpressionLane::make(Model model, const Expressions& expressions, double dt) {
    auto compiled = std::make_shared<const Compiled>(compile_all(*model, expressions, dt));
    Data data = make_data(*model);
    std::vector<double> registers = compiled->program.registers;
    return {.model = std::move(model),
            .data = std::move(data),
            .compiled = std::move(compiled),
            .registers = std::move(registers)};
}

ExpressionLane ExpressionLane::another() const {
    return {.model = model, .data = make_data(*model), .compiled = compiled, .registers = compiled->program.registers};
}

tenon::EnvSpec ExpressionLane::spec(const std::string& dtype) const {
    const std::int32_t type = dtype == "float64" ? TN_F64 : TN_F32;
    return {.observations = {tenon::unbounded("observation", {static_cast<std::int64_t>(compiled->elements)}, type)},
            .actions = {action_spec(*model)},
            .reward = tenon::unbounded("reward", {}, type)};
}

std::span<double> ExpressionLane::input(std::size_t number) {
    const Slot slot = compiled->program.inputs.at(number).slot;
    return std::span(registers).subspan(slot.at, slot.size);
}

// An expression in `before` has no step before the first: it is what it is now.
void ExpressionLane::begin() {
    evaluate(compiled->program.instructions, *data, registers);
    evaluate(compiled->program.afterwards, *data, registers);
    evaluate(compiled->program.instructions, *data, registers);
}

tenon::StepResult ExpressionLane::step(std::span<const float> action, int substeps) {
    const Program& program = compiled->program;
    evaluate(program.afterwards, *data, registers);
    const auto advance_lane = program.reads_positions ? &advance_fresh : &advance;
    advance_lane(*model, *data, action, substeps);
    if (program.reads_contact_forces) {
        mj_rnePostConstraint(model.get(), data.get());
    }
    evaluate(program.instructions, *data, registers);
    if (is_unstable(*data)) {  // MuJoCo has reset itself within the step: its numbers are of two episodes
        return {.reward = 0, .terminated = true};
    }
    return {.reward = registers[compiled->reward.at], .terminated = registers[compiled->terminated.at] != 0};
}

void ExpressionLane::show(const tenon::EnvRow& row, const std::string& dtype) const {
    const auto copy = [&]<class E>(std::span<E> out) {
        auto* at = out.data();
        for (const Slot& slot : compiled->observed) {
            at = std::transform(registers.data() + slot.at, registers.data() + slot.at + slot.size, at,
                                [](double x) { return static_cast<E>(x); });
        }
    };
    if (dtype == "float64") {
        copy(row.observation<double>(0));
    } else {
        copy(row.observation<float>(0));
    }
}

void ExpressionLane::archive(tenon::Archive& archive) {
    const std::size_t size = registers.size();
    archive(registers);
    if (registers.size() != size) {
        throw tenon::DataLoss("the saved state is that of other expressions");
    }
    physics::archive(archive, *model, *data, saved);
    if (archive.loading() && compiled->program.reads_positions) {
        refresh(*model, *data);
    }
}

// Computes the places of bodies first: unless an expression reads them, they are those before the last substep. This
// changes no result, because the next step computes them again.
void ExpressionLane::draw(Renderer& renderer, tenon::Picture& picture) const {
    update_places(*model, *data);
    renderer.draw(*model, *data, picture);
}

}  // namespace physics
