// SPDX-License-Identifier: Apache-2.0
#include "train/plan/wiring_buffers.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/data/key.hpp"
#include "base/data/state_bytes.hpp"
#include "base/error/listed.hpp"
#include "compute/exec/device_engine.hpp"
#include "experience/replay/sampler.hpp"
#include "train/plan/capabilities/matcher.hpp"
#include "train/plan/named_frames.hpp"
#include "train/plan/ring_storage.hpp"
#include "train/plan/source_kind.hpp"
#include "train/plan/train_table.hpp"
#include "train/plan/update_device.hpp"
#include "train/plan/wiring.hpp"
#include "train/plan/wiring_learning.hpp"

namespace tenon {
namespace {

// Whether the manifest lacks a required option, which has been reported.
bool lacks_option(const Part& part) {
    return std::ranges::any_of(part.schema(), [&](const OptionSchema& option) {
        return !option.standard && !option.optional &&
               std::ranges::find(part.table->options, option.name, &GivenOption::name) == part.table->options.end();
    });
}

// Plans the rows of one buffer. Its sampler is made again for every objective that learns from it.
void wire_buffer(Wiring& w, BufferPlan& plan, Problems& problems) {
    Result<Instance> instance = instantiate(*plan.part, 0, w.seed(), "");
    if (!is_done(instance, problems)) {
        return;
    }
    constexpr std::uint32_t kRows = 1;  // any number would do: this sampler only gives its plan
    // the missing option may name the column that the sampler reads
    const Result<Sampler> made = lacks_option(*plan.part)
                                     ? Sampler::make(Callee<tn_sampler_api>::of(*instance, "tenon.sampler/1"), kRows)
                                     : Sampler::make(std::move(*instance), kRows, w.device);
    if (!is_done(made, problems)) {
        return;
    }
    plan.sampling = made->plan();
    plan.takes_priorities = made->takes_priorities();
    plan.remembers = made->remembers();
    plan.on_device = made->is_on_device();
    plan.options = OptionNumbers(*plan.part, w.live);
}

// All rows of a mixture have the same columns, from whichever buffer they come.
void wire_mixture(Wiring& w, BufferPlan& plan, Problems& problems) {
    for (const MixTable& part : plan.table->mix) {
        const BufferTable* const found = find_buffer(w.manifest, part.buffer);
        plan.mixed.push_back(static_cast<std::size_t>(found - w.manifest.buffers.data()));
        plan.takes_priorities = plan.takes_priorities || w.buffers[plan.mixed.back()].takes_priorities;
    }
    const auto refuse = [&](const std::string& why) {
        problems.push_back(input_problem("[" + plan.table->component.path + "] " + why, plan.table->component.place));
    };
    plan.sampling = w.buffers[plan.mixed.front()].sampling;
    for (const std::size_t index : plan.mixed) {
        const BufferPlan& other = w.buffers[index];
        if (other.sampling.time > 0) {
            refuse_combinations({{.feature = Feature::kMixture,
                                  .subject = plan.table->component.path,
                                  .place = plan.table->component.place},
                                 {.feature = Feature::kSequenceSampler,
                                  .subject = other.sampling.sampler,
                                  .place = other.table->component.ref.place}},
                                problems);
        } else if (!alike(plan.sampling, other.sampling)) {
            refuse("mixes '" + w.buffers[plan.mixed.front()].table->name + "' and '" + other.table->name +
                   "', whose rows have different columns");
        }
    }
}

// Every buffer of a mixture must have a row in each minibatch.
void check_mixed_rows(const Wiring& w, const ObjectivePlan& plan, const BufferTable& mixture, Problems& problems) {
    const std::vector<std::uint32_t> counts = rows_of_mixture(mixture, plan.train.minibatch);
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] == 0 && sizes_are_known(w.manifest)) {
            const std::string key = mixture.component.path + ".mix." + mixture.mix[i].buffer;
            problems.push_back(
                input_problem(key + " gives no row of a minibatch of " + std::to_string(plan.train.minibatch),
                              place_of(w.manifest, key), "make train.minibatch larger"));
        }
    }
}

// The name under which an objective reads another batch.
std::string name_of(const BatchPlan& batch) {
    return batch.prefix.substr(0, batch.prefix.size() - 1);
}

