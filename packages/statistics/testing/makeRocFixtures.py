"""Areas under ROC curves for the test of rocArea.ts, from scikit-learn.

    python3 -m venv oracle && oracle/bin/pip install scikit-learn==1.9.1
    oracle/bin/python packages/statistics/testing/makeRocFixtures.py > packages/statistics/testing/rocFixtures.json
"""

import json

import numpy as np
from sklearn.metrics import roc_auc_score

rng = np.random.default_rng(20261123)


def case(size, units, decimals):
    """Scores rounded to have ties, drawn in units that count several times or not at all."""
    value = np.round(rng.normal(size=size), decimals)
    event = rng.random(size) < 1 / (1 + np.exp(-value))
    unit = rng.integers(units, size=size)
    weight = rng.integers(0, 4, size=units)
    area = roc_auc_score(event, value, sample_weight=weight[unit])
    return {
        "value": value.tolist(),
        "isEvent": event.tolist(),
        "unit": unit.tolist(),
        "weight": weight.tolist(),
        "area": float(area),
    }


print(json.dumps([case(12, 4, 0), case(40, 6, 1), case(60, 10, 3)], separators=(",", ":")))
