"""Odds ratios with cluster-robust intervals for the test of oddsRatio.ts, from statsmodels.

    python3 -m venv oracle && oracle/bin/pip install statsmodels==0.15.0
    oracle/bin/python packages/statistics/testing/makeOddsFixtures.py > packages/statistics/testing/oddsFixtures.json
"""

import json
import numpy as np
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.multitest import multipletests

rng = np.random.default_rng(20260129)
cases = []
for tasks, seeds, effect in [(12, 1, 0.8), (20, 4, 0.0), (30, 5, -1.2), (8, 3, 0.4)]:
    rows, y, x, g1, g2 = [], [], [], [], []
    task_effect, seed_effect = rng.normal(0, 0.7, tasks), rng.normal(0, 0.4, seeds)
    for task in range(tasks):
        for seed in range(seeds):
            for other in (0, 1):
                trials = int(rng.integers(1, 7))
                p = 1 / (1 + np.exp(-(-0.3 + effect * other + task_effect[task] + seed_effect[seed])))
                hits = int(rng.binomial(trials, p))
                rows.append([other, hits, trials, f"task {task}", f"seed {seed}"])
                for i in range(trials):
                    y.append(int(i < hits)); x.append(other); g1.append(task); g2.append(seed)
    y, X, g1, g2 = np.array(y), sm.add_constant(np.array(x, float)), np.array(g1), np.array(g2)
    def fit(groups):
        return sm.Logit(y, X).fit(disp=0, cov_type="cluster", cov_kwds={"groups": groups, "use_correction": True})
    alone = [fit(g).cov_params()[1, 1] for g in (g1, g2) if len(set(g)) > 1]
    both = fit(g1 * 1000 + g2).cov_params()[1, 1]
    variance = max(alone + ([sum(alone) - both] if len(alone) == 2 else []))
    units = [len(set(g)) for g in (g1, g2) if len(set(g)) > 1]
    df = sum(alone) ** 2 / sum(v**2 / (n - 1) for v, n in zip(alone, units))
    beta, se = fit(g1).params[1], np.sqrt(variance)
    t = stats.t.ppf(0.975, df)
    cases.append({"rows": rows, "ratio": float(np.exp(beta)), "low": float(np.exp(beta - t * se)), "high": float(np.exp(beta + t * se)), "p": float(2 * stats.t.sf(abs(beta) / se, df))})
families = [[0.001, 0.012, 0.021, 0.04, 0.3], [0.3, 0.01, 0.01, 0.8, 0.04, 0.039, 0.04], [0.2], list(rng.uniform(0, 0.2, 12))]
corrections = [{"p": p, "fdr": list(multipletests(p, method="fdr_bh")[1])} for p in families]
print(json.dumps({"cases": cases, "corrections": corrections}))
