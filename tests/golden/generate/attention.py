# SPDX-License-Identifier: Apache-2.0
"""Reference numbers for the op attention: torch's scaled_dot_product_attention and its gradients in float64.

Inputs are formulas of their place, so that both sides have them without a list: element i of input k (query, key, value,
weight of the result: 0 to 3) is sin(0.3 (k + 1) + 0.37 i + 0.0029 i^2). Key j of query r in row b is hidden by a mask if
(7 i + i // 3) % 4 = 0 with i its place in [b, r, j], or if r = 1; the first key of a query is (5 i) % (keys // 2) with i its
place in [b, r]. A list is stored as its sum weighed by cos(0.61 i), its norm, and its first and last element.

Made with torch 2.13.0 (CPU). Command, from the root of the repository:
    python tests/golden/generate/attention.py > tests/golden/attention.txt
"""

import torch
from torch.nn.functional import scaled_dot_product_attention

ROWS = 2
torch.set_default_dtype(torch.float64)

# name, queries, keys, heads, width of a head, width of its value, causal, window, allowed
CASES = (
    ("plain", 5, 7, 1, 4, 3, False, 0, None),
    ("heads", 29, 40, 3, 5, 7, False, 0, None),
    ("wide", 50, 70, 2, 16, 16, False, 0, None),
    ("causal", 29, 29, 2, 8, 8, True, 0, None),
    ("cache", 3, 40, 2, 16, 8, True, 0, None),
    ("more_queries", 9, 5, 2, 4, 4, True, 0, None),
    ("window", 60, 75, 2, 8, 8, True, 16, None),
    ("mask", 29, 40, 3, 5, 7, False, 0, "mask"),
    ("mask_window", 29, 40, 3, 5, 7, True, 9, "mask"),
    ("first", 60, 75, 2, 8, 4, True, 16, "first"),
    ("one_query", 1, 64, 4, 16, 16, False, 0, "first"),
)


def wave(k, *shape):
    i = torch.arange(torch.Size(shape).numel(), dtype=torch.float64)
    return torch.sin(0.3 * (k + 1) + 0.37 * i + 0.0029 * i * i).reshape(shape)


def allowed_keys(queries, keys, causal, window, kind):
    out = torch.ones(ROWS, queries, keys, dtype=torch.bool)
    key, own = torch.arange(keys), torch.arange(queries).unsqueeze(-1) + keys - queries
    if causal:
        out &= key <= own
    if window:
        out &= key > own - window
    if kind == "mask":
        i = torch.arange(out.numel()).reshape(out.shape)
        out &= (7 * i + i // 3) % 4 != 0
        out[:, 1] = False
    if kind == "first":
        i = torch.arange(ROWS * queries).reshape(ROWS, queries, 1)
        out &= key >= 5 * i % (keys // 2)
    return out.unsqueeze(1)


def report(key, values):
    flat = values.detach().reshape(-1)
    weighed = (flat * torch.cos(0.61 * torch.arange(len(flat), dtype=torch.float64))).sum()
    print(key, *(f"{float(value):.17g}" for value in (weighed, flat.norm(), flat[0], flat[-1])))


def by_head(rows, heads):
    return rows.unflatten(-1, (heads, -1)).transpose(-3, -2)


def main():
    for name, queries, keys, heads, width, value_width, causal, window, kind in CASES:
        print("case", name)
        print("sizes", queries, keys, heads, width, value_width, int(causal), window)
        inputs = [wave(0, ROWS, queries, heads * width), wave(1, ROWS, keys, heads * width),
                  wave(2, ROWS, keys, heads * value_width)]  # fmt: skip
        for each in inputs:
            each.requires_grad_()
        allowed = allowed_keys(queries, keys, causal, window, kind)
        out = scaled_dot_product_attention(*(by_head(each, heads) for each in inputs), attn_mask=allowed)
        out = out.where(allowed.any(-1, keepdim=True), 0.0).transpose(-3, -2).flatten(-2)
        report("out", out)
        (out * wave(3, *out.shape)).sum().backward()
        for each, key in zip(inputs, ("query", "key", "value"), strict=True):
            report("gradient." + key, each.grad)
        print("end")


if __name__ == "__main__":
    main()
