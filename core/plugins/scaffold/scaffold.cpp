// SPDX-License-Identifier: Apache-2.0
#include "plugins/scaffold/scaffold.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/file/draft.hpp"
#include "base/file/read.hpp"
#include "plugins/plugin/search_path.hpp"
#include "plugins/scaffold/names.hpp"

namespace tenon {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kInC = "_c";
constexpr std::string_view kWithKernels = "_cuda";

struct Template {
    std::string word;  // the name of its plugin and its source
    std::vector<fs::path> files;
};

std::vector<std::string> folders_in(const fs::path& path) {
    std::vector<std::string> out;
    std::error_code code;
    for (fs::directory_iterator at(path, code), end; !code && at != end; at.increment(code)) {
        if (at->is_directory(code)) {
            out.push_back(at->path().filename().string());
        }
    }
    std::ranges::sort(out);
    return out;
}

// The folder of the template for that kind and language.
Result<fs::path> choose(const ScaffoldRequest& request) {
    const std::vector<std::string> folders = folders_in(request.templates);
    if (folders.empty()) {
        return environment_problem("there are no templates in " + request.templates.string() +
                                   ": the SDK is not beside this program");
    }
    std::string kinds;
    std::string kinds_in_c;
    std::string kinds_with_kernels;
    std::vector<std::string_view> names;
    for (const std::string& folder : folders) {
        const bool in_c = folder.ends_with(kInC);
        const bool with_kernels = folder.ends_with(kWithKernels);
        const std::size_t suffix = in_c ? kInC.size() : with_kernels ? kWithKernels.size() : 0;
        std::string& list = in_c ? kinds_in_c : with_kernels ? kinds_with_kernels : kinds;
        list += (list.empty() ? "" : ", ") + folder.substr(0, folder.size() - suffix);
        if (suffix == 0) {
            names.emplace_back(folder);
        }
    }
    if (std::ranges::find(names, request.kind) == names.end()) {
        return input_problem("there is no kind '" + request.kind + "'" + did_you_mean(request.kind, names), {},
                             "the kinds are " + kinds);
    }
    if (!request.language.empty() && request.language != "c" && request.language != "c++") {
        return input_problem("--lang must be c or c++, but is '" + request.language + "'");
    }
    if (!request.device.empty()) {
        if (request.device != "cuda" || request.language == "c") {
            return input_problem(request.device == "cuda" ? "kernels are written in C++; leave out --lang c"
                                                          : "--device must be cuda, but is '" + request.device + "'");
        }
        const std::string folder = request.kind + std::string(kWithKernels);
        if (std::ranges::find(folders, folder) == folders.end()) {
            return input_problem("there is no template with kernels for a plugin of the kind " + request.kind +
                                 ", only for: " + kinds_with_kernels + "; leave out --device cuda");
        }
        return request.templates / folder;
    }
    const std::string folder = request.kind + (request.language == "c" ? std::string(kInC) : "");
    if (std::ranges::find(folders, folder) == folders.end()) {
        return input_problem("there is no template in C for a plugin of the kind " + request.kind +
                             ", only for: " + kinds_in_c + "; leave out --lang c");
    }
    return request.templates / folder;
}

Result<Template> read_template(const fs::path& folder) {
    Template out;
    std::error_code code;
    for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
        out.files.push_back(at->path());
        const std::string extension = at->path().extension().string();
        if ((extension == ".cpp" || extension == ".c") && at->path().stem() != "kernels") {
            out.word = at->path().stem().string();
        }
    }
    if (code || out.word.empty()) {
        return environment_problem("the template in " + folder.string() + " is not complete: it has no source");
    }
    std::ranges::sort(out.files);
    return out;
}

// The licence line applies to our template, and not to the author's plugin.
std::string without_licence(std::string_view text) {
    return std::string(
        text.substr(text.find("SPDX-License-Identifier") == std::string_view::npos ? 0 : text.find('\n') + 1));
}

// Checks before anything is created: an invalid or used name, an existing folder.
std::optional<Problem> fault_of(const ScaffoldRequest& request) {
    if (std::string fault = fault_of_plugin_name(request.name); !fault.empty()) {
        return input_problem(std::move(fault));
    }
    const fs::path shipped = installed_folder() / "plugins" / (request.name + ".so");
    std::error_code code;
    if (fs::exists(shipped, code)) {
        return input_problem("a plugin '" + request.name + "' already exists: " + shipped.string() +
                             "; give the new one another name");
    }
    if (fs::exists(fs::symlink_status(request.folder, code))) {
        return input_problem(request.folder.string() + " already exists; `tenon new` needs a new folder");
    }
    return std::nullopt;
}

}  // namespace

fs::path installed_templates() {
    return (installed_folder() / ".." / ".." / "share" / "tenon" / "templates").lexically_normal();
}

Result<Scaffold> make_scaffold(const ScaffoldRequest& request) {
    Result<fs::path> chosen = choose(request);
    if (!chosen) {
        return std::move(chosen).error();
    }
    if (std::optional<Problem> fault = fault_of(request)) {
        return *std::move(fault);
    }
    Result<Template> known = read_template(*chosen);
    if (!known) {
        return std::move(known).error();
    }
    std::vector<std::string> texts;
    for (const fs::path& file : known->files) {
        Result<std::string> text = read_file(file);
        if (!text) {
            return std::move(text).error();
        }
        texts.push_back(without_licence(*text));
    }
    // The plugin's type must not equal another type of the template.
    const std::string old_type = type_name_of(known->word);
    std::string type = type_name_of(request.name);
    const auto has_type = [&](const std::string& text) { return type != old_type && has_word(text, type); };
    if (std::ranges::any_of(texts, has_type)) {
        type += type_name_of(request.kind);
    }
    if (std::error_code code; !fs::create_directories(folder_of(request.folder), code) && code) {
        return environment_problem("the folder " + folder_of(request.folder).string() +
                                   " cannot be created: " + code.message());
    }
    Result<FolderDraft> draft = FolderDraft::begin(request.folder);
    if (!draft) {
        return std::move(draft).error();
    }
    Scaffold out{.folder = request.folder, .files = {}};
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const fs::path& file = known->files[i];
        const std::string name =
            file.stem() == known->word ? request.name + file.extension().string() : file.filename().string();
        const std::string text = with_word(with_word(texts[i], known->word, request.name), old_type, type);
        if (Status written = write_and_sync(draft->folder() / name, text); !written) {
            return std::move(written).error();
        }
        out.files.push_back(name);
    }
    std::ranges::sort(out.files);
    if (Status done = draft->commit(); !done) {
        return std::move(done).error();
    }
    return out;
}

}  // namespace tenon
