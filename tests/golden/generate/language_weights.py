# SPDX-License-Identifier: Apache-2.0
"""Tiny models of GPT-2 and of Llama with random weights, as the package transformers makes and stores them, and the logits of
every token of an answer. A prompt has 3 tokens out of 4, and so has an answer; Llama's vocabulary has 7, of which the last three
never occur. Weights are numbers of bfloat16, so both files of a model have the same ones:

    NAME.safetensors         float32          NAME_bf16.safetensors    bfloat16
    NAME_logits.safetensors  float32 [64, 21, 4]: by prompt, and by the tokens of the answer before it: none, 4 of one, 16 of two.
                             Computed in float64.

Made with transformers 5.24.0, torch 2.13.0 (CPU), safetensors 0.8.0. Command, from the root of the repository:
    python tests/golden/generate/language_weights.py
"""

import itertools
from pathlib import Path

import safetensors
import torch
import transformers
from safetensors.torch import save_file
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

GOLDEN = Path(__file__).resolve().parents[1]
TOKENS, LENGTH = 4, 3
print("transformers", transformers.__version__, "torch", torch.__version__, "safetensors", safetensors.__version__)


def rows(count):
    return [list(row) for row in itertools.product(range(TOKENS), repeat=count)]


def write(name, model):
    with torch.no_grad():
        for key, value in model.named_parameters():
            norm = value.dim() == 1 and "weight" in key
            value.copy_(((1 if norm else 0) + torch.randn(value.shape) * (0.2 if value.dim() == 1 else 0.4)).bfloat16().float())
    model.eval()
    # A tensor that is another one as well is stored once.
    state = {key: value.contiguous() for key, value in model.state_dict().items()
             if not (model.config.tie_word_embeddings and key == "lm_head.weight")}
    save_file(state, GOLDEN / f"{name}.safetensors", {"format": "pt"})
    save_file({key: value.bfloat16() for key, value in state.items()}, GOLDEN / f"{name}_bf16.safetensors", {"format": "pt"})
    begun = [row for count in range(LENGTH) for row in rows(count)]
    prompts = rows(LENGTH)
    model.double()
    with torch.no_grad():
        after = [model(torch.tensor([prompt + before for prompt in prompts])).logits[:, -1, :TOKENS].float() for before in begun]
    save_file({"logits": torch.stack(after, 1).contiguous()}, GOLDEN / f"{name}_logits.safetensors")


torch.manual_seed(1)
write("tiny_gpt2", GPT2LMHeadModel(GPT2Config(vocab_size=TOKENS, n_positions=8, n_embd=16, n_layer=2, n_head=4)))
write("tiny_llama", LlamaForCausalLM(LlamaConfig(
    vocab_size=7, hidden_size=16, intermediate_size=20, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
    max_position_embeddings=32, rms_norm_eps=1e-6, rope_theta=500_000.0, tie_word_embeddings=False)))  # fmt: skip
