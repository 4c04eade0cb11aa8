"""What an Optuna study has measured, as the `known` of a plan's search, which begins where the study stopped.

    pip install optuna
    python optuna_known.py sqlite:///study.db NAME >> plan.yaml

Reads any storage that Optuna reads; parameters keep their names, which have to be settings of the plan.
"""

import json
import sys

import optuna

storage, name = sys.argv[1:3]
if storage.endswith(".log"):
    backend = optuna.storages.journal.JournalFileBackend(storage)
    storage = optuna.storages.JournalStorage(backend)
study = optuna.load_study(study_name=name, storage=storage)
print("  known:")
for trial in study.get_trials(states=[optuna.trial.TrialState.COMPLETE]):
    values = trial.values[0] if len(trial.values) == 1 else trial.values
    print("    - " + json.dumps({"point": trial.params, "values": values}))
