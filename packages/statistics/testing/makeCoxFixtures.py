"""Cox regressions and equivalence tests for the tests of cox.ts and equivalence.ts.

    python3 -m venv oracle && oracle/bin/pip install lifelines==0.30.3 firthmodels==0.8.2 statsmodels==0.15.0
    oracle/bin/python packages/statistics/testing/makeCoxFixtures.py > packages/statistics/testing/coxFixtures.json

Ties as Efron has them come from lifelines; Firth's penalty from firthmodels, whose ties are Breslow's, so its times have none.
"""

import json

import numpy as np
import pandas as pd
from firthmodels import FirthCoxPH
from lifelines import CoxPHFitter
from statsmodels.stats.weightstats import ttost_paired

rng = np.random.default_rng(20261123)


def draw(size, effects, tied, strata):
    """Two factors and their product; exponential times, cut at 80."""
    stale = np.repeat([0, 1, 0, 1], size)
    rounded = np.repeat([0, 0, 1, 1], size)
    x = np.stack([stale, rounded, stale * rounded], axis=1)
    time = rng.exponential(60 / np.exp(x @ effects))
    event = time < 80
    time = np.minimum(time, 80)
    if tied:
        time = np.ceil(time / 8) * 8
    return x, time, event, rng.integers(strata, size=4 * size)


def shared(x, time, event, stratum):
    return {"x": x.tolist(), "time": time.tolist(), "isEvent": event.tolist(), "stratum": stratum.tolist()}


def by_lifelines(*args):
    x, time, event, stratum = draw(*args)
    frame = pd.DataFrame(x, columns=["a", "b", "c"]).assign(time=time, event=event, stratum=stratum)
    fit = CoxPHFitter().fit(
        frame, "time", "event", strata=["stratum"], fit_options={"precision": 1e-10}
    )
    return {**shared(x, time, event, stratum), "coefficients": fit.params_.tolist()}


def by_firthmodels(*args, silent=()):
    x, time, event, stratum = draw(*args)
    for a, b in silent:
        cell = (x[:, 0] == a) & (x[:, 1] == b)
        event[cell] = False
        time[cell] = 80
    time = time + 1e-3 * np.arange(len(time)) * event
    fit = FirthCoxPH(gtol=1e-6, xtol=1e-7, max_iter=500, max_halfstep=40).fit(x.astype(float), (event, time))
    fit.lrt()
    return {
        **shared(x, time, event, np.zeros_like(stratum)),
        "coefficients": fit.coef_.tolist(),
        "intervals": fit.conf_int(method="pl", tol=1e-6, max_iter=500).tolist(),
        "p": fit.lrt_pvalues_.tolist(),
    }


def equivalence(size, spread, shift):
    y = rng.normal(0.7, 0.1, size)
    x = y + rng.normal(shift, spread, size)
    p, above, below = ttost_paired(x, y, -0.05, 0.05)
    return {"x": x.tolist(), "y": y.tolist(), "p": float(p), "notBelow": float(above[1]), "notAbove": float(below[1])}


effects = np.array([1.0, 0.5, -0.7])
print(
    json.dumps(
        {
            "efron": [by_lifelines(20, effects, True, 1), by_lifelines(30, effects, True, 3)],
            "firth": [
                by_firthmodels(10, effects, False, 1),
                by_firthmodels(12, effects, False, 1, silent=[(0, 0)]),
                by_firthmodels(10, effects, False, 1, silent=[(0, 0), (0, 1)]),
            ],
            "equivalence": [equivalence(10, 0.03, 0.0), equivalence(20, 0.1, -0.03), equivalence(5, 0.02, 0.06)],
        },
        separators=(",", ":"),
    )
)
