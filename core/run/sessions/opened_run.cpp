// SPDX-License-Identifier: Apache-2.0
#include "run/sessions/opened_run.hpp"

#include <utility>

#include "folder/records/folder.hpp"
#include "run/start/fingerprints.hpp"
#include "train/loop/snapshot.hpp"
#include "train/plan/initial_weights.hpp"

namespace tenon {

Result<Checkpoint> chosen_checkpoint(const std::filesystem::path& run, const std::optional<std::string>& which,
                                     std::string_view done, const Notice& notice) {
    const std::filesystem::path checkpoints = run / "checkpoints";
    if (which || has_best(checkpoints)) {
        return find_checkpoint(checkpoints, which.value_or("best"));
    }
    Result<Checkpoint> last = find_checkpoint(checkpoints, "last");
    if (last) {
        notice("the run in " + run.string() +
               " has no best checkpoint, because it has had no evaluations: its last one, " +
               std::to_string(last->frames) + ", is " + std::string(done));
    }
    return last;
}

void warn_of_changed_plugins(const Wiring& wiring, const std::filesystem::path& run, const Notice& notice) {
    const Result<std::string> changed = changed_plugins(wiring, run);
    if (changed && !changed->empty()) {  // without plugins.toml, the earlier files are unknown
        notice("plugin files are of another build than those of the run in " + run.string() +
               ", so results may differ: " + *changed);
    }
}

std::optional<OpenedRun> open_run(const RunRequest& request, std::string_view done, const Notice& notice,
                                  Problems& problems) {
    if (!is_done(check_holds_run(request.folder), problems)) {
        return std::nullopt;
    }
    Result<Checkpoint> checkpoint = chosen_checkpoint(request.folder, request.checkpoint, done, notice);
    if (!is_done(checkpoint, problems)) {
        return std::nullopt;
    }
    Setup setup = set_up({.manifest = request.folder / "manifest.lock.toml",
                          .overrides = request.overrides,
                          .plugins = request.plugins,
                          .restored = true,
                          .only_acts = true},
                         problems);
    if (!problems.empty()) {
        return std::nullopt;
    }
    warn_of_changed_plugins(*setup.wiring, request.folder, notice);
    return OpenedRun{*std::move(checkpoint), std::move(setup)};
}

Result<Learner> learner_at(const Wiring& wiring, const std::filesystem::path& checkpoint) {
    Result<Learner> learner = make_learner(wiring);
    if (learner) {
        TENON_TRY(restore_weights(*learner, checkpoint));
    }
    return learner;
}

}  // namespace tenon
