"""Writes what Transformers' trainer prints, beside the steps that it logged at: `python makeTrlLogs.py > trlLogs.json`.

A Python with torch, transformers and accelerate, without network. The lines are from `Trainer.log` and its callbacks, as
TRL's trainers print them; the model is one weight.
"""

import contextlib
import io
import json
import os
import sys
import tempfile

import torch
import transformers
from transformers import HfArgumentParser, Trainer, TrainingArguments


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.tensor([0.5]))

    def forward(self, x, labels=None):
        return {"loss": ((self.weight * x - labels) ** 2).mean()}


data = [{"x": torch.tensor([float(i % 7)]), "labels": torch.tensor([1.0])} for i in range(96)]


def train(arguments, folder, checkpoint=None, evaluated=data[:4]):
    """The lines that a training prints, and the steps of its log."""
    own = ["--output_dir", folder, "--report_to", "none", "--use_cpu", "--seed", "1", "--learning_rate", "0.001"]
    (args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses([*own, *arguments])
    trainer = Trainer(model=Model(), args=args, train_dataset=data, eval_dataset=evaluated)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
        trainer.train(resume_from_checkpoint=checkpoint)
    lines = [line for line in printed.getvalue().splitlines() if line.startswith("{")]
    history = trainer.state.log_history[-len(lines) :]
    return {"arguments": arguments, "lines": lines, "history": history}


def main():
    plain = [
        "--max_steps 12 --logging_steps 5 --logging_first_step --eval_strategy steps --eval_steps 3 --eval_on_start",
        "--max_steps 10 --logging_steps 1 --eval_strategy steps --eval_steps 4",
        "--max_steps=12 --logging-steps=0.25 --eval_strategy steps --eval_delay 5 --disable_tqdm True",
        "--max_steps 6 --logging_steps 4 --logging_steps 2",
    ]
    logs = [train(words.split(), tempfile.mkdtemp()) for words in plain]
    both = {"small": data[:4], "large": data[:8]}
    logs.append(train("--max_steps 6 --logging_steps 2 --eval_strategy steps --eval_steps 3".split(), tempfile.mkdtemp(), evaluated=both))
    for words in ["", "--eval_on_start"]:
        folder = tempfile.mkdtemp()
        arguments = f"--max_steps 12 --logging_steps 2 --eval_strategy steps --eval_steps 4 --save_steps 3 {words}".split()
        before = train(arguments, folder)
        path = os.path.join(folder, "checkpoint-6")
        with open(os.path.join(path, "trainer_state.json")) as file:
            state = json.load(file)
        known = {"step": state["global_step"], "epoch": state["epoch"]}
        logs.append({"checkpoint": known, **train(arguments, folder, checkpoint=path)})
        # A program that does not resume from the existing checkpoint.
        logs.append({"checkpoint": known, **before})
    json.dump({"about": f"transformers {transformers.__version__}", "logs": logs}, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
