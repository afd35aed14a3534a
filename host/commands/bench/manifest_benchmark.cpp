// SPDX-License-Identifier: Apache-2.0
#include "commands/bench/manifest_benchmark.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "commands/bench/slow_device.hpp"
#include "config/manifest/pace.hpp"
#include "run/sessions/training.hpp"

namespace tenon {
namespace {

constexpr const char* kNever = "1_000_000_000_000_000";

class PassingFolder {
public:
    PassingFolder() {
        std::error_code code;
        std::string name = (std::filesystem::temp_directory_path(code) / "tenon-bench-XXXXXX").string();
        made_ = !code && mkdtemp(name.data()) != nullptr;
        path_ = std::move(name);
    }
    PassingFolder(const PassingFolder&) = delete;
    PassingFolder& operator=(const PassingFolder&) = delete;
    ~PassingFolder() {
        std::error_code code;
        std::filesystem::remove_all(path_, code);
    }

    [[nodiscard]] bool made() const { return made_; }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    bool made_ = false;
};

// Leaves at most one evaluation, at the end, and no intermediate checkpoints.
void put_aside(Request& request, const Manifest& manifest) {
    const std::string each = std::string(".every_") + unit_of(manifest) + "s=";
    const auto put = [&](std::string text) { request.overrides.push_back({std::move(text), "tenon bench"}); };
    if (every(manifest.eval) > 0) {
        put("eval" + each + kNever);
    }
    put("checkpoint" + each + "0");
    put("log.tensorboard=false");
}

}  // namespace

std::optional<ManifestTimes> benchmark_manifest(Request request, const Notice& notice, Problems& problems) {
    {
        const Setup setup = set_up(request, problems);
        if (!problems.empty()) {
            return std::nullopt;
        }
        announce_slow(setup.wiring->device.get());
        put_aside(request, setup.wiring->manifest);
    }
    const PassingFolder folder;
    if (!folder.made()) {
        problems.push_back(environment_problem("cannot create a folder " + folder.path().string()));
        return std::nullopt;
    }
    const auto result = run_training({.request = std::move(request),
                                      .out = folder.path() / "run",
                                      .resume = {},
                                      .from = {},
                                      .dump = {},
                                      .quiet = true},
                                     notice, problems);
    if (!result) {
        return std::nullopt;
    }
    ManifestTimes out{.executor = result->executor,
                      .frames = result->frames,
                      .updates = result->updates,
                      .seconds = result->working_s,
                      .frames_per_s = static_cast<double>(result->frames) / result->working_s,
                      .return_mean = std::nullopt};
    if (!result->last.empty()) {
        out.return_mean = result->last.front().score.return_mean;
    }
    return out;
}

}  // namespace tenon
