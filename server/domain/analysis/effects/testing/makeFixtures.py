"""Reference values for the tests of this folder, from statsmodels: type II analysis of variance and adjusted means.

    python3 -m venv oracle && oracle/bin/pip install scipy==1.17.1 statsmodels==0.15.0
    oracle/bin/python server/domain/analysis/effects/testing/makeFixtures.py > server/domain/analysis/effects/testing/fixtures.json
"""

import itertools
import json
import math

import numpy as np
import pandas as pd
import statsmodels.api as sm
import statsmodels.formula.api as smf

rng = np.random.default_rng(20261122)


def dataset(drop):
    """Three factors of 2, 3 and 2 levels, 1 to 4 seeds a cell, some cells never run."""
    rows = []
    for a, b, c in itertools.product(["a1", "a2"], ["b1", "b2", "b3"], ["c1", "c2"]):
        if (a, b, c) in drop:
            continue
        base = 50 + 8 * (a == "a2") + 5 * (b == "b2") - 3 * (b == "b3") + 2 * (c == "c2") + 4 * (a == "a2" and b == "b3")
        for _ in range(int(rng.integers(1, 5))):
            rows.append({"a": a, "b": b, "c": c, "y": round(float(base + rng.normal(0, 3)), 4)})
    return pd.DataFrame(rows)


def shares(data, names):
    """Mean over all orders of the gain in R², by brute force."""
    def r2(chosen):
        return smf.ols("y ~ " + (" + ".join(f"C({n})" for n in chosen) or "1"), data).fit().rsquared

    totals = dict.fromkeys(names, 0.0)
    for order in itertools.permutations(names):
        for i, name in enumerate(order):
            totals[name] += r2(order[: i + 1]) - r2(order[:i])
    return [totals[n] / math.factorial(len(names)) for n in names]


def describe(data):
    main = smf.ols("y ~ C(a) + C(b) + C(c)", data).fit()
    crossed = smf.ols("y ~ C(a) * C(b) + C(c)", data).fit()
    levels = {"a": ["a1", "a2"], "b": ["b1", "b2", "b3"], "c": ["c1", "c2"]}
    means = []
    for factor, own in levels.items():
        others = [n for n in levels if n != factor]
        for level in own:
            grid = pd.DataFrame(
                [{factor: level, **dict(zip(others, combo))} for combo in itertools.product(*(levels[n] for n in others))]
            )
            means.append([factor, level, float(main.predict(grid).mean())])
    tables = [sm.stats.anova_lm(model, typ=2) for model in (main, crossed)]
    within = data.groupby(["a", "b", "c"]).y
    return {
        "rows": data.to_dict(orient="records"),
        "means": means,
        "mainSquares": [float(x) for x in tables[0].sum_sq[:-1]],
        "crossedSquares": [float(x) for x in tables[1].sum_sq[:-1]],
        "crossedTerms": list(tables[1].index[:-1]),
        "crossedDf": [int(x) for x in tables[1].df[:-1]],
        "seedSquares": float(((data.y - within.transform("mean")) ** 2).sum()),
        "seedDf": int(len(data) - within.ngroups),
        "shares": shares(data, ["a", "b", "c"]),
    }


fixtures = {
    "madeBy": "server/domain/analysis/effects/testing/makeFixtures.py (its header has the command)",
    "designs": [describe(dataset(set())), describe(dataset({("a2", "b1", "c1"), ("a1", "b3", "c2"), ("a2", "b2", "c2")}))],
}
print(json.dumps(fixtures, separators=(",", ":")).replace('},{', '},\n{').replace('],"', '],\n"'))
