// SPDX-License-Identifier: Apache-2.0
#include "plugins/plugin/registry.hpp"

#include <algorithm>
#include <filesystem>

#include "base/file/sha256.hpp"
#include "fixture.hpp"
#include "plugins/plugin/apart.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace registry_test {

using namespace tenon;
using namespace tenon::test;

namespace fs = std::filesystem;

namespace {

void put(const std::string& name, const fs::path& to) {
    fs::copy_file(fixture(name), to);
}

Place line(std::uint32_t number) {
    return {.file = "m.toml", .line = number, .column = 1, .length = 1, .excerpt = ""};
}

}  // namespace

TEST_CASE("scanning sorts by name, reads notes only, and keeps bad files with their reason") {
    const ScratchFolder scratch;
    put("sound", scratch / "sound.so");
    put("aborts", scratch / "aborts.so");
    spill(scratch / "broken.so", "text");
    spill(scratch / "README", "not looked at");
    fs::create_directory(scratch / "folder.so");
    const Registry registry = Registry::scan(folders(scratch.path()));
    CHECK(registry.problems().empty());
    REQUIRE(registry.files().size() == 4);
    CHECK(registry.files()[0]->library == "aborts");
    CHECK_FALSE(registry.files()[0]->problem.has_value());
    CHECK(registry.files()[1]->library == "broken");
    CHECK(registry.files()[1]->problem->sentence ==
          (scratch / "broken.so").string() + " is not a shared library: it has no ELF header");
    CHECK(registry.files()[2]->problem->sentence == (scratch / "folder.so").string() + " is a folder, not a file");
    CHECK(registry.files()[3]->path == scratch / "sound.so");
    const auto cited = registry.find("broken/Anything", line(3));
    REQUIRE_FALSE(cited);
    CHECK(cited.error().sentence == registry.files()[1]->problem->sentence);
    CHECK(cited.error().fault == Fault::kPlugin);
    CHECK(cited.error().place.line == 3);
}

TEST_CASE("options are read once a plugin is found, and what is wrong with them is said then") {
    const ScratchFolder scratch;
    put("bad_default", scratch / "bad_default.so");
    put("sound", scratch / "sound.so");
    const Registry registry = Registry::scan(folders(scratch.path()));
    const auto outlines = registry.outlines();
    REQUIRE(outlines.size() == 2);
    const ComponentNote& outline = outlines[1]->note->components.at(0);
    CHECK_FALSE(outlines[0]->problem.has_value());
    CHECK(outline.id == "Count-v1");
    CHECK(outline.options.empty());

    const auto found = registry.find("sound/Count-v1");
    REQUIRE(found);
    CHECK(found->note == &outline);
    CHECK(outline.options.size() == read_note(fixture("sound"))->components.at(0).options.size());
    CHECK_FALSE(outline.options.empty());

    const std::string sentence = read_note(scratch / "bad_default.so").error().sentence;
    CHECK(registry.find("bad_default/B").error().sentence == sentence);
    CHECK(Registry::scan(folders(scratch.path())).files()[0]->problem->sentence == sentence);
}

TEST_CASE("a plugin in a folder that nothing searches is named with the option that finds it") {
    const ScratchFolder scratch;
    const Registry registry = Registry::scan(folders(fixture_folder()));
    const Place place{.file = (scratch / "m.toml").string(), .line = 3, .column = 1, .length = 1, .excerpt = ""};
    const auto help = [&] { return registry.find("mine/Mine-v0", place).error().help; };
    CHECK(help().find("--plugins") == std::string::npos);
    fs::create_directories(scratch / "build");
    put("sound", scratch / "build/mine.so");
    const std::string build = (scratch / "build").string();
    CHECK_THAT(help(),
               Catch::Matchers::EndsWith("; --plugins " + build + " searches " + build + ", which has mine.so"));
    CHECK(registry.find("yours/Mine-v0", place).error().help.find("--plugins") == std::string::npos);
    CHECK_THAT(registry.find_library("mine", place).error().help, Catch::Matchers::EndsWith("which has mine.so"));
    put("sound", scratch / "mine.so");
    const std::string folder = scratch.path().string();
    CHECK_THAT(help(),
               Catch::Matchers::EndsWith("; --plugins " + folder + " searches " + folder + ", which has mine.so"));
}

TEST_CASE("a program without the engine for it runs no plugins in processes of their own, and says so") {
    Registry registry = Registry::scan(folders(fixture_folder()));
    const auto info = registry.find("sound/Count-v1", line(7));
    REQUIRE(info);
    const auto loaded = registry.load_apart(*info, {}, tn_host{});
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().sentence == "this program runs no plugins in processes of their own");
    CHECK(loaded.error().fault == Fault::kEnvironment);
    CHECK(loaded.error().place.line == 7);
}

