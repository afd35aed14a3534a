// SPDX-License-Identifier: Apache-2.0
#include "plugins/plugin/elf.hpp"

#include <elf.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstddef>
#include <system_error>

#include "base/file/read.hpp"
#include "tenon/abi/plugin.h"

namespace tenon {
namespace {

#if defined(__x86_64__)
constexpr Elf64_Half kMachine = EM_X86_64;
constexpr std::string_view kMachineName = "x86-64";
#elif defined(__aarch64__)
constexpr Elf64_Half kMachine = EM_AARCH64;
constexpr std::string_view kMachineName = "AArch64";
#else
#error "plugins have not been tried on this machine: add its ELF number here"
#endif

std::string machine_name(Elf64_Half machine) {
    switch (machine) {
        case EM_X86_64:
            return "x86-64";
        case EM_AARCH64:
            return "AArch64";
        case EM_386:
            return "32-bit x86";
        case EM_ARM:
            return "32-bit ARM";
        case EM_RISCV:
            return "RISC-V";
        default:
            return "machine number " + std::to_string(machine);
    }
}

// The file mapped into memory; pages that are not accessed are never read.
class MappedFile {
public:
    MappedFile(const char* data, std::size_t size) : bytes_(data, size) {}
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile() { ::munmap(const_cast<char*>(bytes_.data()), bytes_.size()); }

    [[nodiscard]] std::string_view bytes() const { return bytes_; }

private:
    std::string_view bytes_;
};

// Iterates over the notes of one segment. Sizes are padded to four bytes, or to eight if the segment says so.
std::optional<std::string_view> tenon_note(std::string_view segment, std::uint64_t alignment) {
    const std::string_view wanted(TN_NOTE_NAME, sizeof TN_NOTE_NAME);
    const std::uint64_t unit = alignment == 8 ? 8 : 4;
    const auto padded = [unit](std::uint64_t size) { return (size + unit - 1) / unit * unit; };
    std::uint64_t at = 0;
    while (const auto header = read_at<Elf64_Nhdr>(segment, at)) {
        const std::uint64_t name_at = at + sizeof(Elf64_Nhdr);
        const std::uint64_t text_at = at + padded(sizeof(Elf64_Nhdr) + header->n_namesz);
        const auto name = slice(segment, name_at, header->n_namesz);
        const auto text = slice(segment, text_at, header->n_descsz);
        if (!name || !text) {
            break;
        }
        if (header->n_type == TN_NOTE_TYPE && *name == wanted) {
            return text->substr(0, text->find_last_not_of('\0') + 1);
        }
        at = text_at + padded(header->n_descsz);
    }
    return std::nullopt;
}

Problem truncated(const std::string& path) {
    return plugin_problem(path + " is cut off: its headers name parts beyond its end");
}

Status check_header(std::string_view bytes, const std::string& path) {
    if (bytes.empty()) {
        return plugin_problem(path + " is empty");
    }
    if (bytes.substr(0, SELFMAG) != std::string_view(ELFMAG, SELFMAG)) {
        return plugin_problem(path + " is not a shared library: it has no ELF header");
    }
    if (bytes.size() < EI_NIDENT) {
        return truncated(path);
    }
    if (bytes[EI_CLASS] != ELFCLASS64 || bytes[EI_DATA] != ELFDATA2LSB) {
        return plugin_problem(path + " is for another kind of machine: plugins must be 64-bit and little-endian");
    }
    const auto header = read_at<Elf64_Ehdr>(bytes, 0);
    if (!header) {
        return truncated(path);
    }
    if (header->e_machine != kMachine) {
        return plugin_problem(path + " is for another machine: it holds " + machine_name(header->e_machine) +
                              " code, but this host runs on " + std::string(kMachineName));
    }
    if (header->e_type != ET_DYN) {
        return plugin_problem(path + " is an ELF file but not a shared library");
    }
    return {};
}

}  // namespace

Result<std::string> find_elf_note(std::string_view bytes, const std::string& path) {
    TENON_TRY(check_header(bytes, path));
    const Elf64_Ehdr header = *read_at<Elf64_Ehdr>(bytes, 0);
    // Linkers put the section headers last, so this detects a truncated file.
    if (!slice(bytes, header.e_shoff, std::uint64_t{header.e_shnum} * header.e_shentsize)) {
        return truncated(path);
    }
    std::optional<std::string_view> note;
    for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
        const auto segment = read_at<Elf64_Phdr>(bytes, header.e_phoff + i * header.e_phentsize);
        if (!segment) {
            return truncated(path);
        }
        if (segment->p_type != PT_LOAD && segment->p_type != PT_NOTE) {
            continue;
        }
        const auto content = slice(bytes, segment->p_offset, segment->p_filesz);
        if (!content) {
            return truncated(path);
        }
        if (segment->p_type == PT_NOTE && !note) {
            note = tenon_note(*content, segment->p_align);
        }
    }
    if (!note) {
        return plugin_problem(path + " is not a Tenon plugin: it is a shared library without a Tenon note");
    }
    return std::string(*note);
}

Result<std::string> read_elf_note(const std::filesystem::path& file) {
    std::error_code code;
    if (std::filesystem::is_other(file, code)) {  // before opening it: a pipe would wait for a writer
        return plugin_problem(file.string() + " is neither a file nor a folder");
    }
    const FileDescriptor descriptor = TENON_TRY(open_to_read(file));
    struct stat info{};
    if (::fstat(descriptor.get(), &info) != 0) {
        return file_problem("read", file, errno);
    }
    const auto size = static_cast<std::size_t>(info.st_size);
    if (size == 0) {
        return find_elf_note({}, file.string());
    }
    void* mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor.get(), 0);
    if (mapped == MAP_FAILED) {
        return file_problem("read", file, errno);
    }
    const MappedFile held(static_cast<const char*>(mapped), size);
    return find_elf_note(held.bytes(), file.string());
}

}  // namespace tenon
