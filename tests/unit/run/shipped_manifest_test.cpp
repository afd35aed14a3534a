// SPDX-License-Identifier: Apache-2.0
// Which manifest of a folder is for an env.
#include "run/start/shipped_manifest.hpp"

#include <filesystem>
#include <fstream>

#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace shipped_manifest_test {
namespace {

using namespace tenon;

struct Asks {
    ComponentNote note;
    Part part;

    // An env, and if it asks for its name, that.
    explicit Asks(const std::string& plugin, const std::string& id = {}) {
        if (!id.empty()) {
            OptionSchema option;
            option.name = "id";
            option.type = OptionType::kString;
            note.options.push_back(std::move(option));
            part.values.emplace_back(id);
        }
        part.info.name = plugin;
        part.info.note = &note;
    }
};

void put(const std::filesystem::path& file, const std::string& env, const std::string& objective) {
    std::ofstream(file) << "[env]\n" << env << "\n[objective]\nplugin = \"" << objective << "\"\n";
}

TEST_CASE("the manifest for an env has its component, then the objective, then the shortest name") {
    const test::ScratchFolder folder;
    const std::filesystem::path& at = folder.path();
    put(at / "dqn_pole.toml", "plugin = \"classic/Pole-v1\"", "dqn/dqn");
    put(at / "ppo_blind_pole.toml", "plugin = \"classic/Pole-v1\"", "ppo/ppo");
    put(at / "ppo_pole.toml", "plugin = \"classic/Pole-v1\"", "ppo/ppo");
    put(at / "a.toml", "plugin = \"gym/env\"\nid = \"some:Pole-v1\"", "dqn/dqn");
    put(at / "b.toml", "plugin = \"gym/env\"\nid = \"Car-v0\"", "dqn/dqn");
    std::ofstream(at / "broken.toml") << "[env";
    const Asks pole("classic/Pole-v1");
    CHECK(shipped_manifest_for(pole.part, "ppo/ppo", "mine", at) == "ppo_pole.toml");
    CHECK(shipped_manifest_for(pole.part, "ppo/ppo", "ppo_pole", at) == "ppo_blind_pole.toml");
    CHECK(shipped_manifest_for(pole.part, "sac/sac", "mine", at) == "dqn_pole.toml");
    CHECK(shipped_manifest_for(Asks("gym/env", "some:Pole-v1").part, "ppo/ppo", "mine", at) == "a.toml");
    CHECK(shipped_manifest_for(Asks("gym/env", "Pole-v1").part, "ppo/ppo", "mine", at) == "ppo_pole.toml");
    CHECK(shipped_manifest_for(Asks("gym/env", "Boat-v0").part, "ppo/ppo", "mine", at).empty());
    CHECK(shipped_manifest_for(Asks("mine/Boat-v0").part, "ppo/ppo", "mine", at / "none").empty());
}

}  // namespace
}  // namespace shipped_manifest_test