TEST_CASE("a component is found by its name, and the manifest's line goes with it") {
    const Registry registry = Registry::scan(folders(fixture_folder()));
    const auto info = registry.find("sound/Count-v1", line(7));
    REQUIRE(info);
    CHECK(info->name == "sound/Count-v1");
    CHECK(info->plugin->path == fixture("sound"));
    CHECK(info->note->kind == "env");
    CHECK(info->place.line == 7);
}

TEST_CASE("names that do not exist get the nearest that do") {
    const ScratchFolder scratch;
    put("sound", scratch / "sound.so");
    const Registry registry = Registry::scan(folders(scratch.path()));
    const auto sentence = [&](std::string_view name) { return registry.find(name, line(2)).error().sentence; };
    CHECK(sentence("sond/Count-v1") == "no component 'sond/Count-v1'; did you mean 'sound/Count-v1'?");
    CHECK(sentence("Count-v1") == "no component 'Count-v1'; did you mean 'sound/Count-v1'?");
    CHECK(sentence("sound/Cuont-v1") == "the plugin 'sound' has no component 'Cuont-v1'; did you mean 'Count-v1'?");
    CHECK(registry.find("sound/Elephant", line(2)).error().help == "it has: Count-v1");
    CHECK(sentence("sound/Elephant") == "the plugin 'sound' has no component 'Elephant'");
    CHECK(sentence("elephant/Walk-v9") == "no component 'elephant/Walk-v9'");
    for (const char* alone : {"sound", "sound/"}) {
        CHECK(sentence(alone) == "'sound' is a plugin; name one of its components");
        CHECK(registry.find(alone, line(2)).error().help == "it has: sound/Count-v1");
        CHECK(registry.find(alone, line(2)).error().place.line == 2);
    }
    CHECK(sentence("") == "no component ''");
    CHECK(registry.find("x/y", line(2)).error().fault == Fault::kInput);
    CHECK(registry.find("x/y", line(2)).error().place.line == 2);
    CHECK_THAT(registry.find("x/y", line(2)).error().help, Catch::Matchers::EndsWith(scratch.path().string()));
    CHECK(registry.find_library("sond").error().sentence == "no plugin 'sond'; did you mean 'sound'?");
}

TEST_CASE("a component's name in the wrong library leads to the libraries that have it") {
    const ScratchFolder scratch;
    put("sound", scratch / "sound.so");
    put("fast_math", scratch / "fast_math.so");
    put("misnamed", scratch / "misnamed.so");
    put("unknown_kind", scratch / "unknown_kind.so");
    const Registry registry = Registry::scan(folders(scratch.path()));
    const auto sentence = [&](std::string_view name) { return registry.find(name, line(2)).error().sentence; };
    const std::string all = "; did you mean 'fast_math/Count-v1' or 'sound/Count-v1' or 'unknown_kind/Count-v1'?";
    CHECK(sentence("Count-v1") == "no component 'Count-v1'" + all);
    CHECK(sentence("gymnasium/Count-v1") == "no component 'gymnasium/Count-v1'" + all);
    const auto of_kind = [&](const std::string& component, const char* kind) {
        return registry.find(component, kind, "table", {}).error().sentence;
    };
    CHECK(of_kind("snd/Count-v1", "env") == sentence("snd/Count-v1"));
    CHECK(of_kind("snd/Count-v1", "buffer") == "no component 'snd/Count-v1'");
    CHECK(of_kind("sound/Cuont-v1", "buffer") == "the plugin 'sound' has no component 'Cuont-v1'");
    CHECK(sentence("snd/Count-v1") == "no component 'snd/Count-v1'; did you mean 'sound/Count-v1'?");
    // The file's own problem says more than that its name is no component.
    CHECK(sentence("misnamed") == sentence("misnamed/Count-v1"));
}

TEST_CASE("a component of another kind than the table wants is named with both") {
    const Registry registry = Registry::scan(folders(fixture_folder()));
    CHECK(registry.find("sound/Count-v1", "env", "env", line(1)));
    const auto wrong = registry.find("sound/Count-v1", "policy", "policy.actor", line(5));
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().sentence == "[policy.actor] needs a policy, but sound/Count-v1 is an env");
    CHECK(wrong.error().fault == Fault::kInput);
    CHECK(wrong.error().place.line == 5);
}

