# SPDX-License-Identifier: Apache-2.0
"""tools/check_includes.py on small trees, each broken in one way."""

import contextlib
import io
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import check_includes  # noqa: E402

AREAS = (ROOT / "core/README.md").read_text(encoding="utf-8")

SOUND = {
    "core/README.md": AREAS,
    "plugin_api/include/tenon/abi/env.h": '#include <stdint.h>\n#include "tenon/abi/types.h"\n',
    "plugin_api/include/tenon/abi/types.h": "#include <stddef.h>\n",
    "sdk/include/tenon/env.hpp": '#include <vector>\n#include "tenon/abi/env.h"\n#include "tenon/rng.hpp"\n',
    "sdk/include/tenon/rng.hpp": "#include <cstdint>\n",
    "plugins/envs/classic/CMakeLists.txt": "",
    "plugins/envs/classic/classic.cpp": '#include "tenon/env.hpp"\n#include "pole.hpp"\n#include <mujoco/mujoco.h>\n',
    "plugins/envs/classic/pole.hpp": "#include <cmath>\n",
    "plugins/envs/classic/classic_test.cpp": '#include "support/catch.hpp"\n',
    "plugins/envs/gym/gym.hpp": "",
    "plugins/envs/gym/bridge/env.hpp": '#include "slab.hpp"\n#include "tenon/env.hpp"\n',
    "plugins/envs/gym/bridge/slab.hpp": "",
    "plugins/envs/atari/atari.cpp": '#include "bridge/env.hpp"\n',
    "plugins/policies/mlp/CMakeLists.txt": "",
    "plugins/policies/mlp/mlp.cpp": '#include "tenon/env.hpp"\n',
    "core/base/error/result.hpp": "#include <string>\n",
    "core/base/json/json.cpp": '#include "base/error/result.hpp"\n#include <boost/json.hpp>\n',
    "core/plugins/plugin/load.cpp": "#include <boost/dll/shared_library.hpp>\n#include <elf.h>\n",
    "core/engines/torch/run.cpp": '#include <ATen/ATen.h>\n#include <torch/types.h>\n'
                                  '#include "engines/torch/run.hpp"\n#include "compute/exec/program.hpp"\n',
    "core/engines/torch/run.hpp": "",
    "core/compute/exec/program.hpp": '#include "compute/graph/graph.hpp"\n// like "classic/CartPole-v1"\n',
    "core/compute/graph/graph.hpp": "",
    "core/tenon/core.hpp": '#include "compute/exec/program.hpp"\n',
    "host/main.cpp": '#include <boost/program_options.hpp>\n#include "tenon/core.hpp"\nconst char* s = "train/loss";\n',
    "host/report.hpp": "",
    "host/commands/shared/http/server.hpp": '#include <boost/beast/core.hpp>\n#include "base/error/result.hpp"\n',
    "host/commands/serve/command.cpp": '#include "compute/exec/program.hpp"\n#include "report.hpp"\n#include "shared/http/server.hpp"\n',
    "host/commands/serve/tests/serve_test.cpp": '#include "support/catch.hpp"\n',
    "tests/support/catch.hpp": "#include <catch2/catch_test_macros.hpp>\n",
    "tests/unit/exec/program_test.cpp": '#include "support/catch.hpp"\n#include "compute/exec/program.hpp"\n',
}