JitWhen jit_of(const RunTable& run) {
    return run.jit == "off" ? JitWhen::kNever : run.jit == "always" ? JitWhen::kAlways : JitWhen::kLater;
}

// A problem if run.jit is "always" and kernels cannot be compiled at run time.
Status check_jit(const Wiring& w) {
    if (w.device->jit != JitWhen::kAlways || w.device->compile != nullptr) {
        return {};
    }
    if (w.device->table.device_type == TN_DEVICE_EMULATED) {
        return {};  // the combination is refused
    }
    Problem missing = w.device->engine->find_compiler().error();
    missing.place = place_of(w.manifest, "run.jit");
    return missing;
}

}  // namespace

void open_device_of(Wiring& w, Problems& problems) {
    if (w.manifest.run.device == "cpu") {
        return;
    }
    Result<std::shared_ptr<Device>> device =
        placed(open_device_with(w.host->sources, w.manifest.run.device, jit_of(w.manifest.run)),
               place_of(w.manifest, "run.device"));
    if (is_done(device, problems)) {
        w.device = *std::move(device);
        is_done(check_jit(w), problems);
    }
}

void wire_buffers(Wiring& w, Problems& problems) {
    if (w.manifest.run.device != "cpu" && w.device == nullptr) {
        return;  // which has been reported
    }
    const std::size_t before = problems.size();
    for (std::size_t i = 0; i < w.manifest.buffers.size(); ++i) {
        const std::optional<Part>& part = w.parts.buffers[i];
        BufferPlan& plan = w.buffers.emplace_back();
        plan.table = &w.manifest.buffers[i];
        plan.transforms = &w.parts.sampled[i];
        if (part) {
            plan.part = &*part;
            wire_buffer(w, plan, problems);
        }
    }
    for (BufferPlan& plan : w.buffers) {
        if (plan.part == nullptr && problems.size() == before && has_named_buffers(w.manifest)) {
            wire_mixture(w, plan, problems);
        }
    }
}

// Not a pair for the matcher: the device is useless only if the lanes, every buffer and all updates cannot use it.
void check_device_is_used(const Wiring& w, const Running& running, Problems& problems) {
    const bool chooses = std::ranges::any_of(w.buffers, [](const BufferPlan& plan) { return plan.on_device; });
    if (w.device == nullptr || chooses || running.lanes->on_device() != nullptr || learns_on_device(w)) {
        return;
    }
    const std::string why = w.learns() ? " (" + w.objectives.front().on_cpu + ")" : "";
    problems.push_back(
        input_problem("run.device is \"" + w.device->name +
                          "\", but nothing in this manifest can run on it: " + why_lanes_on_cpu(w).why +
                          ", no buffer chooses its rows on a device, and updates are computed on the CPU" + why,
                      place_of(w.manifest, "run.device"),
                      "set run.device = \"cpu\", or use an env or a buffer with kernels (docs/cuda.md)"));
}

// Checks that sequences are whole, and that rows of other batches have the same form as the objective's own.
void check_minibatch(const Wiring& w, const ObjectivePlan& plan, Problems& problems) {
    const std::int64_t length = sequence_length(w, plan);
    const bool known = sizes_are_known(w.manifest);
    const BufferPlan* const own = plan.by_batch() ? nullptr : &w.buffers[*plan.batches.front().buffer];
    if (own != nullptr && length > 0 && plan.train.minibatch % length != 0 && known) {
        problems.push_back(input_problem("train.minibatch is " + std::to_string(plan.train.minibatch) +
                                             ", which is not a multiple of the " + std::to_string(length) +
                                             " steps of a sequence of " + own->sampling.sampler,
                                         place_of(w.manifest, "train.minibatch")));
    }
    if (own != nullptr) {
        check_mixed_rows(w, plan, *own->table, problems);
    }
    for (std::size_t i = 1; i < plan.batches.size(); ++i) {
        const BatchPlan& batch = plan.batches[i];
        if (!w.buffers[*batch.buffer].mixed.empty()) {
            continue;  // which is refused
        }
        const SamplerPlan& sampling = w.buffers[*batch.buffer].sampling;
        if (sampling.time != length) {
            const auto rows_of = [](std::int64_t steps) {
                return steps == 0 ? std::string("single frames") : "sequences of " + counted(steps, "step");
            };
            problems.push_back(input_problem("the rows of '" + name_of(batch) + "' are " + rows_of(sampling.time) +
                                                 ", but " + plan.unit.component + " learns from " + rows_of(length),
                                             plan.unit.place));
        }
    }
}

