# SPDX-License-Identifier: Apache-2.0
# Peer: Stable-Baselines3 2.9.2 with torch 2.13.0 and gymnasium 1.4.0.
#
#   python torch_weights.py ..    sb3_cartpole.zip: the policy of PPO after 12,000 frames of CartPole-v1, without the
#                                 optimiser (its mean return over 50 episodes is printed: 500);
#                                 torch_state.pt: tensors with views, types and nesting that readers get wrong;
#                                 torch_state.txt: what is in it
import io
import sys
import zipfile
from pathlib import Path

import gymnasium
import stable_baselines3
import torch
from stable_baselines3.common.evaluation import evaluate_policy

folder = Path(sys.argv[1])
torch.set_num_threads(1)
model = stable_baselines3.PPO("MlpPolicy", "CartPole-v1", seed=1, device="cpu", n_steps=512, learning_rate=1e-3)
model.learn(12_000)
print(evaluate_policy(model, gymnasium.make("CartPole-v1"), 50, warn=False))
buffer = io.BytesIO()
model.save(buffer)
with zipfile.ZipFile(buffer) as full, zipfile.ZipFile(folder / "sb3_cartpole.zip", "w") as small:
    for name in ("policy.pth", "_stable_baselines3_version"):
        small.writestr(zipfile.ZipInfo(name), full.read(name))  # without the date

base = torch.arange(12, dtype=torch.float32).reshape(3, 4) / 8
state = {
    "plain": base,
    "transposed": base.t(),
    "part": base[1:, 1:3],
    "double": torch.tensor([0.1, -1e300], dtype=torch.float64),
    "scalar": torch.tensor(2.5),
    "empty": torch.zeros(0, 4),
    "count": torch.tensor(7),  # a whole number: left out
    "epoch": 3,
    "inner": {"bias": torch.tensor([1.5])},
}
torch.save(state, folder / "torch_state.pt")
lines = []
for name, tensor in [*list(state.items())[:6], ("inner.bias", state["inner"]["bias"])]:
    shape = " ".join(map(str, tensor.shape))
    lines.append(f"{name} | {shape} | {' '.join(repr(v) for v in tensor.flatten().tolist())}")
(folder / "torch_state.txt").write_text("\n".join(lines) + "\n")
