// SPDX-License-Identifier: Apache-2.0
#include "config/manifest/document.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/file/read.hpp"
#include "config/manifest/parse.hpp"
#include "config/manifest/removal.hpp"

namespace tenon {
namespace {

constexpr Largest kLargest{.bytes = std::uint64_t{1} << 20U, .kind = "manifest"};
constexpr int kMaxFiles = 256;  // files that include each other twice would grow like 2^n

struct Open {
    std::string path;
    std::filesystem::path canonical;
    Place included_at;
};

// Removes the entry of that name from the table and returns it.
std::optional<TomlNode> take(TomlTable& table, std::string_view key) {
    const auto at = std::ranges::find(table.entries, key, &TomlEntry::key);
    if (at == table.entries.end()) {
        return std::nullopt;
    }
    std::optional<TomlNode> out(std::move(at->node));
    table.entries.erase(at);
    return out;
}

// Returns the problem that ends the reading; problems that do not end it are added to the list.
class IncludeReader {
public:
    explicit IncludeReader(Problems& problems) : problems_(problems) {}

    Result<TomlTable> read(const std::string& path, const Place& included_at) {
        std::error_code ignored;  // if a path cannot be resolved, reading it gives a better message
        Open now{path, std::filesystem::weakly_canonical(path, ignored), included_at};
        if (std::optional<Problem> problem = refusal(now)) {
            return *std::move(problem);
        }
        Result<std::string> text = read_file(path, kLargest);
        if (!text) {
            text.error().place = included_at;
            return text.error();
        }
        Result<TomlTable> own = parse_toml(*text, path);
        if (!own) {
            if (!included_at.file.empty()) {
                own.error().also.push_back(included_at);
            }
            return own;
        }
        const std::optional<TomlNode> include = take(*own, "include");
        const std::optional<TomlNode> remove = take(*own, "remove");
        if (!include) {
            if (remove) {
                problems_.push_back(input_problem("remove removes keys of included files, but this file includes none",
                                                  remove->key_place));
            }
            return own;
        }
        open_.push_back(std::move(now));
        Result<TomlTable> below = read_all(*include, path);
        open_.pop_back();
        if (below) {
            if (remove) {
                remove_keys(*below, *remove, "no included file has it", problems_);
            }
            merge(*below, std::move(*own));
        }
        return below;
    }

private:
    Result<TomlTable> read_all(const TomlNode& include, const std::string& from) {
        TomlTable out;
        if (!include.list()) {
            return input_problem("include must be a list of strings, but is " + std::string(phrase_of(include)),
                                 include.place, "write include = [\"base.toml\"]");
        }
        for (const TomlNode& element : *include.list()) {
            const auto* name = std::get_if<std::string>(&element.value);
            if (!name) {
                return input_problem(
                    "include must be a list of strings, but one element is " + std::string(phrase_of(element)),
                    element.place);
            }
            const std::filesystem::path folder = std::filesystem::path(from).parent_path();
            TomlTable table = TENON_TRY(read((folder / *name).lexically_normal().string(), element.place));
            merge(out, std::move(table));
        }
        return out;
    }

    std::optional<Problem> refusal(const Open& now) {
        const auto same = [&](const Open& open) { return open.canonical == now.canonical; };
        const auto first = std::find_if(open_.begin(), open_.end(), same);
        if (first != open_.end()) {
            std::string sentence = "'" + now.path + "' includes itself";
            for (auto through = first + 1; through != open_.end(); ++through) {
                sentence += (through == first + 1 ? " through '" : ", '") + through->path + "'";
            }
            Problem problem = input_problem(std::move(sentence), now.included_at);
            for (auto through = open_.end() - 1; through != first; --through) {
                problem.also.push_back(through->included_at);
            }
            return problem;
        }
        if (++files_ > kMaxFiles) {
            return input_problem("more than " + std::to_string(kMaxFiles) + " files are included", now.included_at);
        }
        return std::nullopt;
    }

    Problems& problems_;
    std::vector<Open> open_;
    int files_ = 0;
};

}  // namespace

std::optional<Document> read_manifest(const std::string& path, std::span<const Override> overrides,
                                      Problems& problems) {
    Result<TomlTable> root = IncludeReader(problems).read(path, {});
    if (!is_done(root, problems)) {
        return std::nullopt;
    }
    Document document{.root = std::move(*root),
                      .place = {.file = path, .line = 0, .column = 0, .length = 1, .excerpt = {}}};
    put_on(document, overrides, problems);
    return document;
}

void put_on(Document& document, std::span<const Override> overrides, Problems& problems) {
    for (const Override& value : overrides) {
        const bool put = is_done(apply_override(document.root, value), problems);
        if (const std::optional<TomlNode> remove = put ? take(document.root, "remove") : std::nullopt) {
            remove_keys(document.root, *remove, "the manifest does not have it", problems);
        }
    }
}

}  // namespace tenon
