// SPDX-License-Identifier: Apache-2.0
#include "folder/records/folder.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "base/error/listed.hpp"
#include "base/file/atomic.hpp"
#include "base/file/draft.hpp"
#include "base/file/read.hpp"
#include "base/file/sync.hpp"
#include "config/manifest/parse.hpp"

namespace tenon {
namespace {

namespace fs = std::filesystem;

// The files and folders that have been created so far. They are removed in reverse order unless they are kept; a folder
// is removed only if nothing else was added to it.
struct Made {
    std::vector<fs::path> paths;
    bool kept = false;

    Made() = default;
    Made(const Made&) = delete;
    Made& operator=(const Made&) = delete;
    ~Made() {
        std::error_code ignored;  // the first problem matters more
        for (auto path = paths.rbegin(); !kept && path != paths.rend(); ++path) {
            fs::remove(*path, ignored);
        }
    }
};

// Creates the folder and its missing parents.
Status make_folder(const fs::path& folder, Made& made) {
    std::vector<fs::path> missing;
    std::error_code code;
    for (fs::path at = folder; !at.empty() && !fs::exists(at, code); at = at.parent_path()) {
        missing.push_back(at);
    }
    for (auto path = missing.rbegin(); path != missing.rend(); ++path) {
        if (fs::create_directory(*path, code)) {
            made.paths.push_back(*path);
        }
        if (code) {
            return file_problem("create the folder", *path, code.value());
        }
    }
    return {};
}

bool holds_run(const fs::path& folder) {
    constexpr const char* kNames[] = {"manifest.lock.toml", "metrics.jsonl", "metrics.csv", "checkpoints"};
    return std::any_of(std::begin(kNames), std::end(kNames), [&](const char* name) {
        std::error_code code;
        return fs::exists(fs::symlink_status(folder / name, code));
    });
}

Result<fs::path> claim_given(fs::path out, Made& made) {
    if (!out.has_filename()) {
        out = out.parent_path();  // "runs/a/" means runs/a
    }
    std::error_code code;
    if (fs::exists(out, code) && !fs::is_directory(out, code)) {
        return input_problem(out.string() + " is not a folder; give the run a new folder with --out");
    }
    if (const std::string runs = runs_in(out, 1); !runs.empty()) {
        return input_problem(out.string() + " holds runs in folders of their own, " + runs +
                             "; give the run a new folder with --out");
    }
    TENON_TRY(make_folder(out, made));
    return out;
}

// The name of a run as part of a folder's name.
std::string as_folder_name(std::string_view name) {
    std::string text(name);
    std::replace_if(text.begin(), text.end(), [](char c) { return c == '/' || c == '\0'; }, '-');
    return text.empty() ? "run" : text.front() == '.' ? "run" + text : text;
}

// The n of "<stem>n"; 0 for other names.
std::int64_t number_of(const std::string& name, const std::string& stem) {
    std::int64_t number = 0;
    if (!name.starts_with(stem)) {
        return 0;
    }
    const auto read = std::from_chars(name.data() + stem.size(), name.data() + name.size(), number);
    return read.ec == std::errc{} && read.ptr == name.data() + name.size() && number < INT64_MAX ? number : 0;
}

// The next number is one above the highest, even if a lower one is free: the order of the numbers is the order of the
// runs.
Result<fs::path> claim_numbered(const fs::path& runs, std::string_view name, Made& made) {
    TENON_TRY(make_folder(runs, made));
    const std::string stem = as_folder_name(name) + "-";
    std::int64_t highest = 0;
    std::error_code code;
    for (fs::directory_iterator it(runs, code), end; !code && it != end; it.increment(code)) {
        highest = std::max(highest, number_of(it->path().filename().string(), stem));
    }
    while (!code) {
        fs::path folder = runs / (stem + std::to_string(++highest));
        if (fs::create_directory(folder, code)) {  // false: another process was faster
            made.paths.push_back(folder);
            return folder;
        }
    }
    return file_problem("create a folder for the run in", runs, code.value());
}

// The key is quoted, because the other keys of plugins.toml are names of libraries, which have no blanks.
constexpr std::string_view kFormatKey = "format of the run";

std::string format_line() {
    return '"' + std::string(kFormatKey) + "\" = " + std::to_string(kRunFormat) + '\n';
}

// The version of the format. A folder that does not state it has version 1.
std::int64_t format_of(const fs::path& folder) {
    const Result<std::string> text =
        read_file(folder / "plugins.toml", Largest{.bytes = std::uint64_t{1} << 20U, .kind = "list of plugins"});
    const Result<TomlTable> table = text ? parse_toml(*text, "plugins.toml") : Result(TomlTable());
    const TomlNode* node = table ? table->find(kFormatKey) : nullptr;
    const auto* format = node != nullptr ? std::get_if<std::int64_t>(&node->value) : nullptr;
    return format != nullptr ? *format : 1;
}

// Without what a run that was killed at its start leaves.
std::string others_in(const fs::path& folder) {
    constexpr std::size_t kNamed = 3;
    std::vector<std::string> names;
    std::error_code code;
    for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
        const std::string name = at->path().filename().string();
        if (!name.starts_with('.') && name != "lock" && name != "plugins.toml") {
            names.push_back(name);
        }
    }
    std::ranges::sort(names);
    const std::size_t more = names.size() - std::min(names.size(), kNamed);
    names.resize(names.size() - more);
    return listed(names) + (more > 0 ? " and " + std::to_string(more) + " more" : "");
}

Problem taken(const fs::path& folder) {
    return input_problem(folder.string() + " already contains a run; resume it with --resume " + folder.string() +
                         " or give another --out");
}

}  // namespace

