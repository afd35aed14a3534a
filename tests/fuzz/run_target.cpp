// SPDX-License-Identifier: Apache-2.0
#include "fuzz/run_target.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <utility>

#include "base/file/atomic.hpp"
#include "base/file/read.hpp"
#include "fuzz/problems.hpp"
#include "run/sessions/opened_run.hpp"
#include "run/sessions/training.hpp"
#include "shared/history/history_reader.hpp"
#include "shared/history/run_info.hpp"
#include "shared/history/run_state.hpp"
#include "train/checkpoint/complete.hpp"
#include "train/loop/snapshot.hpp"

namespace tenon::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = "\n=== ";
constexpr const char* kManifest = R"([run]
total_frames = 64
executor = "compiled"

[env]
plugin = "classic/CartPole-v1"
lanes = 2

[[env.transforms]]
plugin = "standard/observation_norm"

[policy.qvalue]
plugin = "mlp/q_value"
hidden = [4]

[exploration]
plugin = "explore/epsilon_greedy"

[buffer]
plugin = "replay/prioritised"
capacity = 64

[objective]
plugin = "dqn/dqn"

[train]
batch = 8
minibatch = 4
start_frames = 16

[target]
every = 4

[eval]
every_frames = 32
episodes = 1

[log]
every_frames = 16

[checkpoint]
every_frames = 32
)";

void keep_quiet(std::string_view /*notice*/) {}

using Files = std::map<std::string, std::string>;  // by path in the run's folder

// A folder of this process with a run as it was trained, and a copy of it for each input.
class Folders {
public:
    Folders() {
        std::string name = (fs::temp_directory_path() / "tenon-fuzz-XXXXXX").string();
        require(::mkdtemp(name.data()) != nullptr, "there is a temporary folder");
        root_ = name;
        require(bool(write_file(root_ / "small.toml", kManifest)), "which can be written to");
        Problems problems;
        const TrainingRequest request{.request = {.manifest = root_ / "small.toml"},
                                      .out = trained(),
                                      .resume = {},
                                      .from = {},
                                      .dump = {},
                                      .quiet = true};
        const auto result = run_training(request, keep_quiet, problems);
        for (const Problem& problem : problems) {
            std::fputs(render(problem).c_str(), stderr);
        }
        require(result.has_value(), "a small run can be trained");
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(trained())) {
            if (entry.is_regular_file() && !entry.is_symlink()) {
                const Result<std::string> bytes = read_file(entry.path());
                require(bool(bytes), "its files can be read");
                files_[entry.path().lexically_relative(trained()).string()] = *bytes;
            }
        }
    }
    ~Folders() {
        std::error_code ignored;
        fs::remove_all(root_, ignored);
    }
    Folders(const Folders&) = delete;
    Folders& operator=(const Folders&) = delete;

    [[nodiscard]] const Files& files() const { return files_; }

    // Of the names that the run has; hashes of a checkpoint are made anew unless they are among the files.
    [[nodiscard]] fs::path copy_with(const Files& replaced) const {
        const fs::path out = root_ / "run";
        fs::remove_all(out);
        fs::copy(trained(), out, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
        for (const auto& [path, bytes] : replaced) {
            const fs::path file = out / path;
            if (!files_.contains(path) || !write_file(file, bytes)) {
                continue;
            }
            const fs::path folder = file.parent_path();
            if (const Result<std::int64_t> frames = frames_in(folder);
                frames && !replaced.contains((fs::path(path).parent_path() / "complete.json").string())) {
                require(bool(write_complete(folder, *frames)), "a checkpoint can be completed");
            }
        }
        return out;
    }

private:
    [[nodiscard]] fs::path trained() const { return root_ / "trained"; }

    fs::path root_;
    Files files_;
};

const Folders& folders() {
    static const Folders kFolders;
    return kFolders;
}

