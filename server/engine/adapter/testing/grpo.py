"""A script as TRL's users write them, with a policy of a few thousand parameters: no network and no accelerator."""

import dataclasses
import itertools
import json
import os

import torch
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, HfArgumentParser, PreTrainedTokenizerFast
from transformers.trainer_utils import get_last_checkpoint
from trl import GRPOConfig, GRPOTrainer

words = ["<pad>", "<eos>", *(f"w{i}" for i in range(30))]
split = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="<pad>"))
split.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=split, pad_token="<pad>", eos_token="<eos>", padding_side="left")
sizes = {"vocab_size": len(words), "n_positions": 32, "n_embd": 16, "n_layer": 1, "n_head": 2}
prompts = Dataset.from_dict({"prompt": [f"w{i % 29} w{(i * 7 + i // 29) % 29}" for i in range(64)]})


@dataclasses.dataclass
class Policy:
    model_name_or_path: str | None = None


config, given = HfArgumentParser((GRPOConfig, Policy)).parse_args_into_dataclasses()


def reward(completions, **_):
    return [sum(word == "w3" for word in text.split()) + len(text) / 1000 for text in completions]


def success(prompts, completions, **_):
    """1 where a word of the second half is said; notes how many completions came of how many prompts, call by call."""
    groups = [len(list(group)) for _, group in itertools.groupby(prompts)]
    with open(os.path.join(config.output_dir, "groups.jsonl"), "a") as file:
        print(json.dumps(groups), file=file)
    return [float(any(int(word[1:]) > 24 for word in text.split() if word[1:].isdigit())) for text in completions]


torch.manual_seed(0)
os.makedirs(config.output_dir, exist_ok=True)
# The policy is named by its folder, from which TRL loads the reference model of the KL term.
policy = given.model_name_or_path or os.path.join(config.output_dir, "policy")
if given.model_name_or_path is None:
    GPT2LMHeadModel(GPT2Config(**sizes, bos_token_id=1, eos_token_id=1, pad_token_id=0)).save_pretrained(policy)
torch.manual_seed(config.seed)
with open(os.path.join(config.output_dir, "config.json"), "w") as file:
    json.dump(config.to_dict(), file)
trainer = GRPOTrainer(
    model=policy,
    processing_class=tokenizer,
    reward_funcs=[reward, success],
    args=config,
    train_dataset=prompts,
    eval_dataset=prompts.select(range(8)),
)
before = os.environ.get("ARLARENA_RESUME_FROM")
newest = before and get_last_checkpoint(os.path.join(before, "output"))
trainer.train(resume_from_checkpoint=config.resume_from_checkpoint or newest)
trainer.save_state()
