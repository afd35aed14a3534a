// SPDX-License-Identifier: Apache-2.0
#include "config/manifest/first_definition.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "config/manifest/key_path.hpp"
#include "config/manifest/utf8.hpp"

namespace tenon {
namespace {

constexpr std::size_t kDeepest = 64;  // no manifest is nested deeper

using Names = std::vector<std::string>;  // elements of lists have names that are not valid keys

std::string element(std::size_t index) {
    return "\n" + std::to_string(index);
}

// Scans keys and skips values. The text up to `last` is known to be valid TOML.
class Scanner {
public:
    Scanner(std::string_view text, std::size_t last)
        : text_(text), last_(last), at_(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0) {}

    std::optional<TwiceDefined> find() {
        Names table;
        for (skip_space(); at_ < text_.size() && at_ <= last_; skip_space()) {
            const std::size_t before = at_;
            if (text_[at_] == '[') {
                table = header();
            } else {
                key_and_value(table);
            }
            if (at_ == before) {
                break;
            }
        }
        return newest_ ? before_newest() : std::nullopt;
    }

private:
    // Distinguishes tables that were defined explicitly from those that a key below them implied.
    struct Known {
        Definition definition;
        bool itself = false;
    };

    struct Newest {
        Names path;
        std::size_t table = 0;  // how many of its names belong to the table that contains it
        Definition definition;
    };

    void define(const Names& path, std::size_t table, Definition definition) {
        if (definition.begin <= last_ && path.size() <= kDeepest) {
            note_newest();
            newest_ = {path, table, std::move(definition)};
        }
    }

    // The newest one is kept separately, so that it is not found as its own first definition.
    void note_newest() {
        if (!newest_) {
            return;
        }
        const Definition& definition = newest_->definition;
        Names path = newest_->path;
        for (bool itself = true; path.size() > newest_->table; itself = false, path.pop_back()) {
            Known& known = known_.try_emplace(path, Known{definition, itself}).first->second;
            if (itself && !known.itself) {
                known = {definition, true};
            }
        }
    }

    // The same key, or a key between it and its table that has a value. Headers may extend each other's tables.
    [[nodiscard]] std::optional<TwiceDefined> before_newest() const {
        const Definition& second = newest_->definition;
        for (Names path = newest_->path; path.size() > newest_->table; path.pop_back()) {
            const auto at = known_.find(path);
            const bool is_same = path.size() == newest_->path.size();
            const bool is_through =
                at != known_.end() && at->second.itself && !(is_header(at->second.definition) && is_header(second));
            if (at != known_.end() && (is_same || is_through)) {
                return TwiceDefined{.first = at->second.definition, .second = second};
            }
        }
        return std::nullopt;
    }

    static bool is_header(const Definition& definition) { return definition.written.starts_with('['); }

    // [a.b] or [[a.b]]; sets the names of the table that follows.
    Names header() {
        const std::size_t begin = at_;
        const bool is_list = text_.substr(at_).starts_with("[[");
        at_ += is_list ? 2 : 1;
        const KeyPath key = read_key_path(text_, at_);
        at_ = std::min(key.end + (is_list ? 2 : 1), text_.size());
        const Definition definition{std::string(text_.substr(begin, at_ - begin)), begin, at_};
        Names path;
        for (std::size_t i = 0; i < key.parts.size(); ++i) {
            path.push_back(key.parts[i].name);
            const bool is_last = i + 1 == key.parts.size();
            const auto count = counts_.find(path);
            if (is_last && (!is_list || count == counts_.end())) {
                define(path, 0, definition);
            }
            if (is_last && is_list) {
                path.push_back(element(counts_[path]++));
            } else if (!is_last && count != counts_.end()) {
                path.push_back(element(count->second - 1));
            }
        }
        return path;
    }

    void key_and_value(Names table) {
        const KeyPath key = read_key_path(text_, at_);
        if (!key.is_whole) {
            return;
        }
        const std::size_t above = table.size();
        for (const KeyPart& part : key.parts) {
            table.push_back(part.name);
        }
        const std::size_t begin = key.parts.front().begin;
        const std::size_t end = key.parts.back().end;
        define(table, above, {std::string(text_.substr(begin, end - begin)), begin, end});
        at_ = std::min(key.end + 1, text_.size());  // past the '='
        skip_space();
        value(table);
    }

    void value(const Names& path) {
        if (at_ >= text_.size() || at_ > last_) {
            return;
        }
        if (text_[at_] == '"' || text_[at_] == '\'') {
            string();
        } else if (text_[at_] == '{' || text_[at_] == '[') {
            const bool is_table = text_[at_] == '{';
            ++at_;
            for (std::size_t i = 0; !closed(is_table ? '}' : ']'); ++i) {
                const std::size_t before = at_;
                if (is_table) {
                    key_and_value(path);
                } else {
                    Names below = path;
                    below.push_back(element(i));
                    value(below);
                }
                if (at_ == before) {
                    at_ = text_.size();
                }
            }
        } else {
            at_ = std::min(text_.find_first_of(",]}#\n", at_), text_.size());
        }
    }

    // Whether a table or list ends here; skips separators.
    bool closed(char end) {
        skip_space();
        if (at_ < text_.size() && text_[at_] == ',') {
            ++at_;
            skip_space();
        }
        if (at_ >= text_.size() || at_ > last_) {
            return true;
        }
        const bool ends = text_[at_] == end;
        at_ += ends ? 1 : 0;
        return ends;
    }

    void string() {
        const std::string_view quote = text_.substr(at_, 1);
        const std::string three(3, quote.front());
        const std::string_view end = text_.substr(at_).starts_with(three) ? std::string_view(three) : quote;
        at_ += end.size();
        while (at_ < text_.size() && !text_.substr(at_).starts_with(end)) {
            at_ += quote == "\"" && text_[at_] == '\\' ? 2 : 1;
        }
        at_ = std::min(at_ + end.size(), text_.size());
        while (end.size() == 3 && at_ < text_.size() && text_[at_] == quote.front()) {
            ++at_;  // quotes may precede the closing three
        }
    }

    void skip_space() {
        while (at_ < text_.size()) {
            at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
            if (at_ == text_.size() || text_[at_] != '#') {
                return;
            }
            at_ = std::min(text_.find('\n', at_), text_.size());
        }
    }

    std::string_view text_;
    std::size_t last_;
    std::size_t at_;
    std::map<Names, Known> known_;
    std::map<Names, std::size_t> counts_;  // of lists of tables: their lengths
    std::optional<Newest> newest_;
};

}  // namespace

std::optional<TwiceDefined> find_twice_defined(std::string_view text, std::size_t at) {
    return Scanner(text, at).find();
}

}  // namespace tenon
