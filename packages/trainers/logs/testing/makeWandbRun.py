"""Writes a small run with the W&B client, offline, and prints where its file lies: python makeWandbRun.py FOLDER

wandbRun.wandb beside this script was made so by wandb 0.31.0. One text is so long that its record crosses the border of a
block and lies in pieces.
"""

import glob
import math
import sys

import wandb

folder = sys.argv[1]
settings = wandb.Settings(
    mode="offline", host="trainer", username="somebody", root_dir=folder, run_id="fixture1", silent=True,
    console="off", disable_git=True, disable_code=True, save_code=False, x_disable_stats=True, x_disable_meta=True,
    program="train.py",
)
run = wandb.init(project="stability", name="grpo_sokoban_seed3", config={"lr": 1e-6}, settings=settings)
for step in range(24):
    logged = {
        "actor/grad_norm": {9: math.nan, 10: math.inf, 11: -math.inf}.get(step, 0.5),
        "episode/success_rate": step / 32,
        "nested": {"deep": {"count": step}},
        "solved": step > 12,
        "note": "words" if step != 5 else "long " * 3200,
    }
    if step % 10 == 0:
        logged["val/success_rate"] = 0.25
    run.log(logged, step=step)
run.finish()
print(*glob.glob(f"{folder}/**/*.wandb", recursive=True))
