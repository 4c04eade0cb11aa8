"""Advantages and losses per token inside TRL's own GRPOTrainer, for rows that another trainer sampled.

stdin: [{"arguments": of GRPOConfig, matrices "mask", "old", "new", "advantages" (B, T), "rewards" (B)}], a group each
stdout: RESULT and, by group, "advantages" (B) of the rewards, and (B, T) "ratio", "loss", "clipped" of the given ones.
"""

import json
import sys
import tempfile

import torch
from datasets import Dataset
from tokenizers import Tokenizer, models
from transformers import HfArgumentParser, LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import GRPOConfig, GRPOTrainer

words = {"<pad>": 0, "</s>": 1, "go": 2}
# Generated texts are ignored: the reward function returns the rows' own scores, and the log-probabilities are theirs.
size = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1}


def read_tokenizer():
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="go"))
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>", padding_side="left")


def make_trainer(group):
    rows = len(group["rewards"])
    batch = {"per_device_train_batch_size": rows, "gradient_accumulation_steps": 1, "num_generations": rows}
    given = [str(part) for name, value in batch.items() for part in (f"--{name}", value)]
    absent = ["generation_batch_size", "max_completion_length", "eval_strategy", "eval_on_start", "eval_steps"]
    dropped = {f"--{name}" for name in [*absent, "num_generations_eval", *batch]}
    pairs = zip(group["arguments"][::2], group["arguments"][1::2])
    kept = [part for name, value in pairs if name not in dropped for part in (name, value)]
    short = ["--max_completion_length", "2", "--use_cpu", "--report_to", "none", "--bf16", "False"]
    (config,) = HfArgumentParser(GRPOConfig).parse_args_into_dataclasses([*kept, *given, *short])
    config.output_dir = tempfile.mkdtemp()
    return GRPOTrainer(
        model=LlamaForCausalLM(LlamaConfig(vocab_size=len(words), pad_token_id=0, eos_token_id=1, **size)),
        reward_funcs=lambda completions, **_: group["rewards"],
        args=config,
        train_dataset=Dataset.from_dict({"prompt": ["go"] * rows}),
        processing_class=read_tokenizer(),
    )


def evaluate(group):
    trainer = make_trainer(group)
    scored = trainer._generate_and_score_completions([{"prompt": "go"} for _ in group["rewards"]])
    matrix = {name: torch.tensor(group[name], dtype=torch.float64) for name in ["mask", "old", "new", "advantages"]}
    new = matrix["new"].requires_grad_()
    trainer._get_per_token_logps_and_entropies = lambda *_, **__: (new, torch.zeros_like(new), None)
    trainer.current_gradient_accumulation_steps = 1
    ids = torch.zeros_like(matrix["mask"], dtype=torch.long)
    found = {}

    def see(frame, event, _):
        if event == "return" and frame.f_code is GRPOTrainer._compute_loss.__code__:
            found.update(frame.f_locals)

    sys.setprofile(see)
    trainer._compute_loss(
        trainer.model,
        {
            "prompt_ids": ids[:, :1],
            "prompt_mask": ids[:, :1] + 1,
            "completion_ids": ids,
            "completion_mask": matrix["mask"],
            "advantages": matrix["advantages"],
            "old_per_token_logps": matrix["old"],
            "num_items_in_batch": matrix["mask"].sum(),
        },
    )
    sys.setprofile(None)
    clipped = found.get("is_region_clipped", found.get("is_cispo_clipped", torch.zeros_like(new)))
    values = {"ratio": torch.exp(found["log_importance_weights"]), "loss": found["per_token_loss"], "clipped": clipped}
    wide = {name: value.double().expand_as(new).tolist() for name, value in values.items()}
    return {"advantages": scored["advantages"].tolist(), **wide}


groups = json.load(sys.stdin)
print("RESULT" + json.dumps([evaluate(group) for group in groups]))