Result<RunFolder> RunFolder::create(const fs::path& out, const fs::path& runs, std::string_view name,
                                    std::string_view manifest, std::string_view plugins) {
    Made folders;
    fs::path folder = TENON_TRY(out.empty() ? claim_numbered(runs, name, folders) : claim_given(out, folders));
    if (holds_run(folder)) {
        return taken(folder);
    }
    PrivateDescriptor lock = TENON_TRY(lock_run(folder));
    if (holds_run(folder)) {  // another process has begun and ended a run meanwhile
        return taken(folder);
    }
    remove_drafts(folder);
    RunFolder run(folder, std::move(lock));
    run.others_ = others_in(folder);
    Made files;  // declared after the lock, so that they are removed while it is held
    files.paths.push_back(folder / "lock");
    // The manifest is written after plugins.toml: with it, the folder contains a run that --resume can continue.
    for (const auto& [path, text] : {std::pair{folder / "plugins.toml", format_line() + std::string(plugins)},
                                     std::pair{run.manifest(), std::string(manifest)}}) {
        TENON_TRY(write_file(path, text));
        files.paths.push_back(path);
    }
    TENON_TRY(make_folder(run.checkpoints(), files));
    TENON_TRY(sync_path(folder));
    files.kept = true;
    folders.kept = true;
    run.made_ = folders.paths;
    return run;
}

Result<fs::path> make_numbered_folder(const fs::path& runs, std::string_view name) {
    Made made;
    Result<fs::path> folder = claim_numbered(runs, name, made);
    made.kept = folder.has_value();
    return folder;
}

void RunFolder::discard() const {
    std::error_code ignored;  // the first problem matters more
    for (const char* name :
         {"manifest.lock.toml", "plugins.toml", "metrics.jsonl", "metrics.csv", "checkpoints", "lock"}) {
        fs::remove(path_ / name, ignored);  // removes only empty folders
    }
    for (auto path = made_.rbegin(); path != made_.rend(); ++path) {
        fs::remove(*path, ignored);
    }
}

Status check_holds_run(const fs::path& folder) {
    std::error_code code;
    if (!fs::is_regular_file(folder / "manifest.lock.toml", code)) {
        if (fs::is_regular_file(folder, code)) {
            return input_problem(folder.string() + " is a file, and a run is a folder", {},
                                 "`tenon run` prints its folder at the end");
        }
        const std::string runs = runs_in(folder, 2);
        return input_problem("there is no run in " + folder.string() + ": it has no manifest.lock.toml", {},
                             runs.empty() ? "" : "it holds runs: name one of them, " + runs);
    }
    if (const std::int64_t format = format_of(folder); format > kRunFormat) {
        return input_problem("the run in " + folder.string() +
                             " was written by a later version of tenon (its format is " + std::to_string(format) +
                             ", this one reads up to " + std::to_string(kRunFormat) + ")");
    }
    return {};
}

Result<RunFolder> RunFolder::reopen(const fs::path& folder) {
    TENON_TRY(check_holds_run(folder));
    PrivateDescriptor lock = TENON_TRY(lock_run(folder));
    remove_drafts(folder);
    return RunFolder(folder, std::move(lock));
}

std::string runs_in(const fs::path& folder, int depth) {
    std::vector<std::string> found;
    std::error_code code;
    fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, code);
    for (; !code && it != fs::recursive_directory_iterator(); it.increment(code)) {
        std::error_code ignored;
        const bool is_run = fs::is_regular_file(it->path() / "manifest.lock.toml", ignored);
        if (is_run) {
            found.push_back(it->path().string());
        }
        if (is_run || it.depth() + 1 >= depth) {
            it.disable_recursion_pending();
        }
    }
    if (found.empty()) {
        return {};
    }
    const std::string more = found.size() > 1 ? " and " + std::to_string(found.size() - 1) + " more" : "";
    return *std::ranges::min_element(found) + more;
}

}  // namespace tenon
