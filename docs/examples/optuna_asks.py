"""Optuna draws, the studio trains: every trial of an Optuna study is a trial of a sweep.

    pip install optuna
    ARLARENA_URL=http://127.0.0.1:4000 ARLARENA_TOKEN=... python optuna_asks.py SWEEP 20

The sweep's plan has `search: { sampler: { kind: external }, defaultsFirst: true, ... }`; its token reads and writes.
"""

import json
import os
import sys
import time
import urllib.request

import optuna

sweep, count = sys.argv[1], int(sys.argv[2])
base = os.environ["ARLARENA_URL"] + "/api/v1/"
headers = {"Authorization": "Bearer " + os.environ["ARLARENA_TOKEN"], "Content-Type": "application/json"}


def call(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(base + path, data, headers)) as answer:
        return json.load(answer)


def distribution_of(parameter):
    kind = parameter["kind"]
    if kind == "choice":
        return optuna.distributions.CategoricalDistribution(parameter["of"])
    if kind == "integer":
        return optuna.distributions.IntDistribution(parameter["low"], parameter["high"])
    log, step = kind == "logUniform", parameter.get("step")
    return optuna.distributions.FloatDistribution(parameter["low"], parameter["high"], log=log, step=step)


def report():
    return call("sweep/search?id=" + sweep)


search = call("sweep/byId?id=" + sweep)["plan"]["search"]
space = {name: distribution_of(parameter) for name, parameter in search["space"].items()}
study = optuna.create_study(
    direction=search["objective"]["goal"],
    sampler=optuna.samplers.TPESampler(seed=1),
    storage=os.environ.get("OPTUNA_STORAGE"),
    study_name=sweep,
    load_if_exists=True,
)

for _ in range(count):
    trial = study.ask(space)
    number = call("sweep/addTrial", {"id": sweep, "point": trial.params, "reason": "drawn by Optuna"})["number"]
    while True:
        result = report()["configurations"][0]["trials"][number]
        if result["state"] not in ("running", "waiting"):
            break
        time.sleep(float(os.environ.get("POLL_SECONDS", "5")))
    if result["state"] == "whole":
        study.tell(trial, result["value"])
    else:
        # A collapse says that it is bad, a lost run says nothing.
        collapsed = result["state"] == "collapsed"
        study.tell(trial, state=optuna.trial.TrialState.PRUNED if collapsed else optuna.trial.TrialState.FAIL)

print(json.dumps({"best": study.best_params, "value": study.best_value}))
