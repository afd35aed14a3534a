// SPDX-License-Identifier: Apache-2.0
#include "run/sessions/replay_buffer.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <utility>

#include "base/data/batch_ports.hpp"
#include "base/error/listed.hpp"
#include "base/file/draft.hpp"
#include "base/random/key.hpp"
#include "config/manifest/options.hpp"
#include "engines/quarantine/gate.hpp"
#include "experience/replay/extend.hpp"
#include "train/checkpoint/bytes.hpp"
#include "train/checkpoint/frames_file.hpp"

namespace tenon {
namespace {

constexpr const char* kSampling = "sampling.bin";
constexpr std::string_view kReader = "the program";
constexpr std::int64_t kMostRows = std::numeric_limits<std::uint32_t>::max() / 2;

// The options as a table [buffer] of a manifest would have them.
ComponentTable table_of(const ReplayBufferRequest& request, Problems& problems) {
    ComponentTable out{.path = "buffer", .schema = "buffer", .ref = {request.sampler, {}}, .options = {}, .place = {}};
    TomlTable given;
    for (const std::string& text : request.options) {
        is_done(apply_override(given, {.text = text, .option = "options"}), problems);
    }
    for (TomlEntry& entry : given.entries) {
        out.options.push_back({std::move(entry.key), std::move(entry.node)});
    }
    return out;
}

double number_or_zero(const OptionValue& value) {
    const auto number = [](const auto& held) -> double {
        if constexpr (std::is_arithmetic_v<std::decay_t<decltype(held)>>) {
            return static_cast<double>(held);
        } else {
            return 0;
        }
    };
    return std::visit(number, value);
}

// The keys of all columns that can be read from batches of this sampler.
std::vector<std::string> keys_of(const Storage& storage, const SamplerPlan& plan) {
    std::vector<std::string> out;
    const auto add = [&](const std::string& key) {
        if (std::ranges::find(out, key) == out.end()) {
            out.push_back(key);
        }
    };
    for (const std::string& key : reader_keys(storage)) {
        if (plan.line_for(key) != nullptr) {
            add(key);
        }
    }
    for (const GatherLine& line : plan.lines) {
        if (line.names_column()) {
            add(line.target);
        }
    }
    for (const Port& column : plan.columns) {
        add(column.key);
    }
    return out;
}

}  // namespace

std::unique_ptr<ReplayBuffer> ReplayBuffer::make(const ReplayBufferRequest& request, Problems& problems) {
    const std::size_t before = problems.size();
    std::unique_ptr<ReplayBuffer> out(new ReplayBuffer);
    is_done(out->build(request, problems), problems);
    return problems.size() == before ? std::move(out) : nullptr;
}

Status ReplayBuffer::build(const ReplayBufferRequest& request, Problems& problems) {
    if (request.capacity < 1) {
        return input_problem("a buffer's capacity must be at least 1 frame, not " + std::to_string(request.capacity));
    }
    if (request.sampler.empty()) {
        return input_problem("a buffer needs a sampler, which chooses its rows: the name of a component");
    }
    capacity_ = request.capacity;
    seed_ = static_cast<std::uint64_t>(request.seed);
    host_ = std::make_unique<Host>(1, Registry::scan(search_folders(request.plugins), {}, admit));
    problems.insert(problems.end(), host_->registry.problems().begin(), host_->registry.problems().end());
    info_ = TENON_TRY(host_->registry.find(request.sampler, "buffer", "the buffer", {}));
    values_ = resolve_options(table_of(request, problems), info_->note->options, problems);
    std::ranges::transform(values_, std::back_inserter(options_), number_or_zero);
    component_ = TENON_TRY(host_->registry.load(*info_, host_->services.table()));
    return make_sampler();
}

Status ReplayBuffer::make_sampler() {
    Instance instance = TENON_TRY(Instance::create(*component_, values_, 0, make_key(seed_, "buffer")));
    sampler_ = TENON_TRY(Sampler::make(std::move(instance), 1));
    return {};
}

// Connects the storage, whose columns are now known, to the sampler.
Status ReplayBuffer::hold(Storage storage) {
    GatherPlan plan =
        TENON_TRY(GatherPlan::make(storage, sampler_->plan(), keys_of(storage, sampler_->plan()), kReader));
    storage_ = std::move(storage);
    plan_ = std::move(plan);
    memory_.clear();
    rollout_.reset();
    sampled_ = 0;
    return {};
}

Status ReplayBuffer::extend(const Batch& steps) {
    if (!storage_) {
        std::vector<StorageColumn> columns = TENON_TRY(columns_for(steps));
        const Shape& leading = steps.leading();
        const std::int64_t lanes = leading.rank == 2 ? leading[0] : 1;
        if (leading.rank < 1 || leading.rank > 2 || lanes < 1 || lanes > kMostRows) {
            return input_problem("steps must be [lane, time] or [time], but they are " + to_string(leading));
        }
        const auto count = static_cast<std::uint32_t>(lanes);
        const std::uint32_t slots = Storage::slots_for(static_cast<std::uint64_t>(capacity_), count);
        Storage storage = TENON_TRY(Storage::make(std::move(columns), slots, count));
        TENON_TRY(hold(std::move(storage)));
    }
    return tenon::extend(*storage_, steps);
}

// Allocates memory for larger samples: at least twice as much, so that it seldom happens.
Status ReplayBuffer::make_room(std::uint32_t rows) {
    if (rows <= sampler_->max_rows() && !memory_.empty()) {
        return {};
    }
    const std::uint32_t room = std::max(std::bit_ceil(rows), sampler_->max_rows());
    std::vector<Slab> memory;
    std::vector<void*> columns;
    for (const Port& port : plan_->ports()) {
        Slab slab = TENON_TRY(Slab::make(row_bytes(port) * room));
        columns.push_back(slab.data());
        memory.push_back(std::move(slab));
    }
    TENON_TRY(sampler_->reserve(room));
    memory_ = std::move(memory);
    columns_ = std::move(columns);
    return {};
}

Result<Batch> ReplayBuffer::sample(std::int64_t rows) {
    if (!storage_ || size() == 0) {
        return input_problem("there is nothing to sample: the buffer is empty");
    }
    const std::int64_t time = sampler_->plan().time;
    if (rows < 1 || rows > kMostRows || (time > 0 && rows % time != 0)) {
        return input_problem("a sample cannot have " + counted(rows, "row") +
                             (time > 0 ? ": " + sampler_->name() + " chooses sequences of " + counted(time, "step") +
                                             ", and their number must be a multiple of it"
                                       : std::string()));
    }
    const auto count = static_cast<std::uint32_t>(rows);
    sampled_ = 0;
    TENON_TRY(make_room(count));
    const tn_key key = make_key(seed_, "buffer/sample");
    TENON_TRY(sampler_->sample(*storage_, count, key, samples_++, options_));
    sampled_ = count;
    plan_->gather(sampler_->sampled(), 0, count, columns_.data());
    return batch_of(plan_->ports(), columns_, time > 0 ? Shape{time, rows / time} : Shape{rows});
}

Status ReplayBuffer::prioritise(std::span<const double> priorities) {
    if (!takes_priorities()) {
        return input_problem(sampler_->name() + " uses no priorities");
    }
    if (priorities.size() != sampled_ || sampled_ == 0) {
        return input_problem((priorities.size() == 1 ? "there is " : "there are ") +
                             counted(priorities.size(), "priority", "priorities") + " for the " +
                             counted(sampled_, "row") + " of the latest sample");
    }
    return sampler_->prioritise(priorities, std::string(kReader), {});
}

Status ReplayBuffer::set_option(std::string_view name, double value) {
    const std::vector<OptionSchema>& schema = info_->note->options;
    std::vector<std::string_view> live;
    for (std::size_t i = 0; i < schema.size(); ++i) {
        if (!schema[i].live) {
            continue;
        }
        live.emplace_back(schema[i].name);
        if (schema[i].name == name) {
            TENON_TRY(conform(schema[i], value, "'" + std::string(name) + "'"));
            options_[i] = value;
            return {};
        }
    }
    return input_problem(sampler_->name() + " has no option '" + std::string(name) + "' that may change" +
                         did_you_mean(name, live));
}

std::int64_t ReplayBuffer::size() const {
    return storage_ ? static_cast<std::int64_t>(storage_->view().total) : 0;
}

std::int64_t ReplayBuffer::steps() const {
    return storage_ ? *std::min_element(storage_->view().count, storage_->view().count + storage_->lanes()) : 0;
}

Result<Batch> ReplayBuffer::in_order(std::int64_t first, std::int64_t count) {
    if (first < 0 || count < 1 || count > steps() || first > steps() - count) {
        return input_problem("there are no steps " + std::to_string(first) + " to " + std::to_string(first + count) +
                             " in a buffer with " + counted(steps(), "step") + " of each lane");
    }
    if (count > rollout_steps_ || !rollout_) {
        rollout_ =
            TENON_TRY(Rollout::make(*storage_, reader_keys(*storage_), kReader, static_cast<std::uint32_t>(count)));
        rollout_steps_ = count;
    }
    rollout_->assemble(storage_->slot_back(static_cast<std::uint32_t>(steps() - first)),
                       static_cast<std::uint32_t>(count));
    return batch_of(*rollout_);
}

Status ReplayBuffer::save(const std::filesystem::path& folder) const {
    if (!storage_) {
        return input_problem("there is nothing to save: the buffer is empty");
    }
    FolderDraft draft = TENON_TRY(FolderDraft::begin(folder));
    TENON_TRY(write_frames(*storage_, buffer_of(draft.folder())));
    ByteWriter out;
    out.begin("sampling", 1);
    out.number(capacity_);
    out.number(samples_);
    TENON_TRY(sampler_->save(plugin_writer(out)));
    out.end();
    TENON_TRY(out.write_to(draft.folder() / kSampling));
    return draft.commit();
}

Status ReplayBuffer::load(const std::filesystem::path& folder) {
    storage_.reset();
    Status made = make_sampler();
    Status loaded = made ? load_frames(folder) : std::move(made);
    if (!loaded) {
        storage_.reset();
        TENON_TRY(make_sampler());
    }
    return loaded;
}

Status ReplayBuffer::load_frames(const std::filesystem::path& folder) {
    SavedFrames frames = TENON_TRY(read_frames(buffer_of(folder)));
    ByteReader in = TENON_TRY(ByteReader::open(folder / kSampling));
    in.enter("sampling", 1);
    const auto capacity = in.number<std::int64_t>();
    const auto samples = in.number<std::uint64_t>();
    const tn_reader reader = plugin_reader(in);
    TENON_TRY(in.status() ? sampler_->load(reader) : in.status());
    in.leave();
    TENON_TRY(in.status());
    TENON_TRY(hold(std::move(frames.storage)));
    capacity_ = capacity;
    samples_ = samples;
    return {};
}

}  // namespace tenon
