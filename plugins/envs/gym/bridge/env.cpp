// SPDX-License-Identifier: Apache-2.0
#include "env.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "agents.hpp"
#include "answer.hpp"
#include "interpreter.hpp"

namespace bridge {

void Env::start(tenon::EnvBatch batch, const Making& making) {
    start_.python = find_python(python);
    start_.package = worker_package();
    start_.name = "'" + making.name + "'";
    start_.time_limit = time_limit;
    start_.restarts = restarts;
    start_.config = json_of(making);
    const std::uint32_t count = making.processes > 0 ? making.processes : workers_for(batch.lanes);
    for (std::uint32_t i = 0, first = 0; i < count; ++i) {
        const std::uint32_t lanes = (batch.lanes - first) / (count - i);
        workers_.push_back(std::make_unique<Worker>(start_, first, lanes));
        owners_.insert(owners_.end(), lanes, workers_.back().get());
        first += lanes;
    }
    asked_.resize(batch.lanes);
    steps_together_ = !making.vector.empty();
    saved_.open(batch, start_.name);
    batch_ = batch;
    describe_first(making.group);
    max_episode_steps = description_.limit;
    for (const std::string& note : description_.notes) {
        batch.warn(note);
    }
}

Env::~Env() {
    tell_output();
    for (const auto& worker : workers_) {
        worker->dismiss();  // all of them first, so that they end at the same time
    }
}

std::uint32_t Env::workers_for(std::uint32_t lanes) const {
    const auto all = static_cast<std::int64_t>(lanes);
    const auto processors = static_cast<std::int64_t>(std::max(1U, std::thread::hardware_concurrency()));
    const std::int64_t most = envs_per_worker;
    if (workers > 0 && most > 0 && workers * most < all) {
        throw tenon::InvalidArgument(std::to_string(workers) + " workers with " + std::to_string(most) +
                                     " environments each are fewer than the " + std::to_string(all) + " lanes");
    }
    const std::int64_t needed = most > 0 ? (all + most - 1) / most : 1;
    const std::int64_t wanted = workers > 0 ? workers : most > 0 ? needed : processors;
    return static_cast<std::uint32_t>(std::min(all, std::max(needed, wanted)));
}

// Describes the environments by the first worker. If the process exits or does not answer, the manifest's interpreter
// or environment is wrong, because nothing has run yet. If a signal ends it, they may be right.
void Env::describe_first(const std::string& group) {
    Worker& first = *workers_[0];
    for (bool is_described = false; !is_described;) {
        first.begin();
        try {
            description_ = first.describe();
            if (!group.empty()) {
                make_group(description_.spec, group);
            }
            is_described = true;
        } catch (const ProcessEnded& ended) {
            if (!ended.by_signal) {
                throw tenon::InvalidArgument(ended.what());
            }
            if (first.is_given_up()) {
                throw tenon::Error(TN_INTERNAL, first.failure().sentence);
            }
            batch_.warn(first.failure().sentence);
        }
    }
}

// Does a part of a worker's start. If the process ends in it, the worker is over.
template <class Part>
void Env::start_part(Worker& worker, const Part& part) const {
    try {
        part();
    } catch (const ProcessEnded&) {
        if (!worker.is_given_up()) {
            batch_.warn(worker.failure().sentence);
        }
    }
}

// Starts the workers that have not started or have ended, all at the same time, until each is open or no restart is
// left. Only the first worker has described the environments.
void Env::open_workers() {
    tell_output();  // of processes that have ended
    while (true) {
        std::vector<Worker*> begun;
        for (const auto& worker : workers_) {
            if (!worker->is_open() && !worker->is_given_up()) {
                begun.push_back(worker.get());
                if (!worker->has_begun()) {
                    worker->begin();
                }
            }
        }
        if (begun.empty()) {
            return;
        }
        for (Worker* const worker : begun) {
            start_part(*worker, [&] {
                if (!worker->has_described() && !(worker->describe() == description_)) {
                    throw tenon::InvalidArgument("the spaces of " + start_.name +
                                                 " differ from one process to another");
                }
                worker->open(description_);
            });
        }
        for (Worker* const worker : begun) {
            if (worker->is_open()) {
                start_part(*worker, [&] { worker->finish(); });
            }
        }
    }
}

void Env::reset(const tenon::EnvRows& rows) {
    open_workers();
    rows.each([&](const tenon::BatchRow& row) { saved_.note_reset(row.lane()); });
    call(rows, Command::kReset);
}

Command Env::step_command(const tenon::EnvRows& rows) const {
    return start_.draws && rows.leaves_ends() ? Command::kStepLeavingEnds : Command::kStep;
}

void Env::step(const tenon::EnvRows& rows) {
    call(rows, step_command(rows));
}

// Asks the lanes' workers. lacks(row) is called for a lane that has nothing to go on with.
template <class Lacks>
void Env::post(const tenon::EnvRows& rows, Command command, const Lacks& lacks) {
    Worker* last = nullptr;  // a worker's lanes are neighbours: it is rung once
    rows.each([&](const tenon::BatchRow& row) {
        if (saved_.lacks(row.lane())) {
            lacks(row);
            return;
        }
        Worker* const worker = owners_[row.lane()];
        if (last != nullptr && last != worker) {
            last->ring();
        }
        last = worker;
        worker->post(row, command, seed_of(row, seed_offset));
    });
    if (last != nullptr) {
        last->ring();
    }
}

// Takes over the results of the lanes, waiting for them.
template <class AskedOf>
void Env::take(const tenon::EnvRows& rows, const AskedOf& asked_of) {
    // The host reads one sentence per call, that of the lane that was parked last. So this sentence names all workers
    // that have ended.
    std::string of_workers;
    const Worker* ended = nullptr;
    rows.each([&](const tenon::BatchRow& row) {
        Worker& worker = *owners_[row.lane()];
        const Asked& asked = asked_of(row.lane());
        const std::optional<Failure> failure =
            asked.failure ? asked.failure : worker.take(row, asked.command, asked.since);
        if (!failure) {
            if (asked.command == Command::kStepLeavingEnds && row.ended()) {
                rows.leave_end(row.lane());
            }
            return;
        }
        if (failure->is_of_worker && ended != &worker) {
            ended = &worker;
            of_workers += (of_workers.empty() ? "" : "; ") + failure->sentence;
            note_ended(worker, *failure);
        }
        rows.park(row.lane(), failure->status, failure->is_of_worker ? of_workers : failure->sentence);
    });
}

void Env::call(const tenon::EnvRows& rows, Command command) {
    const Asked asked{.command = command, .since = Worker::Clock::now()};
    post(rows, command, [&](const tenon::BatchRow& row) {
        const Failure lost = saved_.begins_anew();
        rows.park(row.lane(), lost.status, lost.sentence);
    });
    take(rows, [&](std::uint32_t) -> const Asked& { return asked; });
    tell_output_now_and_then(asked.since);
}

void Env::submit(const tenon::EnvRows& rows) {
    const Command command = step_command(rows);
    const auto since = Worker::Clock::now();
    rows.each([&](const tenon::BatchRow& row) {
        asked_[row.lane()] = {.command = command, .since = since, .is_under_way = true};
    });
    post(rows, command, [&](const tenon::BatchRow& row) { asked_[row.lane()].failure = saved_.begins_anew(); });
}

bool Env::is_ready(std::uint32_t lane) {
    const Asked& asked = asked_[lane];
    return asked.failure || owners_[lane]->is_ready(lane, asked.command, asked.since);
}

void Env::receive(const tenon::EnvRows& rows) {
    rows.each([&](const tenon::BatchRow& row) { asked_[row.lane()].is_under_way = false; });
    take(rows, [&](std::uint32_t lane) -> const Asked& { return asked_[lane]; });
    tell_output_now_and_then(Worker::Clock::now());
}

// What the processes have printed, as lines of the run's log.
void Env::tell_output() {
    for (const auto& worker : workers_) {
        for (const std::string& line : worker->new_output()) {
            batch_.host->log(batch_.host->ctx, output ? TN_LOG_INFO : TN_LOG_DEBUG, tenon::to_str(line));
        }
    }
}

void Env::tell_output_now_and_then(Worker::Clock::time_point now) {
    constexpr std::chrono::milliseconds kBetween(100);
    const std::unique_lock lock(telling_, std::try_to_lock);
    if (lock.owns_lock() && now - told_ >= kBetween) {
        told_ = now;
        tell_output();
    }
}

// Marks the running steps of the worker's other lanes as failed: the worker may be started again before their results
// are requested.
void Env::note_ended(const Worker& worker, const Failure& failure) {
    for (std::uint32_t lane = worker.first(); lane < worker.first() + worker.lanes(); ++lane) {
        if (asked_[lane].is_under_way) {
            asked_[lane].failure = failure;
        }
    }
}

std::uint32_t Env::at_once() const {
    if (steps_together_) {
        throw tenon::Unavailable("a worker with a vector environment steps all its lanes in one call");
    }
    return static_cast<std::uint32_t>(workers_.size());
}

// The environments are made to draw if pictures are asked for before the first episode, which is when they are made.
tenon::PictureSize Env::picture() const {
    if (!picture_) {
        if (workers_[0]->is_open()) {
            throw tenon::FailedPrecondition("pictures of " + start_.name + " were not asked for before it was made");
        }
        picture_ = workers_[0]->describe_picture();
        start_.draws = true;
    }
    return *picture_;
}

void Env::draw(std::uint32_t lane, tenon::Picture& picture) const {
    owners_[lane]->draw(lane, picture.pixels());
}

void Env::state(tenon::Archive& archive, std::uint32_t lane) {
    saved_.archive(
        archive, lane, [&](std::string& why) { return owners_[lane]->save(lane, why); },
        [&](const std::vector<std::byte>& bytes) {
            open_workers();
            if (!bytes.empty()) {
                owners_[lane]->load(lane, bytes);
            }
        });
}

}  // namespace bridge
