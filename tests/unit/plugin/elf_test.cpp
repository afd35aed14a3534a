// SPDX-License-Identifier: Apache-2.0
// Files that are no plugins, and plugins that are damaged: each has its sentence, none brings the reader down.
#include "plugins/plugin/elf.hpp"

#include <elf.h>
#include <sys/stat.h>

#include <cstddef>
#include <cstring>

#include "fixture.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace elf_test {

using namespace tenon;
using namespace tenon::test;

namespace {

// What the reader says about a file of these bytes, with the path cut off.
std::string verdict(const ScratchFolder& scratch, std::string_view bytes) {
    const auto path = scratch / "x.so";
    spill(path, bytes);
    const Result<std::string> note = read_elf_note(path);
    if (note) {
        return "";
    }
    CHECK(note.error().fault == Fault::kPlugin);
    CHECK_THAT(note.error().sentence, Catch::Matchers::StartsWith(path.string() + " "));
    return note.error().sentence.substr(path.string().size() + 1);
}

template <class T>
std::string with(std::string bytes, std::size_t offset, T value) {
    std::memcpy(bytes.data() + offset, &value, sizeof value);
    return bytes;
}

constexpr const char* kCutOff = "is cut off: its headers name parts beyond its end";

}  // namespace

TEST_CASE("the note is found without loading the file, even where loading would abort") {
    const auto note = read_elf_note(fixture("aborts"));
    REQUIRE(note);
    CHECK(note->front() == '{');
    CHECK(note->back() == '}');
}

TEST_CASE("paths that name no file are the user's input") {
    const ScratchFolder scratch;
    const auto missing = read_elf_note(scratch / "none.so");
    CHECK(missing.error().sentence == "there is no file " + (scratch / "none.so").string());
    CHECK(missing.error().fault == Fault::kInput);
    const auto folder = read_elf_note(scratch.path());
    CHECK(folder.error().sentence == scratch.path().string() + " is a folder, not a file");
    CHECK(folder.error().fault == Fault::kInput);
    REQUIRE(::mkfifo((scratch / "pipe.so").c_str(), 0600) == 0);
    CHECK(read_elf_note(scratch / "pipe.so").error().sentence ==
          (scratch / "pipe.so").string() + " is neither a file nor a folder");
}

TEST_CASE("each kind of wrong file has its own sentence") {
    const ScratchFolder scratch;
    const std::string sound = slurp(fixture("sound"));
    CHECK(verdict(scratch, sound).empty());
    CHECK(verdict(scratch, "") == "is empty");
    CHECK(verdict(scratch, "#!/bin/sh\n") == "is not a shared library: it has no ELF header");
    CHECK(verdict(scratch, sound.substr(0, 10)) == kCutOff);
    CHECK(verdict(scratch, with(sound, EI_CLASS, std::uint8_t{ELFCLASS32})) ==
          "is for another kind of machine: plugins must be 64-bit and little-endian");
    CHECK(verdict(scratch, with(sound, EI_DATA, std::uint8_t{ELFDATA2MSB})) ==
          "is for another kind of machine: plugins must be 64-bit and little-endian");
    CHECK_THAT(verdict(scratch, with(sound, offsetof(Elf64_Ehdr, e_machine), std::uint16_t{EM_RISCV})),
               Catch::Matchers::StartsWith("is for another machine: it holds RISC-V code, but this host runs on "));
    CHECK(verdict(scratch, with(sound, offsetof(Elf64_Ehdr, e_type), std::uint16_t{ET_REL})) ==
          "is an ELF file but not a shared library");
    CHECK(verdict(scratch, slurp(fixture("no_note"))) ==
          "is not a Tenon plugin: it is a shared library without a Tenon note");
}

TEST_CASE("a file cut anywhere is cut off") {
    const ScratchFolder scratch;
    const std::string sound = slurp(fixture("sound"));
    for (std::size_t size = EI_NIDENT; size < sound.size(); size += size < 1024 ? 1 : 97) {
        REQUIRE(verdict(scratch, std::string_view(sound).substr(0, size)) == kCutOff);
    }
    CHECK(verdict(scratch, std::string_view(sound).substr(0, sound.size() - 1)) == kCutOff);
}

TEST_CASE("headers full of lies are survived") {
    const ScratchFolder scratch;
    const std::string sound = slurp(fixture("sound"));
    // Every byte of the file header, the program headers and the first notes, set to extreme values.
    int refused = 0;
    for (std::size_t at = 0; at < 1024; ++at) {
        for (const std::uint8_t value : {std::uint8_t{0}, std::uint8_t{0x7f}, std::uint8_t{0xff}}) {
            refused += verdict(scratch, with(sound, at, value)).empty() ? 0 : 1;
        }
    }
    CHECK(refused > 100);
    for (const std::size_t field : {offsetof(Elf64_Ehdr, e_phoff), offsetof(Elf64_Ehdr, e_shoff)}) {
        for (const std::uint64_t lie : {~std::uint64_t{0}, std::uint64_t{sound.size()}, ~std::uint64_t{0} - 63}) {
            CHECK(verdict(scratch, with(sound, field, lie)) == kCutOff);
        }
    }
}

}  // namespace elf_test
