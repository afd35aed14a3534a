// SPDX-License-Identifier: Apache-2.0
#include "commands/check/check_plugin.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/error/listed.hpp"
#include "commands/check/check_lists.hpp"
#include "commands/check/child.hpp"
#include "commands/check/device_promises.hpp"
#include "commands/check/env_checks.hpp"
#include "commands/check/naming_tables.hpp"
#include "commands/check/workbench.hpp"
#include "config/manifest/document.hpp"
#include "config/manifest/options.hpp"
#include "config/manifest/override.hpp"
#include "config/manifest/value.hpp"
#include "plugins/plugin/library.hpp"
#include "plugins/plugin/note.hpp"
#include "run/start/libtorch.hpp"

namespace tenon {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

class Checker {
public:
    Checker(const CheckRequest& request, Checklist& list) : request_(request), list_(list) {}

    // Returns false after a gate has failed. Checks behind a closed gate are skipped.
    bool run(const CheckSubject& subject, std::span<const Check> checks) {
        std::string closed;        // all checks
        std::string incomparable;  // checks that compare
        for (const Check& check : checks) {
            if (!is_asked(check) && check.traits.gate == Gate::kNone) {
                continue;
            }
            const std::string& reason = closed.empty() && check.traits.compares ? incomparable : closed;
            const CheckRow& row = reason.empty() ? run_one(subject, check) : add(subject, check, skipped(reason), 0);
            if (row.verdict.outcome == CheckOutcome::kFail && check.traits.gate != Gate::kNone) {
                (check.traits.gate == Gate::kAll ? closed : incomparable) = "not reached: '" + row.name + "' failed";
            } else if (row.verdict.outcome == CheckOutcome::kSkip && check.traits.gate == Gate::kAll) {
                closed = closed.empty() ? "not reached: '" + row.name + "' was skipped" : closed;
            }
        }
        return closed.empty();
    }

    void skip(const CheckSubject& subject, std::span<const Check> checks, const std::string& reason) {
        for (const Check& check : checks) {
            if (is_asked(check)) {
                add(subject, check, skipped(reason), 0);
            }
        }
    }

    // Whether a check so far was one of those that the request asks for.
    [[nodiscard]] bool found() const { return found_; }

    const CheckRow& add(const CheckSubject& subject, const Check& check, Verdict verdict, double seconds) {
        if (verdict.breaks.empty()) {
            verdict.breaks = check.breaks;
        }
        const ComponentNote* const component = subject.component;
        list_.rows.push_back({.component = component != nullptr ? component->id : "",
                              .kind = component != nullptr ? component->kind : "",
                              .name = std::string(check.name),
                              .verdict = std::move(verdict),
                              .seconds = seconds});
        request_.on_row(list_.rows.back());
        return list_.rows.back();
    }

private:
    bool is_asked(const Check& check) {
        const auto names_it = [&](const std::string& text) { return check.name.find(text) != std::string_view::npos; };
        const bool asked = request_.only.empty() || std::ranges::any_of(request_.only, names_it);
        found_ = found_ || asked;
        return asked;
    }

    const CheckRow& run_one(const CheckSubject& subject, const Check& check) {
        const Clock::time_point start = Clock::now();
        const ChildRules rules{
            .seconds = request_.seconds,
            .ends_by_exit = check.traits.ends_by_exit,
            .kind = subject.component != nullptr ? subject.component->kind : std::string_view("plugin")};
        Verdict verdict = run_in_child([&] { return check.run(subject); }, rules);
        return add(subject, check, std::move(verdict), since(start));
    }

