// SPDX-License-Identifier: Apache-2.0
#include "commands/check/elf_facts.hpp"

#include <elf.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/file/read.hpp"
#include "plugins/plugin/elf.hpp"

namespace tenon {
namespace {

std::optional<Elf64_Shdr> section(std::string_view bytes, const Elf64_Ehdr& header, std::uint64_t number) {
    return read_at<Elf64_Shdr>(bytes, header.e_shoff + number * header.e_shentsize);
}

std::string_view text_at(std::string_view table, std::uint64_t offset) {
    const std::string_view rest = offset < table.size() ? table.substr(offset) : std::string_view();
    return rest.substr(0, rest.find('\0'));
}

// Calls f(symbol, name) for each symbol of the table.
template <class F>
void each_symbol(std::string_view bytes, const Elf64_Ehdr& header, const Elf64_Shdr& table, const F& f) {
    const auto names = section(bytes, header, table.sh_link);
    const auto texts = names ? slice(bytes, names->sh_offset, names->sh_size) : std::nullopt;
    for (std::uint64_t at = 0; texts && at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
        const auto symbol = read_at<Elf64_Sym>(bytes, table.sh_offset + at);
        if (!symbol) {
            return;
        }
        f(*symbol, text_at(*texts, symbol->st_name));
    }
}

void note_exported(ElfFacts& facts, const Elf64_Sym& symbol, std::string_view name) {
    const unsigned binding = ELF64_ST_BIND(symbol.st_info);
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS || binding == STB_LOCAL || name.empty()) {
        return;
    }
    facts.exported.emplace_back(name);
    if (binding == STB_GNU_UNIQUE) {
        facts.unique.emplace_back(name);
    }
}

}  // namespace

Result<ElfFacts> read_elf_facts(const std::filesystem::path& file) {
    const std::string read = TENON_TRY(read_file(file));
    const std::string_view bytes = read;
    const auto header = read_at<Elf64_Ehdr>(bytes, 0);
    if (!header) {
        return plugin_problem(file.string() + " is cut off: it is shorter than the header of a library");
    }
    ElfFacts facts;
    for (std::uint64_t i = 0; i < header->e_phnum; ++i) {
        const auto segment = read_at<Elf64_Phdr>(bytes, header->e_phoff + i * header->e_phentsize);
        facts.has_executable_stack = facts.has_executable_stack ||
                                     (segment && segment->p_type == PT_GNU_STACK && (segment->p_flags & PF_X) != 0);
    }
    for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
        const auto table = section(bytes, *header, i);
        if (!table || (table->sh_type != SHT_DYNSYM && table->sh_type != SHT_SYMTAB)) {
            continue;
        }
        each_symbol(bytes, *header, *table, [&](const Elf64_Sym& symbol, std::string_view name) {
            if (table->sh_type == SHT_DYNSYM) {
                note_exported(facts, symbol, name);
            }
            facts.has_fast_math_start = facts.has_fast_math_start || name == "set_fast_math";
        });
    }
    return facts;
}

}  // namespace tenon
