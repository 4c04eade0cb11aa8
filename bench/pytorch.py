"""
PyTorch's side of bench/pytorch.ts, on one thread: one JSON request per line, one response per line. Times are CPU time of
this process, in seconds.

The policy is the built-in one (RMSNorm without gain, squared ReLU, tied embeddings, learned positions) in eager mode,
with fused attention, one product for queries, keys and values, logits only of the responses, and a cache updated in
place. Hugging Face's `generate` runs a Llama of the same width, depth and number of parameters.
"""

import json
import sys
import time

import torch
import torch.nn.functional as F

torch.set_num_threads(1)
torch.set_flush_denormal(True)


class Policy:
    def __init__(self, request):
        values = torch.from_file(request["file"], size=request["size"])
        self.heads, self.layers = request["numHeads"], request["numLayers"]
        self.parameters, at = {}, 0
        for name, shape in request["shapes"].items():
            count = torch.Size(shape).numel()
            value = values[at : at + count].reshape(shape)
            # Weight matrices of layers are transposed, as in nn.Linear.
            value = value.T.contiguous() if name.startswith("layer") else value.clone()
            self.parameters[name] = value.requires_grad_()
            at += count
        self.width = self.parameters["embedding"].shape[1]

    def norm(self, x):
        return F.rms_norm(x, (self.width,), eps=1e-6)

    def project(self, x, layer):
        rows, tokens, _ = x.shape
        qkv = F.linear(self.norm(x), self.parameters[f"layer{layer}/qkv"])
        heads = qkv.view(rows, tokens, 3, self.heads, self.width // self.heads)
        return heads.permute(2, 0, 3, 1, 4).unbind(0)

    def rest(self, x, attended, layer):
        x = x + F.linear(attended.transpose(1, 2).flatten(2), self.parameters[f"layer{layer}/out"])
        up = F.linear(self.norm(x), self.parameters[f"layer{layer}/up"])
        return x + F.linear(F.relu(up).square(), self.parameters[f"layer{layer}/down"])

    def logits(self, x):
        return F.linear(self.norm(x), self.parameters["embedding"])

    def embed(self, tokens, start):
        positions = self.parameters["positions"][start : start + tokens.shape[1]]
        return F.embedding(tokens, self.parameters["embedding"]) + positions

    def forward(self, tokens, caches=None):
        x = self.embed(tokens, 0)
        for layer in range(self.layers):
            q, k, v = self.project(x, layer)
            if caches:
                caches[layer][0][:, :, : tokens.shape[1]] = k
                caches[layer][1][:, :, : tokens.shape[1]] = v
            x = self.rest(x, F.scaled_dot_product_attention(q, k, v, is_causal=True), layer)
        return x

    def step(self, tokens, position, caches):
        x = self.embed(tokens, position)
        for layer, (keys, values) in enumerate(caches):
            q, k, v = self.project(x, layer)
            keys[:, :, position : position + 1] = k
            values[:, :, position : position + 1] = v
            past = (keys[:, :, : position + 1], values[:, :, : position + 1])
            x = self.rest(x, F.scaled_dot_product_attention(q, *past), layer)
        return self.logits(x)[:, -1]


def train(policy, tokens, targets):
    for parameter in policy.parameters.values():
        parameter.grad = None
    hidden = policy.forward(tokens)[:, -targets.shape[1] :]
    loss = F.cross_entropy(policy.logits(hidden).flatten(0, 1), targets.flatten())
    loss.backward()
    return loss.item()


@torch.inference_mode()
def sample(policy, prompts, num_new, group):
    rows, start = prompts.shape
    shape = (rows, policy.heads, start + num_new, policy.width // policy.heads)
    caches = [(torch.zeros(shape), torch.zeros(shape)) for _ in range(policy.layers)]
    logits = policy.logits(policy.forward(prompts, caches)[:, -1:])[:, -1]
    if group > 1:
        logits = logits.repeat_interleave(group, 0)
        caches = [tuple(x.repeat_interleave(group, 0) for x in cache) for cache in caches]
    tokens, log_probs = [], []
    for i in range(num_new):
        all_log_probs = F.log_softmax(logits, -1)
        token = torch.multinomial(all_log_probs.exp(), 1)
        tokens.append(token)
        log_probs.append(all_log_probs.gather(-1, token))
        if i + 1 < num_new:
            logits = policy.step(token, start + i, caches)
    return torch.cat(tokens, 1), torch.cat(log_probs, 1)


def make_llama(policy, vocabulary, context):
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=policy.width,
        # Three matrices of 8/3 times the width have as many parameters as two matrices of four times the width.
        intermediate_size=8 * policy.width // 3,
        num_hidden_layers=policy.layers,
        num_attention_heads=policy.heads,
        max_position_embeddings=context,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=None,
        pad_token_id=None,
    )
    return LlamaForCausalLM(config).eval()


@torch.inference_mode()
def generate(llama, prompts, num_new, group):
    result = llama.generate(
        prompts,
        attention_mask=torch.ones_like(prompts),
        do_sample=True,
        top_k=0,
        max_new_tokens=num_new,
        num_return_sequences=group,
    )
    assert result.shape[1] == prompts.shape[1] + num_new


def timed(work, repeats):
    start = time.process_time()
    for _ in range(repeats):
        value = work()
    return (time.process_time() - start) / repeats, value


def main():
    policy = llama = None
    for line in sys.stdin:
        request = json.loads(line)
        kind, value = request["kind"], None
        tokens, repeats = torch.tensor(request.get("tokens", [])), request.get("repeats", 1)
        if kind == "load":
            policy, seconds = Policy(request), 0
            llama = make_llama(policy, request["vocabularySize"], request["contextTokens"])
            value = sum(parameter.numel() for parameter in llama.parameters())
        elif kind == "train":
            targets = torch.tensor(request["targets"])
            seconds, value = timed(lambda: train(policy, tokens, targets), repeats)
        elif kind == "sample":
            seconds, _ = timed(lambda: sample(policy, tokens, request["numNew"], request["group"]), repeats)
        elif kind == "generate":
            seconds, _ = timed(lambda: generate(llama, tokens, request["numNew"], request["group"]), repeats)
        print(json.dumps({"seconds": seconds, "value": value, "version": torch.__version__}), flush=True)


main()
