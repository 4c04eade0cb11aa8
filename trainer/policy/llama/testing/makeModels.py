"""
Makes the models beside this file and PyTorch's results on them, the reference of the tests:

    pip install torch==2.15.0 transformers==5.23.0 safetensors numpy
    python trainer/policy/llama/testing/makeModels.py

Each folder is written by transformers: two layers with random weights. Gains and biases are random too, because those of
a fresh model, 1 and 0, would hide an error. `expected.safetensors` contains logits of two rows, the mean negative
log-likelihood of their next tokens and its gradient by every parameter, in float32. `greedy.json` contains 64 tokens that
`generate` produces after a prompt, without sampling.
"""

import itertools
import json
import shutil
from pathlib import Path

import torch
from safetensors.torch import save_file
from transformers import LlamaConfig, LlamaForCausalLM, Qwen2Config, Qwen2ForCausalLM, Qwen3Config, Qwen3ForCausalLM

here = Path(__file__).parent / "models"
shape = dict(
    vocab_size=32,
    hidden_size=16,
    intermediate_size=20,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
    max_position_embeddings=128,
    attn_implementation="eager",
    bos_token_id=1,
    eos_token_id=2,
    pad_token_id=0,
)

# The frequency of each head's second pair lies between those that are unchanged and those that are divided.
llama3 = dict(
    rope_type="llama3",
    rope_theta=100.0,
    factor=4.0,
    low_freq_factor=1.0,
    high_freq_factor=4.0,
    original_max_position_embeddings=32,
)
linear = dict(rope_type="linear", rope_theta=10000.0, factor=2.0)
plain = dict(rope_type="default", rope_theta=1000000.0)

models = {
    # This model has a tied output layer and Llama 3's positions, and is saved in two files.
    "llama": (LlamaForCausalLM, LlamaConfig(**shape, head_dim=8, tie_word_embeddings=True, rope_parameters=llama3), None, "20KB"),
    # This model has an untied output layer, every bias of a Llama, and linearly scaled positions.
    "llamaBiased": (
        LlamaForCausalLM,
        LlamaConfig(**shape, head_dim=4, attention_bias=True, mlp_bias=True, rms_norm_eps=1e-5, rope_parameters=linear),
        None,
        "1GB",
    ),
    "qwen2": (Qwen2ForCausalLM, Qwen2Config(**shape, tie_word_embeddings=True, rope_parameters=plain), torch.bfloat16, "1GB"),
    "qwen3": (Qwen3ForCausalLM, Qwen3Config(**shape, head_dim=8, rope_parameters=plain), torch.float16, "1GB"),
}


def make(name, kind, config, dtype, shard, seed):
    torch.manual_seed(seed)
    model = kind(config).float().eval()
    with torch.no_grad():
        for key, parameter in model.named_parameters():
            centre = 1.0 if key.endswith("norm.weight") else 0.0
            parameter.copy_(centre + 0.3 * torch.randn(parameter.shape))
    folder = here / name
    shutil.rmtree(folder, ignore_errors=True)
    if dtype is not None:
        model = model.to(dtype)
    model.save_pretrained(folder, max_shard_size=shard)
    (folder / "generation_config.json").unlink()
    return folder, kind.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()


def write_greedy(folder, model, tokens):
    prompt = tokens[:1, :10]
    options = dict(max_new_tokens=64, do_sample=False, eos_token_id=None, pad_token_id=0)
    written = model.generate(prompt, attention_mask=torch.ones_like(prompt), **options)
    response = written[0, 10:].tolist()
    (folder / "greedy.json").write_text(json.dumps({"prompt": prompt[0].tolist(), "response": response}) + "\n")
    return response


def write_expected(folder, model, tokens):
    vocabulary = model.config.vocab_size
    logits = model(tokens).logits
    loss = torch.nn.functional.cross_entropy(logits[:, :-1].reshape(-1, vocabulary), tokens[:, 1:].reshape(-1))
    loss.backward()
    gradients = {f"gradient/{key}": parameter.grad.contiguous() for key, parameter in model.named_parameters()}
    outputs = {"tokens": tokens.float(), "logits": logits.detach().contiguous(), "loss": loss.detach().reshape(1)}
    save_file({**outputs, **gradients}, folder / "expected.safetensors")


for name, parts in models.items():
    tokens = torch.randint(3, shape["vocab_size"], (2, 24), generator=torch.Generator().manual_seed(1))
    # The loop searches for a random model whose text does not repeat a few tokens, because equal repetitive texts would
    # prove little.
    for seed in itertools.count():
        folder, model = make(name, *parts, seed)
        if len(set(write_greedy(folder, model, tokens))) >= 12:
            break
    write_expected(folder, model, tokens)