// Checks that a row does not reach further than an episode, because the rest would always be padding.
void check_reach(const Wiring& w, const std::string& env, Problems& problems) {
    for (const BufferPlan& plan : w.buffers) {
        const auto reaches = [&](const GatherLine& line) { return line.count > w.episode_limit; };
        const auto line = std::ranges::find_if(plan.sampling.lines, reaches);
        if (w.episode_limit > 0 && line != plan.sampling.lines.end()) {
            problems.push_back(input_problem(plan.sampling.sampler + " gathers " + counted(line->count, "step") +
                                                 " of an episode for each row, but an episode of " + env + " has " +
                                                 counted(w.episode_limit, "step") + " at most",
                                             plan.table->component.ref.place, "use fewer steps"));
        }
    }
}

// Whether an objective learns from the buffer, alone or in a mixture.
bool is_sampled(const Wiring& w, std::size_t buffer) {
    const auto takes = [&](const BatchPlan& batch) {
        return batch.buffer &&
               (*batch.buffer == buffer || std::ranges::count(w.buffers[*batch.buffer].mixed, buffer) > 0);
    };
    return std::ranges::any_of(w.objectives,
                               [&](const ObjectivePlan& plan) { return std::ranges::any_of(plan.batches, takes); });
}

// Checks that what samplers gather by name is stored: columns that policies and objectives write are stored only if a
// program reads them.
void check_gathered(const Wiring& w, Problems& problems) {
    for (std::size_t i = 0; i < w.buffers.size(); ++i) {
        const BufferPlan& plan = w.buffers[i];
        const auto is_stored = [&](const GatherLine& line) {
            const std::string_view key = without_next(line.source);
            return !line.names_column() || key == "done" || is_flag_column(key) ||
                   std::ranges::find(plan.stored, key, &StorageColumn::key) != plan.stored.end();
        };
        const auto line = std::ranges::find_if_not(plan.sampling.lines, is_stored);
        if (plan.part != nullptr && line != plan.sampling.lines.end() && is_sampled(w, i)) {
            problems.push_back(
                input_problem(plan.sampling.sampler + " gathers '" + line->source + "' as '" + line->target +
                                  "', but no program of the run reads it, so it is not stored",
                              plan.table->component.ref.place, "leave '" + line->source + "' out of its options"));
        }
    }
}

// Training begins with what its transforms have learnt from the frames.
void take_learnt(const Wiring& w, const BufferPlan& plan, std::vector<std::byte> learnt, Running& running,
                 Problems& problems) {
    const auto transforms = [](const BufferTable& table) { return table.transform_init; };
    const auto first = std::ranges::find_if(w.manifest.buffers, transforms);
    if (learnt.empty()) {
        return;
    }
    if (&*first != plan.table) {
        problems.push_back(input_problem("[" + first->component.path + "] and [" + plan.table->component.path +
                                             "] both have transform_init, but " + running.lanes->commons().front() +
                                             " learns from one of them",
                                         place_of(w.manifest, plan.table->component.path + ".transform_init")));
        return;
    }
    StateBytes bytes{.data = std::move(learnt)};
    is_done(running.lanes->load_common(bytes.reader()), problems);
}

// Loads the frames. There may be many, so they are loaded only once: the run begins with the frames that were checked
// here.
void load_initial_frames(const Wiring& w, Running& running, Problems& problems) {
    for (const BufferPlan& plan : w.buffers) {
        std::optional<Storage>& out = running.frames.emplace_back();
        const bool is_mixture = plan.part == nullptr;
        const bool has_none = plan.table->init.empty() && plan.table->path.empty();
        const bool has_own = plan.collects() && (plan.table->init.empty() || begins_in_place(*plan.table));
        if (is_mixture || has_none || has_own) {
            continue;
        }
        Result<TransformedFrames> frames = read_initial_frames(w, plan);
        if (is_done(frames, problems)) {
            out.emplace(std::move(frames->storage));
            take_learnt(w, plan, std::move(frames->learnt), running, problems);
        }
    }
}

}  // namespace tenon