TEST_CASE("two files of one name are a problem that names both, unless they are one file") {
    const ScratchFolder scratch;
    fs::create_directory(scratch / "a");
    fs::create_directory(scratch / "b");
    put("sound", scratch / "a/sound.so");
    fs::create_symlink(scratch / "a/sound.so", scratch / "b/sound.so");
    const std::vector<SearchFolder> both = {
        {scratch / "a", "x", {}}, {scratch / "b", "x", {}}, {scratch / "a", "x", {}}};
    CHECK(Registry::scan(both).files().size() == 1);
    CHECK(Registry::scan(both).find("sound/Count-v1"));

    fs::remove(scratch / "b/sound.so");
    put("sound", scratch / "b/sound.so");
    const Registry registry = Registry::scan(both);
    const auto found = registry.find("sound/Count-v1", line(4));
    REQUIRE_FALSE(found);
    CHECK(found.error().sentence == "two plugins have the name 'sound': " + (scratch / "a/sound.so").string() +
                                        " and " + (scratch / "b/sound.so").string());
    CHECK(found.error().fault == Fault::kInput);
    CHECK(found.error().place.line == 4);
}

TEST_CASE("a plugin that somebody names has priority over a shipped one, which keeps a name of its own") {
    const ScratchFolder scratch;
    fs::create_directory(scratch / "own");
    fs::create_directory(scratch / "named");
    put("sound", scratch / "own/sound.so");
    const SearchFolder own{scratch / "own", {}, {}};
    const std::vector<SearchFolder> both = {{scratch / "named", "--plugins", {}}, own};
    const auto path_of = [](const Registry& registry, std::string_view name) {
        const auto found = registry.find(name, line(4));
        return found ? found->plugin->path.string() : found.error().sentence;
    };
    const std::string shipped = scratch / "own/sound.so";
    const std::string mine = scratch / "named/sound.so";

    const Registry alone = Registry::scan({own});
    CHECK(path_of(alone, "sound/Count-v1") == shipped);
    CHECK(path_of(alone, "shipped:sound/Count-v1") == shipped);
    CHECK(alone.find("shipped:sound/Count-v1")->name == "shipped:sound/Count-v1");
    CHECK((*alone.find_library("shipped:sound"))->path == shipped);
    CHECK(alone.files()[0]->in_place_of.empty());

    put("sound", mine);
    const Registry registry = Registry::scan(both);
    CHECK(path_of(registry, "sound/Count-v1") == mine);
    CHECK(path_of(registry, "shipped:sound/Count-v1") == shipped);
    CHECK((*registry.find_library("sound"))->path == mine);
    CHECK((*registry.find_library("shipped:sound"))->path == shipped);
    CHECK(registry.files()[0]->in_place_of == shipped);
    CHECK(registry.files()[1]->library == "shipped:sound");
    CHECK(path_of(registry, "shipped:sond/Count-v1") ==
          "no component 'shipped:sond/Count-v1'; did you mean 'shipped:sound/Count-v1'?");

    // Each is pinned by its name.
    const std::string hash = *sha256_of_file(shipped);
    const std::string other(64, 'f');
    const Registry pinned = Registry::scan(both, {{"sound", hash, line(1)}, {"shipped:sound", other, line(2)}});
    CHECK(path_of(pinned, "sound/Count-v1") == mine);
    CHECK_THAT(path_of(pinned, "shipped:sound/Count-v1"), Catch::Matchers::StartsWith(shipped + " is not the pinned"));
    CHECK(Registry::scan({own}, {{"shipped:sound", hash, line(1)}}).problems().empty());

    // The program's own folder stays that if somebody names it, too, and so does a file that somebody has a link to.
    CHECK(path_of(Registry::scan({{scratch / "own", "--plugins", {}}, own}), "shipped:sound/Count-v1") == shipped);
    CHECK(path_of(Registry::scan({{scratch / "own", "a", {}}, {scratch / "named", "b", {}}, own}), "sound/Count-v1") ==
          mine);
    fs::remove(mine);
    fs::create_symlink(shipped, mine);
    CHECK(path_of(Registry::scan(both), "sound/Count-v1") == mine);
    CHECK(path_of(Registry::scan(both), "shipped:sound/Count-v1") == mine);
}

TEST_CASE("among folders that are named none has priority, whatever is shipped") {
    const ScratchFolder scratch;
    for (const char* folder : {"own", "a", "b"}) {
        fs::create_directory(scratch / folder);
        put("sound", scratch / folder / "sound.so");
    }
    const Registry registry = Registry::scan(
        {{scratch / "a", "--plugins", {}}, {scratch / "b", "plugins.search", {}}, {scratch / "own", {}, {}}});
    CHECK(registry.find("sound/Count-v1").error().sentence ==
          "two plugins have the name 'sound': " + (scratch / "a/sound.so").string() + " and " +
              (scratch / "b/sound.so").string());
    CHECK(registry.find("sound/Count-v1").error().help ==
          "remove one of them, or take its folder out of --plugins or plugins.search");
    CHECK(registry.find("shipped:sound/Count-v1")->plugin->path == scratch / "own/sound.so");
}

