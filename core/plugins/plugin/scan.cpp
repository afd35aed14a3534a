// SPDX-License-Identifier: Apache-2.0
#include "plugins/plugin/scan.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "plugins/plugin/elf.hpp"

namespace tenon {
namespace {

namespace fs = std::filesystem;

struct FoundFile {
    fs::path path;
    fs::path real;  // without links

    bool operator<(const FoundFile& other) const { return path < other.path; }
};

// Resolves links. A dangling link is returned unchanged, and reading it gives the error.
fs::path real_path(const fs::path& path) {
    std::error_code code;
    fs::path real = fs::canonical(path, code);
    return code ? path : real;
}

// The shared libraries directly in the folder, sorted by name, so that the order on disk does not matter.
Result<std::vector<FoundFile>> libraries_in(const SearchFolder& folder) {
    std::vector<FoundFile> found;
    std::error_code code;
    const fs::path real_folder = real_path(folder.path);
    for (fs::directory_iterator it(folder.path, code), end; !code && it != end; it.increment(code)) {
        const fs::path& path = it->path();
        if (path.extension() == ".so") {
            std::error_code unknown;
            found.push_back({path, it->is_symlink(unknown) ? real_path(path) : real_folder / path.filename()});
        }
    }
    if (code && !folder.source.empty()) {
        const std::string path = folder.path.string();
        if (code == std::errc::no_such_file_or_directory || code == std::errc::not_a_directory) {
            return input_problem("there is no folder " + path + ", which " + folder.source + " names", folder.place,
                                 folder.place.file.empty() ? "" : "if it was moved, name it with --plugins DIR");
        }
        return input_problem(
            "cannot read the folder " + path + ", which " + folder.source + " names: " + code.message(), folder.place);
    }
    std::sort(found.begin(), found.end());
    return found;
}

Status check_name(const fs::path& file, const fs::path& real, const Note& note) {
    if (real.stem() == note.name) {
        return {};
    }
    return plugin_problem(file.string() + " is the plugin '" + note.name + "'; rename the file to " + note.name +
                          ".so, or the plugin in its source, because plugins are found by their file names");
}

PluginFile read_plugin(const fs::path& path, const fs::path& real, bool shipped) {
    PluginFile file{.path = path, .library = real.stem().string(), .note = {}, .shipped = shipped};
    Result<std::string> text = read_elf_note(path);
    Result<Note> note = text ? parse_note(*text, path.string(), NoteParts::kOutline) : Result<Note>(text.error());
    if (!note) {
        file.problem = note.error();
        file.problem->fault = Fault::kPlugin;  // nobody has named this file
        return file;
    }
    file.unread = *std::move(text);
    if (Status named = check_name(path, real, *note); !named) {
        file.problem = std::move(named).error();
    }
    file.library = note->name;
    file.note = std::move(*note);
    return file;
}

// The sources of two folders, "--plugins or plugins.search".
std::string either(const std::string& one, const std::string& other) {
    return one == other ? one : one + " or " + other;
}

// Refuses plugins of the same name in two folders that somebody names: these have equal rank, because a silent order
// among them would hide an old build. sources: those of the files' folders.
void refuse_duplicates(std::vector<PluginFile>& files, const std::vector<std::string>& sources) {
    std::map<std::pair<bool, std::string>, std::size_t> first;
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (!files[i].note) {
            continue;
        }
        const auto [seen, fresh] = first.emplace(std::pair(files[i].shipped, files[i].library), i);
        if (!fresh) {
            PluginFile& other = files[seen->second];
            files[i].problem = other.problem = input_problem(
                "two plugins have the name '" + other.library + "': " + other.path.string() + " and " +
                    files[i].path.string(),
                {}, "remove one of them, or take its folder out of " + either(sources[seen->second], sources[i]));
        }
    }
}

// Gives other plugins priority over shipped ones of the same name, because a later program may ship a plugin whose name
// somebody has used for years. This holds even for a plugin that cannot be used: its problem is then reported. A file
// whose name differs from its plugin's is not found by that name.
void put_shipped_behind(std::vector<PluginFile>& files) {
    for (PluginFile& file : files) {
        if (file.shipped || real_path(file.path).stem() != file.library) {
            continue;
        }
        for (PluginFile& shipped : files) {
            if (shipped.shipped && shipped.answers_to(std::string(kShipped) + file.library)) {
                shipped.library = std::string(kShipped) + file.library;
                file.in_place_of = shipped.path;
            }
        }
    }
}

// Whether the folder is the program's own. Somebody may also name it.
bool is_own(const SearchFolder& folder, const std::vector<SearchFolder>& folders) {
    return std::ranges::any_of(folders, [&](const SearchFolder& other) {
        std::error_code code;
        return other.source.empty() && (&other == &folder || fs::equivalent(other.path, folder.path, code));
    });
}

void apply_pin(const Pin& pin, Scan& scan) {
    if (!is_done(check_pin_form(pin), scan.problems)) {
        return;
    }
    std::vector<std::string_view> names;
    bool found = false;
    for (PluginFile& file : scan.files) {
        names.push_back(file.library);
        if (!file.answers_to(pin.library)) {
            continue;
        }
        found = true;
        Status checked = check_pin(pin, file.path);
        if (!checked && !file.problem) {
            file.problem = checked.error();
        }
    }
    if (!found) {
        scan.problems.push_back(input_problem(
            "there is no plugin '" + pin.library + "' to pin" + did_you_mean(pin.library, names), pin.place));
    }
}

}  // namespace

void PluginFile::read_options() {
    if (unread.empty()) {
        return;
    }
    Result<Note> whole = parse_note(std::exchange(unread, {}), path.string());
    if (!whole && !problem) {
        problem = whole.error();
    }
    for (std::size_t i = 0; whole && i < note->components.size(); ++i) {
        note->components[i].options = std::move(whole->components[i].options);
    }
}

Status check_file_name(const fs::path& file, const Note& note) {
    return check_name(file, real_path(file), note);
}

Scan scan_folders(const std::vector<SearchFolder>& folders, const std::vector<Pin>& pins) {
    Scan scan;
    std::vector<fs::path> seen;        // the path of each file
    std::vector<std::string> sources;  // the source of each file
    for (const SearchFolder& folder : folders) {
        const Result<std::vector<FoundFile>> libraries = libraries_in(folder);
        if (!libraries) {
            scan.problems.push_back(libraries.error());
            continue;
        }
        const bool own = is_own(folder, folders);
        for (const auto& [path, real] : *libraries) {
            std::error_code code;
            const auto known = std::find(seen.begin(), seen.end(), real);
            if (known == seen.end()) {
                scan.files.push_back(read_plugin(fs::absolute(path, code), real, own));
                seen.push_back(real);
                sources.push_back(folder.source.empty() ? "the search path" : folder.source);
            } else if (own) {
                scan.files[static_cast<std::size_t>(known - seen.begin())].shipped = true;  // somebody has a link to it
            }
        }
    }
    refuse_duplicates(scan.files, sources);
    put_shipped_behind(scan.files);
    for (const Pin& pin : pins) {
        apply_pin(pin, scan);
    }
    return scan;
}

}  // namespace tenon
