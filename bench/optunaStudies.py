"""Studies of real Optuna, asked for points and told values by bench/search.ts.

Standard input: one JSON object a line. {"sampler": "tpe" | "random", "bounds": [[low, high], …], "seeds": [...]} starts a
study per seed; {"values": [...]} tells the value of each study's last point. Each is answered by {"points": [[…], …]},
the next point of every study.
"""

import json
import sys

import optuna

optuna.logging.set_verbosity(optuna.logging.ERROR)


def make_sampler(kind, seed):
    if kind == "random":
        return optuna.samplers.RandomSampler(seed=seed)
    return optuna.samplers.TPESampler(multivariate=True, group=True, seed=seed)


print(json.dumps({"optuna": optuna.__version__}), flush=True)
studies, trials, bounds = [], [], []
for line in sys.stdin:
    message = json.loads(line)
    if "seeds" in message:
        bounds = message["bounds"]
        studies = [optuna.create_study(sampler=make_sampler(message["sampler"], seed)) for seed in message["seeds"]]
    else:
        for study, trial, value in zip(studies, trials, message["values"]):
            study.tell(trial, value)
    trials = [study.ask() for study in studies]
    points = [[trial.suggest_float(f"x{i}", low, high) for i, (low, high) in enumerate(bounds)] for trial in trials]
    print(json.dumps({"points": points}), flush=True)