    const CheckRequest& request_;
    Checklist& list_;
    bool found_ = false;
};

// Some kinds come in two forms: graphs, and procedures.
bool is_graph(const CheckSubject& subject, double seconds) {
    const auto ask = [&]() -> Verdict {
        const auto bench = Workbench::open(subject);
        return bench && (*bench)->component().component->get_interface("tenon.graph/1") != nullptr ? passed()
                                                                                                   : skipped("");
    };
    const Verdict verdict = run_in_child(ask, {.seconds = seconds, .kind = subject.component->kind});
    return verdict.outcome == CheckOutcome::kPass;
}

std::span<const Check> checks_of(const CheckSubject& subject) {
    const std::string_view kind = subject.component->kind;
    if (kind == "transform" && !is_graph(subject, subject.seconds)) {
        return transform_checks();
    }
    struct OneList {
        std::string_view kind;
        std::span<const Check> (*checks)();
    };
    static constexpr OneList kLists[] = {{"env", env_checks},         {"wrapper", wrapper_checks},
                                         {"buffer", sampler_checks},  {"hook", hook_checks},
                                         {"dataset", dataset_checks}, {"objective", objective_checks}};
    if (const auto* const list = std::ranges::find(kLists, kind, &OneList::kind); list != std::end(kLists)) {
        return list->checks();
    }
    const bool acts = kind == "policy";
    if (is_graph(subject, subject.seconds)) {
        return acts ? acting_checks() : graph_checks();
    }
    return acts ? policy_checks() : std::span<const Check>();
}

// The checks of a component that has kernels for a device.
std::span<const Check> device_checks_of(const CheckSubject& subject) {
    const std::string_view kind = subject.component->kind;
    if (kind != "env" && kind != "buffer") {
        return {};
    }
    const char* const interface_id = kind == "env" ? "tenon.device_env/1" : "tenon.device_sampler/1";
    const auto ask = [&] { return has_kernels(subject, interface_id) ? passed() : skipped(""); };
    const Verdict verdict = run_in_child(ask, {.seconds = subject.seconds, .kind = kind});
    return verdict.outcome != CheckOutcome::kPass ? std::span<const Check>()
           : kind == "env"                        ? device_env_checks()
                                                  : device_sampler_checks();
}

bool wants_run(std::span<const Check> checks) {
    return std::ranges::any_of(checks, [](const Check& check) { return check.traits.wants_run; });
}

// Each check is a separate process, and mapping libtorch takes longer than most checks. So it is mapped here, and the
// processes inherit it. Without libtorch the checks report that themselves.
void map_reference_before_forks() {
    [[maybe_unused]] const Result<Library> module = load_reference_module();
}

// Why the checks of the list cannot run with the given information; empty if they can.
std::string obstacle(const CheckSubject& subject, std::span<const Check> checks) {
    if (!wants_run(checks)) {
        return "";
    }
    if (subject.manifest == nullptr) {
        return "it needs a manifest that wires it: give one with --manifest";
    }
    return tables_naming(subject).empty()
               ? subject.manifest->place.file + " does not use it: none of its tables has plugin = \"" +
                     full_name(subject) + "\""
               : "";
}

std::vector<const ComponentNote*> chosen(const CheckRequest& request, const Note& note, Problems& problems) {
    std::vector<const ComponentNote*> out;
    std::vector<std::string_view> ids;
    for (const ComponentNote& component : note.components) {
        ids.emplace_back(component.id);
        if (request.component.empty() || request.component == component.id ||
            request.component == note.name + "/" + component.id) {
            out.push_back(&component);
        }
    }
    if (out.empty() && !request.component.empty()) {
        problems.push_back(input_problem(request.file.string() + " has no component '" + request.component + "'" +
                                             did_you_mean(request.component, ids),
                                         {}, "it has: " + listed(ids)));
    }
    return out;
}

// Every --set must be an option of some component that is checked.
TomlTable read_sets(const CheckRequest& request, const std::vector<const ComponentNote*>& components,
                    Problems& problems) {
    TomlTable given;
    for (const Override& value : given_by_set(request.sets)) {
        if (Status status = apply_override(given, value); !status) {
            problems.push_back(std::move(status.error()));
        }
    }
    std::vector<std::string_view> known;
    for (const ComponentNote* const component : components) {
        for (const OptionSchema& schema : component->options) {
            known.emplace_back(schema.name);
        }
    }
    for (const TomlEntry& entry : given.entries) {
        if (std::find(known.begin(), known.end(), entry.key) == known.end()) {
            problems.push_back(
                input_problem("no checked component has an option '" + entry.key + "'" + did_you_mean(entry.key, known),
                              entry.node.key_place));
        }
    }
    return given;
}

// The table of a document at a path such as "env.transforms.0"; null if there is none.
const TomlTable* table_at(const TomlTable& root, std::string_view path) {
    const TomlTable* table = &root;
    while (table != nullptr && !path.empty()) {
        const std::string_view name = path.substr(0, path.find('.'));
        path.remove_prefix(std::min(name.size() + 1, path.size()));
        const TomlNode* const node = table->find(name);
        const auto* const list = node == nullptr ? nullptr : node->list();
        if (list != nullptr && !path.empty()) {
            const std::string number(path.substr(0, path.find('.')));
            path.remove_prefix(std::min(number.size() + 1, path.size()));
            table = (*list)[std::stoul(number)].table();
        } else {
            table = node == nullptr ? nullptr : node->table();
        }
    }
    return table;
}

// The options of --set and, below them, those of the first table of the manifest that names the component.
TomlTable given_to(const CheckSubject& subject, const TomlTable& sets) {
    TomlTable out;
    const std::vector<std::string> tables = tables_naming(subject);
    const TomlTable* const table = tables.empty() ? nullptr : table_at(subject.manifest->root, tables.front());
    if (table != nullptr) {
        out = *table;
    }
    merge(out, sets);
    return out;
}

// The options of a component; `missing`: the required options that were not given.
std::vector<OptionValue> options_of(const ComponentNote& component, const TomlTable& given, std::string& missing,
                                    Problems& problems) {
    std::vector<OptionValue> out;
    for (const OptionSchema& schema : component.options) {
        out.push_back(schema.standard.value_or(OptionValue(false)));
        if (const TomlNode* const node = given.find(schema.name)) {
            Result<OptionValue> value = read_value(schema, *node, component.id + "." + schema.name);
            if (value) {
                out.back() = std::move(*value);
                make_absolute(schema, node->place, out.back());
            } else {
                problems.push_back(std::move(value.error()));
            }
        } else if (!schema.standard) {
            missing += (missing.empty() ? "" : ", ") + schema.name;
        }
    }
    return out;
}

// The document, or null. All checks use this copy, even if the file changes meanwhile.
std::shared_ptr<const Document> read_document(const std::filesystem::path& path, Problems& problems) {
    std::optional<Document> read = path.empty() ? std::nullopt : read_manifest(path.string(), {}, problems);
    return read ? std::make_shared<const Document>(std::move(*read)) : nullptr;
}

struct Planned {
    CheckSubject subject;
    std::string missing;  // options
};

std::vector<Planned> plan(const CheckRequest& request, const CheckSubject& file, Problems& problems) {
    const std::vector<const ComponentNote*> components = chosen(request, *file.file->note, problems);
    const TomlTable given = read_sets(request, components, problems);
    const std::shared_ptr<const Document> named = read_document(request.manifest, problems);
    std::vector<Planned> out;
    for (const ComponentNote* const component : components) {
        Planned planned{.subject = file, .missing = {}};
        planned.subject.component = component;
        planned.subject.manifest =
            request.manifest.empty() ? read_document(manifest_with(full_name(planned.subject)), problems) : named;
        const bool by_manifest = !request.manifest.empty() && named != nullptr;
        planned.subject.options =
            options_of(*component, by_manifest ? given_to(planned.subject, given) : given, planned.missing, problems);
        out.push_back(std::move(planned));
    }
    return out;
}

constexpr Check kNote = {"its note can be read", "tenon/abi/plugin.h: TN_NOTE_NAME", nullptr, kGate};

}  // namespace

