// SPDX-License-Identifier: Apache-2.0
// The information that a plugin publishes in its ELF note. Reading it runs no code of the plugin.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.hpp"
#include "config/option/schema.hpp"
#include "tenon/abi/types.h"

namespace tenon {

struct ComponentNote {
    std::string id;    // "CartPole-v1"
    std::string kind;  // "env"
    std::string help;
    std::vector<OptionSchema> options;
    std::vector<std::string> devices = {"cpu"};  // where it works: "cpu", "cuda", "emulated"
    bool example = false;                        // for authors to read: only the id means another library's env
};

struct AbiVersion {
    unsigned major_version = TN_ABI_MAJOR;
    unsigned minor_version = TN_ABI_MINOR;

    auto operator<=>(const AbiVersion&) const = default;
};

struct Note {
    unsigned abi_major = 0;
    unsigned abi_minor_needed = 0;
    std::string name;
    std::string version;
    std::string sdk;
    std::vector<ComponentNote> components;
};

// An outline has no options: reading these takes nearly all of the time, and a command needs those of few plugins.
enum class NoteParts { kAll, kOutline };

// Refuses files that this host cannot load: other machines, other ABI majors, newer minors.
Result<Note> read_note(const std::filesystem::path& file);

// The same from the note's text; `path` is for messages.
Result<Note> parse_note(std::string_view json, std::string_view path, NoteParts parts = NoteParts::kAll);

// The problem of a plugin that needs another host, or nothing. Used for the note and for the entry.
Status check_abi(AbiVersion needed, std::string_view path, AbiVersion host = {});

}  // namespace tenon
