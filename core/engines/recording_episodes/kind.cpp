// SPDX-License-Identifier: Apache-2.0
// collector.record: the kind, which the table of all kinds names (cmake/kinds.cmake).
#include "engines/recording_episodes/recorded.hpp"
#include "engines/recording_episodes/recording.hpp"
#include "train/plan/recording_kind.hpp"

namespace tenon {
namespace {

class EpisodesKind final : public RecordingKind {
public:
    void check(const Wiring& wiring, Problems& problems) const override { is_done(recording_format(wiring), problems); }
    [[nodiscard]] Result<std::unique_ptr<EpisodeRecording>> open(const Wiring& wiring, Trainer& trainer,
                                                                 const std::filesystem::path& folder) const override {
        return RunRecording::open(wiring, trainer, folder);
    }
};

}  // namespace

const RecordingKind& recording_episodes() {
    static const EpisodesKind out;
    return out;
}

}  // namespace tenon