std::optional<Checklist> check_plugin(const CheckRequest& request, Problems& problems) {
    const Clock::time_point start = Clock::now();
    Checklist list;
    list.path = request.file.string();
    list.library = request.file.stem().string();
    list.seed = request.seed;
    Checker checker(request, list);
    auto file = std::make_shared<PluginFile>(PluginFile{.path = request.file, .library = list.library, .note = {}});
    const CheckSubject subject{.file = file,
                               .component = nullptr,
                               .options = {},
                               .seed = request.seed,
                               .seconds = request.seconds,
                               .lanes = request.lanes,
                               .manifest = {},
                               .sets = request.sets,
                               .plugins = request.plugins};
    Result<Note> note = read_note(request.file);
    if (!note && note.error().fault != Fault::kPlugin) {
        problems.push_back(std::move(note.error()));
        return std::nullopt;
    }
    if (!note) {
        checker.add(subject, kNote, failed(note.error()), since(start));
        checker.skip(subject, file_checks(), "not reached: '" + std::string(kNote.name) + "' failed");
        list.seconds = since(start);
        return list;
    }
    file->note = std::move(*note);
    file->library = list.library = file->note->name;
    file->shipped = is_shipped(request.file);
    list.version = file->note->version;
    const std::vector<Planned> components = plan(request, subject, problems);
    if (!problems.empty()) {
        return std::nullopt;
    }
    checker.add(subject, kNote, passed(), since(start));
    const bool is_sound = checker.run(subject, file_checks());
    for (const auto& [of, missing] : components) {
        for (const std::span<const Check> checks :
             {component_checks(), is_sound ? checks_of(of) : std::span<const Check>(),
              is_sound ? device_checks_of(of) : std::span<const Check>()}) {
            if (!is_sound) {
                checker.skip(of, checks, "not reached: the plugin cannot be loaded");
            } else if (!missing.empty()) {
                checker.skip(of, checks, "it has a required option: give --set " + missing + "=VALUE");
            } else if (const std::string reason = obstacle(of, checks); !reason.empty()) {
                checker.skip(of, checks, reason);
            } else {
                if (wants_run(checks)) {
                    map_reference_before_forks();
                }
                checker.run(of, checks);
            }
        }
    }
    if (!checker.found()) {
        const auto quoted = [](const std::string& text) { return "'" + text + "'"; };
        problems.push_back(input_problem(
            "no check of " + request.file.string() + " has " + listed(request.only, quoted) + " in its name", {},
            "without --only, `tenon check` prints the names"));
        return std::nullopt;
    }
    list.seconds = since(start);
    return list;
}

}  // namespace tenon