TEST_CASE("a file that somebody names has priority even if it cannot be used, but not under another file name") {
    const ScratchFolder scratch;
    fs::create_directory(scratch / "own");
    fs::create_directory(scratch / "named");
    put("sound", scratch / "own/sound.so");
    put("misnamed", scratch / "own/proper.so");
    spill(scratch / "named/sound.so", "text");
    put("misnamed", scratch / "named/misnamed.so");
    const Registry registry = Registry::scan({{scratch / "named", "--plugins", {}}, {scratch / "own", {}, {}}});
    CHECK(registry.find("sound/Count-v1").error().sentence ==
          (scratch / "named/sound.so").string() + " is not a shared library: it has no ELF header");
    CHECK(registry.find("shipped:sound/Count-v1"));
    CHECK(registry.find("proper/Count-v1")->plugin->path == scratch / "own/proper.so");
}

TEST_CASE("a plugin under another file name is refused with the name to give it") {
    const ScratchFolder scratch;
    put("misnamed", scratch / "misnamed.so");
    const Registry registry = Registry::scan(folders(scratch.path()));
    CHECK(registry.files()[0]->problem->sentence == (scratch / "misnamed.so").string() +
                                                        " is the plugin 'proper'; rename the file to proper.so, or the "
                                                        "plugin in its source, because plugins are found "
                                                        "by their file names");
    const auto found = registry.find("misnamed/Count-v1", line(5));  // by the name that its file promises
    REQUIRE_FALSE(found);
    CHECK(found.error().sentence == registry.files()[0]->problem->sentence);
    CHECK(found.error().place.line == 5);
}

TEST_CASE("a folder that somebody names must exist, others may be missing") {
    const ScratchFolder scratch;
    const Registry registry = Registry::scan({{scratch / "none", "--plugins", line(9)}, {scratch / "neither", "", {}}});
    REQUIRE(registry.problems().size() == 1);
    CHECK(registry.problems()[0].sentence ==
          "there is no folder " + (scratch / "none").string() + ", which --plugins names");
    CHECK(registry.problems()[0].place.line == 9);
    CHECK(registry.problems()[0].fault == Fault::kInput);
}

TEST_CASE("pins are checked where the plugin is used, and must name a plugin") {
    const ScratchFolder scratch;
    put("sound", scratch / "sound.so");
    const std::string hash = *sha256_of_file(scratch / "sound.so");
    CHECK(Registry::scan(folders(scratch.path()), {{"sound", hash, line(1)}}).find("sound/Count-v1"));

    const std::string other(64, 'f');
    const Registry wrong = Registry::scan(folders(scratch.path()), {{"sound", other, line(8)}});
    const auto found = wrong.find("sound/Count-v1", line(2));
    REQUIRE_FALSE(found);
    CHECK_THAT(found.error().sentence, Catch::Matchers::ContainsSubstring("its SHA-256 is " + hash));
    CHECK_THAT(found.error().sentence, Catch::Matchers::EndsWith(", but the pin is " + other));
    CHECK(found.error().place.line == 8);

    const Registry lost = Registry::scan(folders(scratch.path()), {{"sond", hash, line(8)}});
    REQUIRE(lost.problems().size() == 1);
    CHECK(lost.problems()[0].sentence == "there is no plugin 'sond' to pin; did you mean 'sound'?");
    CHECK(Registry::scan(folders(scratch.path()), {{"sound", "abc", {}}}).problems().size() == 1);
}

TEST_CASE("loading happens once, when asked for, and failures carry the manifest's line") {
    Registry registry = Registry::scan(folders(fixture_folder()));
    const auto info = registry.find("sound/Count-v1");
    REQUIRE(info);
    const auto first = registry.load(*info, test_host());
    const auto second = registry.load(*info, test_host());
    REQUIRE(first);
    REQUIRE(second);
    CHECK(first->component == second->component);
    CHECK(first->host == &test_host());
    const auto bad = registry.find("failing_init/Count-v1", line(6));
    REQUIRE(bad);
    const auto failed = registry.load(*bad, test_host());
    REQUIRE_FALSE(failed);
    CHECK(failed.error().sentence == "failing_init, init: no licence found");
    CHECK(failed.error().place.line == 6);
}

}  // namespace registry_test
