// SPDX-License-Identifier: Apache-2.0
#include "run/sessions/background.hpp"

#include <cstring>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/file/stop_signals.hpp"
#include "compute/parameters/device_copies.hpp"
#include "train/loop/snapshot.hpp"
#include "train/plan/evaluations.hpp"
#include "train/plan/initial_weights.hpp"

namespace tenon {
namespace {

void copy_weights(const Learner& from, Learner& to) {
    for (std::size_t i = 0; i < from.networks.size(); ++i) {
        std::memcpy(to.networks[i].live.data(), from.networks[i].live.data(), from.networks[i].live.size());
        copy_live(to.networks[i]);
    }
}

}  // namespace

Result<std::unique_ptr<BackgroundEvaluation>> BackgroundEvaluation::make(Trainer& trainer, Host& host,
                                                                         Executor* executor) {
    std::unique_ptr<BackgroundEvaluation> out(new BackgroundEvaluation(trainer));
    const Wiring& wiring = trainer.wiring();
    out->learner_ = TENON_TRY(make_learner(wiring));
    const EvalTable& eval = wiring.manifest.eval;
    const auto seed = static_cast<std::uint64_t>(eval.seed.value_or(wiring.manifest.run.seed));
    const std::size_t count = evaluation_names(wiring.manifest).size();
    for (std::size_t i = 0; i < count; ++i) {
        std::unique_ptr<Evaluator> made =
            TENON_TRY(Evaluator::make(wiring, trainer.source().lanes(), {.which = i, .task = {}}, host, executor,
                                      out->learner_, eval.episodes, seed));
        made->give_up_by(out->give_up_);
        out->evaluators_.push_back(std::move(made));
    }
    return out;
}

BackgroundEvaluation::~BackgroundEvaluation() {
    give_up_ = true;
    if (plays_) {
        companion_.wait();
    }
}

Status BackgroundEvaluation::freeze() {
    transforms_.data.clear();
    const tn_writer writer = transforms_.writer();
    const Lanes& training = trainer_.source().lanes();
    TENON_TRY(!training.commons().empty() ? training.save_common(writer) : Status());
    numbers_ = numbers_at(wiring_, frozen_, live_);
    for (const std::unique_ptr<Evaluator>& evaluator : evaluators_) {
        TENON_TRY(evaluator->freeze());
    }
    return {};
}

Status BackgroundEvaluation::begin() {
    frozen_ = trainer_.standing();
    live_ = trainer_.live();
    TENON_TRY(fetch_to_host(trainer_.learner(), kLiveSlabs));
    copy_weights(trainer_.learner(), learner_);
    TENON_TRY(freeze());
    start();
    return {};
}

void BackgroundEvaluation::start() {
    pending_ = true;
    plays_ = true;
    stopped_ = false;
    companion_.begin([](void* self) { static_cast<BackgroundEvaluation*>(self)->play(); }, this);
}

void BackgroundEvaluation::play() {
    scores_.clear();
    for (const std::unique_ptr<Evaluator>& evaluator : evaluators_) {
        Result<std::optional<Score>> score = evaluator->run(numbers_, StopSignals::requested);
        if (!score || !*score) {
            status_ = score ? Status() : Status(std::move(score).error());
            stopped_ = true;
            return;
        }
        scores_.push_back(**score);
        std::ranges::copy(evaluator->part_scores(), std::back_inserter(scores_));
    }
}

Result<std::optional<std::vector<Score>>> BackgroundEvaluation::take() {
    if (std::exchange(plays_, false)) {
        companion_.wait();
    }
    if (!status_) {
        return std::move(status_).error();
    }
    if (stopped_) {
        return std::optional<std::vector<Score>>();
    }
    pending_ = false;
    return std::optional(scores_);
}

// Another thread may read the copy meanwhile.
Status BackgroundEvaluation::save(const std::filesystem::path& folder, const std::string& executor,
                                  const std::string& prefix) {
    return save_scored(learner_, transforms_.data, frozen_, executor, folder, prefix);
}

Status BackgroundEvaluation::resume(const std::filesystem::path& checkpoint) {
    std::error_code code;
    if (!std::filesystem::exists(checkpoint / (std::string(kPending) + "state.bin"), code)) {
        return {};
    }
    Origin origin = TENON_TRY(origin_of(checkpoint, kPending));
    frozen_ = std::move(origin.standing);
    Lanes& training = trainer_.source().lanes();
    StateBytes present;
    const tn_writer writer = present.writer();
    const bool common = !training.commons().empty();
    TENON_TRY(restore_weights(learner_, checkpoint, kPending));
    TENON_TRY(common ? training.save_common(writer) : Status());
    TENON_TRY(restore_transforms(training, checkpoint, kPending));
    live_ = live_at(wiring_.live, frozen_);
    TENON_TRY(freeze());
    const tn_reader reader = present.reader();
    TENON_TRY(common ? training.load_common(reader) : Status());
    start();
    return {};
}

}  // namespace tenon