class CheckIncludes(unittest.TestCase):
    def check(self, changes):
        """Runs the script over the sound tree with files added or replaced; returns status and text."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**SOUND, **changes}.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            said = io.StringIO()
            words = ["check_includes.py", "--root", folder]
            with unittest.mock.patch.object(sys, "argv", words), contextlib.redirect_stdout(said):
                status = check_includes.main()
            return status, said.getvalue()

    def assert_finds(self, name, text, *expected):
        status, output = self.check({name: text})
        self.assertEqual(status, 1, output)
        for part in expected:
            self.assertIn(part, output)
        return output

    def test_sound_tree_passes(self):
        status, output = self.check({})
        self.assertEqual((status, output), (0, f"include directions hold in {len(SOUND) - 3} files\n"))

    def test_plugin_api_is_plain_c(self):
        name = "plugin_api/include/tenon/abi/env.h"
        self.assert_finds(name, "#include <string.h>\n", f"{name}:1", "<string.h>")
        self.assert_finds(name, '#include "tenon/rng.hpp"\n', "plugin_api may not include sdk")

    def test_sdk_knows_the_abi_and_the_standard_library(self):
        name = "sdk/include/tenon/env.hpp"
        self.assert_finds(name, '\n#include "base/error/result.hpp"\n', f"{name}:2", "sdk may not include core")
        self.assert_finds(name, "#include <ATen/ATen.h>\n", "standard library, not <ATen/ATen.h>")
        self.assert_finds(name, "#include <unistd.h>\n", "not <unistd.h>")

    def test_plugins_know_the_sdk_alone(self):
        name = "plugins/policies/mlp/mlp.cpp"
        self.assert_finds(name, '#include "compute/graph/graph.hpp"\n', "plugins/policies/mlp may not include core")
        self.assert_finds(name, '#include "../../envs/classic/pole.hpp"\n', "may not include plugins/envs/classic")
        self.assert_finds(name, "#include <torch/torch.h>\n", "libtorch belongs to core/engines/torch alone")

    def test_the_bridge_of_plugins_knows_none_of_them(self):
        name = "plugins/envs/gym/bridge/env.hpp"
        self.assert_finds(name, '#include "../gym.hpp"\n', "plugins/envs/gym/bridge may not include plugins/envs/gym")
        self.assert_finds("core/run/sessions/a.cpp", '#include "bridge/env.hpp"\n',
                          "core may not include plugins/envs/gym/bridge")

    def test_core_knows_neither_sdk_nor_plugins_nor_host(self):
        name = "core/compute/graph/graph.hpp"
        self.assert_finds(name, '#include "tenon/rng.hpp"\n', "core may not include sdk")
        self.assert_finds(name, '#include "../../host/main.cpp"\n', "core may not include host")
        self.assert_finds(name, '#include "plugins/envs/classic/pole.hpp"\n', "plugins/envs/classic")

    def test_host_knows_core_not_plugins(self):
        self.assert_finds("host/list.cpp", '#include "tenon/env.hpp"\n', "host may not include sdk")

    def test_commands_know_core_and_what_they_share_but_not_each_other(self):
        self.assert_finds("host/commands/dash/page.cpp", '#include "commands/serve/serve.hpp"\n',
                          "host/commands/dash may not include host/commands/serve")
        self.assert_finds("host/report.cpp", '#include "commands/serve/serve.hpp"\n', "host may not include host/commands/serve")
        self.assert_finds("core/compute/graph/graph.hpp", '#include "shared/http/server.hpp"\n', "core may not include host/commands/shared")
        self.assert_finds("host/commands/shared/http/a.cpp", '#include "commands/serve/serve.hpp"\n',
                          "host/commands/shared may not include host/commands/serve")
        self.assert_finds("host/commands/serve/a.cpp", '#include "tenon/env.hpp"\n', "may not include sdk")

    def test_what_reads_runs_needs_nothing_that_trains(self):
        for folder in ("host/commands/shared/history", "host/commands/shared/watch", "host/commands/top"):
            self.assert_finds(f"{folder}/a.cpp", '#include "run/sessions/a.hpp"\n',
                              f"{folder} only reads what runs have written, without core/run")
        self.assertEqual(self.check({"host/commands/top/a.cpp": '#include "shared/history/a.hpp"\n'})[0], 0)
        self.assert_finds("core/folder/records/a.cpp", '#include "train/plan/a.hpp"\n', "core/folder/records is below core/train/plan")

    def test_nothing_includes_one_of_several_kinds(self):
        for kind, other in (("source_pool", "source_device"), ("storage_disk", "storage_compressed"), ("storage_disk", "source_pool")):
            include = f'#include "engines/{kind}/kind.hpp"\n'
            for name in ("core/run/sessions/a.cpp", "core/run/start/a.cpp", f"core/engines/{other}/a.cpp", "host/commands/bench/a.cpp"):
                self.assert_finds(name, include, f"core/engines/{kind} is one kind of several, which nothing includes but the table of all")
            for name in (f"core/engines/{kind}/a.cpp", "tests/unit/replay/a.cpp"):
                self.assertEqual(self.check({name: include})[0], 0)
            self.assert_finds("core/train/plan/a.cpp", include, f"core/train/plan is below core/engines/{kind[:-len(kind.split('_')[1])]}*")

    def test_an_area_offers_named_headers(self):
        others = ("core/run/start/a.cpp", "host/commands/serve/a.cpp")
        for name in others:
            self.assert_finds(name, '#include "engines/compiled/tape.hpp"\n', "core/engines/compiled offers others only executor.hpp")
            self.assertEqual(self.check({name: '#include "engines/compiled/executor.hpp"\n'})[0], 0)
        for name in ("core/engines/compiled/a.cpp", "tests/unit/compiled/a.cpp", "host/commands/serve/tests/a.cpp"):
            self.assertEqual(self.check({name: '#include "engines/compiled/tape.hpp"\n'})[0], 0)

    def test_source_files_are_not_included(self):
        self.assert_finds("plugins/envs/classic/other.hpp", '#include "classic.cpp"\n', "a source file is compiled, not included")
        self.assertEqual(self.check({"tests/unit/exec/a.cpp": '#include "../../../plugins/envs/classic/classic.cpp"\n'})[0], 0)

    def test_third_party_has_one_owner(self):
        self.assert_finds("core/compute/graph/graph.hpp", "#include <toml++/toml.h>\n", "toml++ belongs to core/config/manifest")
        self.assert_finds("core/compute/graph/graph.hpp", "#include <spdlog/spdlog.h>\n", "spdlog belongs to core/base/log")
        self.assert_finds("core/plugins/plugin/load.cpp", "#include <boost/graph/graph.hpp>\n", "no folder yet")
        self.assert_finds("host/main.cpp", "#include <boost/json.hpp>\n", "Boost.JSON belongs to core/base/json")
        self.assert_finds("tests/unit/exec/a.cpp", "#include <catch2/catch_all.hpp>\n", "tests/support alone")
        self.assert_finds("tests/unit/exec/a.cpp", "#include <ATen/ATen.h>\n", "libtorch belongs to core/engines/torch")

    def test_areas_of_core_stand_in_layers(self):
        self.assert_finds("core/base/error/a.cpp", '#include "compute/graph/graph.hpp"\n',
                          "core/base/error is below core/compute/graph")
        self.assert_finds("core/train/plan/a.cpp", '#include "engines/compiled/program.hpp"\n',
                          "core/train/plan is below core/engines/compiled")
        for name in ("core/run/sessions/a.cpp", "core/engines/compiled/a.cpp", "host/commands/serve/a.cpp"):
            for module in ("cuda", "torch"):
                self.assert_finds(name, f'#include "engines/{module}/run.hpp"\n', "nothing includes it")
        self.assert_finds("core/new_area/a.hpp", "", "core/new_area stands in no layer")
        self.assert_finds("core/base/new_area/a.hpp", "", "core/base/new_area stands in no layer")
        self.assert_finds("core/base/a.hpp", "", "core/base stands in no layer")

    def test_the_table_of_areas_is_complete_and_in_order(self):
        lines = AREAS.splitlines(keepends=True)
        row = next(line for line in lines if "`exec`" in line)
        self.assert_finds("core/README.md", AREAS.replace(row, ""), "core/compute/exec has no row")
        first = next(line for line in lines if "`parameters`" in line)
        swapped = AREAS.replace(row, "").replace(first, first + row)
        self.assert_finds("core/README.md", swapped, "core/compute/gradient is below core/compute/exec")

    def test_cycles_between_areas_of_a_layer(self):
        status, output = self.check(
            {
                "core/train/collect/a.hpp": '#include "train/learn/b.hpp"\n',
                "core/train/learn/b.hpp": '#include "train/collect/a.hpp"\n',
            }
        )
        self.assertEqual(status, 1)
        self.assertIn("include each other: train/collect -> train/learn -> train/collect", output)
        self.assertEqual(output.count("include each other"), 1)

    def test_plugin_names_in_literals(self):
        name = "core/run/sessions/a.cpp"
        self.assert_finds(name, 'auto x = "classic/CartPole-v1";\n', f"{name}:1", "names classic")
        self.assert_finds(name, 'auto x = "plugin = mlp/q";\n', "names mlp")
        status, output = self.check({name: '// "mlp/q"\nauto x = "a/mlp/q";  /* "mlp/q" */\nauto y = "mlp";\n'})
        self.assertEqual(status, 0, output)

    def test_comments_are_not_includes(self):
        commented = "/*\n#include <ATen/ATen.h>\n*/\n//#include <toml++/toml.h>\n"
        status, output = self.check({"core/compute/graph/graph.hpp": commented})
        self.assertEqual(status, 0, output)


if __name__ == "__main__":
    unittest.main()
