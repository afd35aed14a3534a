# SPDX-License-Identifier: Apache-2.0
"""PUCTScore, UCBScore and UCB1TunedScore of TorchRL against the scores of plan/mcts. Made with torchrl 0.14.1, tensordict 0.14.3,
torch 2.13.0 (CPU). Command, from the root of the repository:
    python tests/golden/generate/mcts_scores.py > plugins/policies/plan/golden/mcts_scores.txt
"""

import torch
from tensordict import TensorDict
from torchrl.modules.mcts.scores import PUCTScore, UCB1TunedScore, UCBScore

print("# scores of torchrl 0.14.1 in float64")
print("# made by: python tests/golden/generate/mcts_scores.py > plugins/policies/plan/golden/mcts_scores.txt")
print("# rule, c, visits of the position; visits of the action, sum and squares of its returns, prior; score")
torch.manual_seed(7)
for rule, peer in (("puct", PUCTScore), ("ucb", UCBScore), ("ucb1_tuned", UCB1TunedScore)):
    for c in (0.5, 2.0, 5.0):
        count = 6
        visits = torch.randint(1, 40, (count,)).double()
        returns = [torch.rand(int(n), dtype=torch.float64) for n in visits]
        node = TensorDict({
            "visits": visits,
            "win_count": torch.stack([r.sum() for r in returns]),
            "sum_squared_rewards": torch.stack([r.square().sum() for r in returns]),
            "prior_prob": torch.rand(count, dtype=torch.float64).softmax(-1),
            "total_visits": visits.sum(),
        }, [])
        score = (peer(exploration_constant=c) if rule == "ucb1_tuned" else peer(c=c))(node)["score"]
        for i in range(count):
            numbers = [c, float(node["total_visits"]), *(float(node[key][i]) for key in (
                "visits", "win_count", "sum_squared_rewards", "prior_prob")), float(score[i])]
            print(rule, *(repr(number) for number in numbers))
