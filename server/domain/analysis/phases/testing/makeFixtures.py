"""Reference values for the logistic regression of this folder: coefficients of PyPI's firthmodels, errors of numpy.

    python3 -m venv oracle && oracle/bin/pip install firthmodels==0.8.2
    oracle/bin/python server/domain/analysis/phases/testing/makeFixtures.py > server/domain/analysis/phases/testing/fixtures.json
"""

import json

import numpy as np
from firthmodels import FirthLogisticRegression

rng = np.random.default_rng(20261122)


def overlapping():
    x = rng.uniform(-1, 1, (40, 2)).round(3)
    return x, (rng.uniform(size=40) < 1 / (1 + np.exp(-(0.4 + 2 * x[:, 0] - x[:, 1])))).astype(int)


def separated():
    """A grid of four by three with three runs each, which one line parts without an exception."""
    x = np.array([[u, v] for u in (-1, -1 / 3, 1 / 3, 1) for v in (-1, 0, 1) for _ in range(3)])
    return x, (x[:, 0] + 0.5 * x[:, 1] > 0.2).astype(int)


def rare():
    x = np.array([[u, v] for u in (-1, 1) for v in (-1, -0.5, 0, 0.5, 1) for _ in range(4)])
    y = np.zeros(len(x), int)
    y[-1] = 1
    return x, y


def fit(name, x, y):
    model = FirthLogisticRegression(max_iter=1000, gtol=1e-9, xtol=1e-8).fit(x, y)
    coefficients = np.array([float(model.intercept_), *map(float, model.coef_)])
    design = np.column_stack([np.ones(len(x)), x])
    p = 1 / (1 + np.exp(-design @ coefficients))
    # Standard errors from the information of the runs themselves, as in Heinze and Schemper (2002). The package's own
    # errors include the data added by the penalty, so they are smaller.
    errors = np.sqrt(np.diag(np.linalg.inv(design.T @ (design * (p * (1 - p))[:, None]))))
    return dict(
        name=name,
        inputs=x.round(12).tolist(),
        events=y.tolist(),
        coefficients=coefficients.tolist(),
        errors=errors.tolist(),
    )


print(json.dumps([fit(case.__name__, *case()) for case in (overlapping, separated, rare)]))