Files files_in(std::string_view text) {
    Files out;
    const std::string whole = "\n" + std::string(text);
    for (std::size_t at = whole.find(kMark); at != std::string::npos;) {
        const std::size_t next = whole.find(kMark, at + 1);
        const std::size_t line = std::min(whole.find('\n', at + 1), next);
        if (line < whole.size()) {
            out[whole.substr(at + kMark.size(), line - at - kMark.size())] = whole.substr(line + 1, next - line - 1);
        }
        at = next;
    }
    return out;
}

Input input_of_files(const Files& files) {
    std::string out;
    for (const auto& [path, bytes] : files) {
        out += (out.empty() ? "" : "\n") + std::string(kMark.substr(1)) + path + "\n" + bytes;
    }
    return input_of(std::string_view(out).substr(0, kLargest));
}

// Opens the run as `tenon eval` does. Returns whether it could be scored.
bool load(const fs::path& folder) {
    Problems problems;
    std::optional<OpenedRun> run =
        open_run({.folder = folder, .checkpoint = "last", .plugins = {}}, "scored", keep_quiet, problems);
    require(run.has_value() == problems.empty(), "a run is opened, or it is said why not");
    if (run) {
        const auto note = [&](const auto& read) {
            if (!read) {
                problems.push_back(read.error());
            }
        };
        note(learner_at(*run->setup.wiring, run->checkpoint.folder));
        note(restore_transforms(*run->setup.running.lanes, run->checkpoint.folder));
        note(origin_of(run->checkpoint.folder));
    }
    check_problems(problems);
    return problems.empty();
}

// As `tenon dash` reads it.
void look_at(const fs::path& folder) {
    HistoryReader history(folder);
    if (const auto grown = history.read_more(); !grown) {
        check_problems({grown.error()});
    }
    if (const Result<RunInfo> info = read_run_info(folder)) {
        (void)state_of(*info, history);
    } else {
        check_problems({info.error()});
    }
}

// As `tenon run --resume`, which leaves before the next round. Whether it was resumed.
bool resume(const fs::path& folder) {
    Problems problems;
    const TrainingRequest request{.request = {},
                                  .out = {},
                                  .resume = folder,
                                  .from = {},
                                  .dump = {},
                                  .leave = {.at_frames = 0, .at_updates = {}},
                                  .quiet = true};
    const auto result = run_training(request, keep_quiet, problems);
    require(result.has_value() == problems.empty(), "a run is resumed, or it is said why not");
    check_problems(problems);
    return result.has_value();
}

bool is_manifest(std::string_view path) {
    return path.ends_with(".toml");
}

}  // namespace

void run_folder(std::span<const std::uint8_t> bytes) {
    const fs::path folder = folders().copy_with(files_in(text_of(bytes)));
    look_at(folder);
    const bool loaded = load(folder);
    const bool resumed = resume(folder);
    require(!bytes.empty() || (loaded && resumed), "a run is loaded and resumed as it was trained");
}

std::vector<Input> files_of_a_run() {
    std::vector<Input> out;
    for (const auto& [path, bytes] : folders().files()) {
        out.push_back(input_of_files({{path, bytes}}));
    }
    return out;
}

void mutate_run_folder(Input& input, const Input& other, Random& random) {
    Files files = files_in(text_of(input));
    Files others = files_in(text_of(other));
    if (files.empty() || random() % 8 == 0) {
        files.insert(others.begin(), others.end());
    }
    if (files.empty() || others.empty()) {
        return;
    }
    const auto some = std::next(files.begin(), static_cast<std::ptrdiff_t>(random() % files.size()));
    const std::string& piece = others.begin()->second;
    if (is_manifest(some->first) && random() % 8 != 0) {
        mutate_manifest(some->second, piece, random);
    } else {
        Input bytes = input_of(some->second);
        mutate_bytes(bytes, input_of(piece), random);
        some->second = text_of(bytes);
    }
    input = input_of_files(files);
}

}  // namespace tenon::fuzz
