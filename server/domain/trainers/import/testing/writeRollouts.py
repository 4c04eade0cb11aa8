"""Writes small files of rollouts with the code of other trainers: TRL, verl and tinker-cookbook.

    pip download --no-deps trl==1.16.0 verl==0.9.1 tinker-cookbook==0.6.1   # unpacked into SOURCES
    pip install pandas pyarrow
    python writeRollouts.py SOURCES rollouts

Their modules import torch, so the functions and statements that write the files are taken from the source and run.
"""

import ast
import json
import os
import sys
import types

import pandas as pd

sources, target = sys.argv[1:]


def parse(path):
    with open(os.path.join(sources, path), encoding="utf8") as file:
        return ast.parse(file.read())


def find(tree, kind, name):
    return next(node for node in ast.walk(tree) if isinstance(node, kind) and node.name == name)


def run(nodes, names):
    for node in nodes:
        if isinstance(node, ast.FunctionDef):
            node.decorator_list, node.returns = [], None
            for argument in node.args.args + node.args.kwonlyargs:
                argument.annotation = None
    exec(compile(ast.fix_missing_locations(ast.Module(nodes, [])), "theirs", "exec"), names)
    return names


prompts = ["What is 2 + 3?", "What is 4 * 5?"]
answers = [["2 + 3 = 5", "It is 6"], ["20", "4 * 5 = 20"]]
rewards = [[1.0, 0.0], [1.0, 1.0]]
rows = [(prompts[g], answers[g][i], rewards[g][i]) for g in range(2) for i in range(2)]

# TRL: the statements of GRPOTrainer.log that build the table and write it.
log = find(find(parse("trl/trl/trainer/grpo_trainer.py"), ast.ClassDef, "GRPOTrainer"), ast.FunctionDef, "log")
inner = next(node for node in log.body if isinstance(node, ast.If) and "self.log_completions" in ast.unparse(node.test))
writing = [node for node in inner.body if ast.unparse(node).startswith(("table = {", "df_base"))]
for style, wrap in {"plain": lambda role, text: text, "chat": lambda role, text: [{"role": role, "content": text}]}.items():
    folder = os.path.join(target, f"trl-{style}")
    os.makedirs(os.path.join(folder, "completions"), exist_ok=True)
    trainer = types.SimpleNamespace(
        state=types.SimpleNamespace(global_step=5),
        args=types.SimpleNamespace(output_dir=folder),
        _logs={
            "prompt": [wrap("user", prompt) for prompt, _, _ in rows],
            "completion": [wrap("assistant", answer) for _, answer, _ in rows],
            "rewards": {"accuracy_reward": [reward for _, _, reward in rows]},
            "extra": {},
            "advantages": [0.7, -0.7, 0.0, 0.0],
        },
    )
    run(writing, {"self": trainer, "pd": pd, "os": os, "strip_images_from_messages": lambda messages: messages})

# verl: RayPPOTrainer._write_generations.
names = run(
    [find(parse("verl/verl/trainer/ppo/ray_trainer.py"), ast.FunctionDef, "_write_generations")],
    {"os": os, "json": json},
)
names["_write_generations"](
    [prompt for prompt, _, _ in rows],
    [answer for _, answer, _ in rows],
    ["5", "5", "20", "20"],
    [reward for _, _, reward in rows],
    {"acc": [reward == 1 for _, _, reward in rows]},
    os.path.join(target, "verl"),
    5,
)

# tinker-cookbook: serialize_rollout_summaries, with one line for each record as its store writes them.
tree = parse("tinker/tinker_cookbook/rl/rollout_logging.py")
names = run(
    [find(tree, ast.FunctionDef, name) for name in ("_json_safe", "serialize_rollout_summaries")],
    {"safezip": zip, "logger": None},
)
sized = lambda length: types.SimpleNamespace(length=length)


def trajectory(step_rewards):
    action = types.SimpleNamespace(tokens=[7, 8, 9])
    ends = [False] * (len(step_rewards) - 1) + [True]
    steps = [
        types.SimpleNamespace(ob=sized(12), ac=action, reward=reward, episode_done=end, metrics={}, logs={})
        for reward, end in zip(step_rewards, ends)
    ]
    return types.SimpleNamespace(transitions=steps, final_ob=sized(30))


def group(own):
    trajectories = [trajectory([0.0, reward]) for reward in own]
    return types.SimpleNamespace(
        trajectories_G=trajectories,
        final_rewards_G=[0.0, 0.0],
        metrics_G=[{}, {}],
        get_total_rewards=lambda: own,
    )


records = names["serialize_rollout_summaries"](
    split="train",
    iteration=5,
    trajectory_groups_P=[group(own) for own in rewards],
    taglist_P=[["arithmetic"], ["arithmetic"]],
    sampling_client_steps_P=[4, 3],
)
folder = os.path.join(target, "tinker", "iteration_000005")
os.makedirs(folder, exist_ok=True)
with open(os.path.join(folder, "train_rollout_summaries.jsonl"), "w", encoding="utf8") as file:
    file.writelines(json.dumps(record) + "\n" for record in records)
