// SPDX-License-Identifier: Apache-2.0
#include "commands/new/scaffold.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error/listed.hpp"
#include "base/file/draft.hpp"
#include "base/file/read.hpp"
#include "commands/new/names.hpp"
#include "plugins/plugin/search_path.hpp"

namespace tenon {
namespace {

namespace fs = std::filesystem;

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

// A folder KIND with this suffix is the template for another form of the plugin.
struct Variant {
    std::string_view suffix;
    std::string_view form;    // as sentences have it
    std::string_view option;  // the command's option that asks for it
};
constexpr std::array kVariants = {Variant{"_c", "in C", "--lang c"}, Variant{"_cuda", "with kernels", "--device cuda"},
                                  Variant{"_goal", "with goals", "--goal"},
                                  Variant{"_group", "with a group of agents", "--group"},
                                  Variant{"_on_policy", "that learns from whole batches", "--on-policy"}};
constexpr const Variant& kInC = kVariants[0];
constexpr const Variant& kWithKernels = kVariants[1];
constexpr const Variant& kWithGoals = kVariants[2];
constexpr const Variant& kOfGroup = kVariants[3];
constexpr const Variant& kOnPolicy = kVariants[4];

// The suffix of a template's folder; empty for the plain form of its kind.
std::string_view suffix_of(std::string_view folder) {
    const auto found =
        std::ranges::find_if(kVariants, [&](const Variant& variant) { return folder.ends_with(variant.suffix); });
    return found == kVariants.end() ? std::string_view() : found->suffix;
}

// What other libraries call a kind.
struct OtherWord {
    std::string_view word;
    std::string_view kind;
};
constexpr OtherWord kOtherWords[] = {
    {"loss", "objective"}, {"network", "policy"}, {"agent", "policy"}, {"callback", "hook"}};

// The kinds that have this form.
std::vector<std::string_view> kinds_with(const std::vector<std::string>& folders, std::string_view suffix) {
    std::vector<std::string_view> out;
    for (const std::string_view folder : folders) {
        if (suffix_of(folder) == suffix) {
            out.push_back(folder.substr(0, folder.size() - suffix.size()));
        }
    }
    return out;
}

// The form that the request asks for; null: the plain one.
Result<const Variant*> variant_of(const ScaffoldRequest& request) {
    if (!request.language.empty() && request.language != "c" && request.language != "c++") {
        return input_problem("--lang must be c or c++, but is '" + request.language + "'");
    }
    if (!request.device.empty() && request.device != "cuda") {
        return input_problem("--device must be cuda, but is '" + request.device + "'");
    }
    std::vector<const Variant*> asked;
    const auto ask = [&](bool is_asked, const Variant& variant) {
        if (is_asked) {
            asked.push_back(&variant);
        }
    };
    ask(request.language == "c", kInC);
    ask(!request.device.empty(), kWithKernels);
    ask(request.goal, kWithGoals);
    ask(request.group, kOfGroup);
    ask(request.on_policy, kOnPolicy);
    if (asked.size() > 1) {
        return input_problem("there is no template for both " + std::string(asked[0]->option) + " and " +
                             std::string(asked[1]->option) + "; leave out one of them");
    }
    return asked.empty() ? nullptr : asked.front();
}

// The folder of the template for that kind and form.
Result<fs::path> choose(const ScaffoldRequest& request) {
    const std::vector<std::string> folders = folders_in(request.templates);
    if (folders.empty()) {
        return environment_problem("there are no templates in " + request.templates.string() +
                                   ": the SDK is not installed with this program");
    }
    const std::vector<std::string_view> kinds = kinds_with(folders, "");
    if (std::ranges::find(kinds, request.kind) == kinds.end()) {
        const auto* const other = std::ranges::find(kOtherWords, request.kind, &OtherWord::word);
        const std::string hint = other == std::end(kOtherWords) ? did_you_mean(request.kind, kinds)
                                                                : "; did you mean '" + std::string(other->kind) + "'?";
        return input_problem("there is no kind '" + request.kind + "'" + hint, {}, "the kinds are " + listed(kinds));
    }
    const Variant* const variant = TENON_TRY(variant_of(request));
    if (variant == nullptr) {
        return request.templates / request.kind;
    }
    const auto& [suffix, form, option] = *variant;
    const std::vector<std::string_view> with = kinds_with(folders, suffix);
    if (std::ranges::find(with, request.kind) == with.end()) {
        return input_problem("there is no template " + std::string(form) + " for a plugin of the kind " + request.kind +
                             ", only for: " + listed(with) + "; leave out " + std::string(option));
    }
    return request.templates / (request.kind + std::string(suffix));
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
    fs::path chosen = TENON_TRY(choose(request));
    if (std::optional<Problem> fault = fault_of(request)) {
        return *std::move(fault);
    }
    Template known = TENON_TRY(read_template(chosen));
    std::vector<std::string> texts;
    for (const fs::path& file : known.files) {
        std::string text = TENON_TRY(read_file(file));
        texts.push_back(without_licence(text));
    }
    // The plugin's type must not equal another type of the template.
    const std::string old_type = type_name_of(known.word);
    std::string type = type_name_of(request.name);
    const auto has_type = [&](const std::string& text) { return type != old_type && has_word(text, type); };
    if (std::ranges::any_of(texts, has_type)) {
        type += type_name_of(request.kind);
    }
    if (std::error_code code; !fs::create_directories(folder_of(request.folder), code) && code) {
        return environment_problem("the folder " + folder_of(request.folder).string() +
                                   " cannot be created: " + code.message());
    }
    FolderDraft draft = TENON_TRY(FolderDraft::begin(request.folder));
    Scaffold out{.folder = request.folder, .files = {}};
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const fs::path& file = known.files[i];
        const std::string name =
            file.stem() == known.word ? request.name + file.extension().string() : file.filename().string();
        const std::string text = with_word(with_word(texts[i], known.word, request.name), old_type, type);
        TENON_TRY(write_and_sync(draft.folder() / name, text));
        out.files.push_back(name);
    }
    std::ranges::sort(out.files);
    TENON_TRY(draft.commit());
    return out;
}

}  // namespace tenon
