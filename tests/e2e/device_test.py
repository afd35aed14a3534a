#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A buffer that chooses its rows on a device gives the run of the same buffer on the CPU, byte for byte, resumed ones
too. The device is the emulated one; what there is no driver, or no use, for is refused in a sentence."""

import unittest

from runs import SMALL, RunCase, parameters, without_time

SHORT = SMALL.replace("10_000", "3_000")
PRIORITISED = SHORT.replace('"replay/uniform"', '"replay/prioritised"')


def on_device(text, device="emulated"):
    return text.replace('"replay/', '"replay_cuda/').replace("[run]", f'[run]\ndevice = "{device}"')


class Device(RunCase):
    def trained(self, text, name, *words):
        self.train(self.put(f"{name}.toml", text), "--out", self.folder / name, *words)
        return self.folder / name

    def test_the_same_bytes_as_on_the_cpu(self):
        for name, text in (("uniform", SHORT), ("prioritised", PRIORITISED)):
            with self.subTest(name):
                cpu = self.trained(text, f"{name}_cpu")
                device = self.trained(on_device(text), f"{name}_device")
                self.assertEqual(parameters(cpu), parameters(device))
                self.assertEqual(without_time(cpu), without_time(device))

    def test_a_resumed_run_equals_one_that_never_stopped(self):
        text = on_device(PRIORITISED)
        whole = self.trained(text, "whole")
        parts = self.trained(text, "parts", "--set", "run.total_frames=2_000")
        self.train("--resume", parts, "--set", "run.total_frames=3_000")
        self.assertEqual(parameters(whole), parameters(parts))

    def refused(self, text, code):
        return self.tenon("validate", self.put("refused.toml", text), code=code).stderr

    def test_what_cannot_be(self):
        told = self.refused(on_device(PRIORITISED, "cuda:7"), 4)
        self.assertRegex(told, "no NVIDIA driver on this machine|no device cuda:7|driver is too old")
        self.assertIn("refused.toml:", told)
        self.assertIn('run.device is "cpu"', self.refused(PRIORITISED.replace('"replay/', '"replay_cuda/'), 2))
        unused = on_device(PRIORITISED).replace("replay_cuda", "replay")
        self.assertIn("nothing in this manifest works there", self.refused(unused, 2))
        self.assertIn("'gpu' is not a device", self.refused(on_device(PRIORITISED, "gpu"), 2))


if __name__ == "__main__":
    unittest.main()
