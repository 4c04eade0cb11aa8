"""Reference values for the tests of this folder, from SciPy, rliable, lifelines and statsmodels.

    python3 -m venv oracle && oracle/bin/pip install scipy==1.17.1 rliable==1.2.0 lifelines==0.30.3 statsmodels==0.15.0
    oracle/bin/python packages/statistics/testing/makeFixtures.py > packages/statistics/testing/fixtures.json
"""

import itertools
import json
import os
import warnings

os.environ.setdefault("MPLBACKEND", "Agg")
warnings.filterwarnings("ignore")

import lifelines
import numpy as np
import rliable
import scipy
import statsmodels
from lifelines.statistics import logrank_test
from lifelines.utils import restricted_mean_survival_time
from rliable import library, metrics
from scipy import special, stats
from statsmodels.duration.survfunc import survdiff
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestIndPower

rng = np.random.default_rng(20261121)


def listed(x):
    """Arrays as lists of full-precision numbers, NaN as null."""
    if isinstance(x, np.ndarray):
        return [listed(y) for y in x.tolist()]
    if isinstance(x, (list, tuple)):
        return [listed(y) for y in x]
    x = float(x)
    return None if np.isnan(x) else x


def distributions():
    dfs = [1, 2, 2.5, 3, 4, 6.140382, 9, 17.3, 40, 300, 5000, 1e6]
    t = [[df, x, stats.t.sf(x, df)] for df in dfs for x in [-3, 0, 0.01, 0.7, 1.96, 4, 12, 60]]
    quantiles = [[df, p, stats.t.ppf(p, df)] for df in dfs for p in [0.001, 0.3, 0.6, 0.9, 0.975, 0.9999]]
    f = [
        [a, b, x, stats.f.sf(x, a, b)]
        for a in [1, 2, 5, 11, 40]
        for b in [1, 4, 9.5, 48, 1000]
        for x in [0.01, 0.5, 1, 3.3, 20, 300]
    ]
    chi = [[df, x, stats.chi2.sf(x, df)] for df in [1, 2, 3, 7, 30, 200, 4000] for x in [0.01, 0.7, 3.84, 20, 210, 4100]]
    chi_quantiles = [[df, p, stats.chi2.ppf(p, df)] for df in [2, 6, 8, 41, 900] for p in [0.025, 0.5, 0.975]]
    normal = [[z, stats.norm.sf(z)] for z in [-8, -1, 0, 0.3, 1, 1.96, 4, 9, 30]]
    beta = [
        [a, b, x, special.betainc(a, b, x)]
        for a in [0.5, 1, 3, 12.5, 500]
        for b in [0.5, 2, 9, 700]
        for x in [0.001, 0.2, 0.41, 0.5, 0.97]
    ]
    return {
        "tTails": listed(t),
        "tQuantiles": listed(quantiles),
        "fTails": listed(f),
        "chiSquareTails": listed(chi),
        "chiSquareQuantiles": listed(chi_quantiles),
        "normalTails": listed(normal),
        "incompleteBetas": listed(beta),
        "logGammas": listed([[x, special.gammaln(x)] for x in [0.01, 0.5, 1.5, 7, 10, 33.3, 1e4]]),
    }


def cohen(x, y):
    pooled = ((len(x) - 1) * x.var(ddof=1) + (len(y) - 1) * y.var(ddof=1)) / (len(x) + len(y) - 2)
    return (x.mean() - y.mean()) / np.sqrt(pooled)


def pair(x, y):
    welch = stats.ttest_ind(x, y, equal_var=False)
    interval = welch.confidence_interval()
    difference = abs(x.mean() - y.mean())
    n = len(x)
    permutation = stats.permutation_test(
        (x, y),
        lambda a, b, axis: np.abs(a.mean(axis=axis) - b.mean(axis=axis)),
        vectorized=True,
        n_resamples=np.inf,
        alternative="greater",
    )
    tied = len(set(x) | set(y)) < len(x) + len(y)
    # SciPy's own exact method does not support ties; its permutation method does.
    every = stats.PermutationMethod(n_resamples=np.inf)
    mwu = stats.mannwhitneyu(x, y, method=every if tied else "exact")
    asymptotic = stats.mannwhitneyu(x, y, method="asymptotic")
    wins = [(1 if a > b else 0.5 if a == b else 0) for a in x for b in y]
    out = {
        "x": listed(x),
        "y": listed(y),
        "welch": listed([welch.statistic, welch.df, welch.pvalue, interval.low, interval.high]),
        "mannWhitney": listed([mwu.statistic, mwu.pvalue, asymptotic.pvalue]),
        "permutation": float(permutation.pvalue),
        "cohenD": float(cohen(x, y)),
        "winShare": float(np.mean(wins)),
        "paired": None,
    }
    if len(x) == len(y):
        test = stats.ttest_rel(x, y)
        out["paired"] = listed([test.statistic, test.df, test.pvalue])
    assert difference >= 0 and n > 1
    return out


def pairs():
    made = [
        (np.array([72.4, 75.1, 69.8, 78.0, 74.2]), np.array([61.0, 70.3, 55.4, 66.8, 63.5])),
        (np.array([0.9, 0.91, 0.88]), np.array([0.2, 0.87, 0.86])),
        # The third pair has ties, unequal sizes, and a collapsed seed.
        (np.array([0.5, 0.5, 0.6, 0.7]), np.array([0.5, 0.4, 0.6, 0.0, 0.3, 0.5])),
    ]
    for n, m, shift in [(3, 3, 1.0), (4, 6, 0.2), (8, 8, 1.5), (7, 5, -0.8), (10, 9, 0.6)]:
        made.append((np.round(rng.normal(shift, 1, n), 6), np.round(rng.normal(0, 1.4, m), 6)))
    return [pair(x, y) for x, y in made]


def tied():
    """100 pairs of small samples full of ties: Mann–Whitney and the difference of means over all permutations."""
    own = np.random.default_rng(13)
    every = stats.PermutationMethod(n_resamples=np.inf)
    made = [([0, 0, 0], [1, 1, 1]), ([0, 0, 0, 0, 0], [1, 1, 1, 1, 1]), ([0.5, 0.5], [0.5, 0.5, 0.5])]
    while len(made) < 100:
        n, m = own.integers(2, 8, 2)
        # Success rates over few episodes. Half of them are shifted by 10^6, which must not change the results.
        step, offset = own.choice([3, 8, 20]), own.choice([0, 1e6])
        made.append((own.integers(0, step + 1, n) / step + offset, own.integers(0, step + 1, m) / step + offset))
    out = []
    for x, y in made:
        x, y = np.asarray(x, float), np.asarray(y, float)
        u = stats.mannwhitneyu(x, y, method=every)
        # The rates become whole numbers, so that rounding does not separate tied means.
        a, b = np.round((x - min(x.min(), y.min())) * 120), np.round((y - min(x.min(), y.min())) * 120)
        means = stats.permutation_test(
            (a, b),
            lambda v, w, axis: np.abs(v.sum(axis=axis) * w.shape[axis] - w.sum(axis=axis) * v.shape[axis]),
            vectorized=True,
            n_resamples=np.inf,
            alternative="greater",
        )
        out.append({"x": listed(x), "y": listed(y), "u": float(u.statistic), "mannWhitney": float(u.pvalue), "means": float(means.pvalue)})
    return out


def rates():
    out = []
    for k, n in [(0, 5), (2, 5), (5, 5), (18, 20), (1, 3), (7, 400)]:
        wilson = stats.binomtest(k, n).proportion_ci(method="wilson")
        out.append({"k": k, "n": n, "wilson": listed([wilson.low, wilson.high])})
    return out


def fisher():
    tables = [(0, 5, 4, 5), (0, 3, 3, 3), (1, 10, 7, 12), (2, 5, 2, 5), (30, 60, 11, 55), (0, 4, 0, 9)]
    tables += [(300, 600, 250, 550), (1200, 3000, 1100, 3100), (5, 4000, 40, 5000), (2000, 5000, 1000, 5000)]
    return [[*t, float(stats.fisher_exact([[t[0], t[1] - t[0]], [t[2], t[3] - t[2]]]).pvalue)] for t in tables]


def corrections():
    sets = [[0.001, 0.012, 0.021, 0.04, 0.3], [0.3, 0.01, 0.01, 0.8, 0.04, 0.039, 0.04], [0.2], listed(rng.uniform(0, 0.2, 12))]
    return [{"p": p, "holm": listed(multipletests(p, method="holm")[1])} for p in sets]


def powers():
    solve = TTestIndPower()
    made = [[d, n, float(solve.power(d, n, 0.05))] for d in [0.2, 1, 1.5, 3] for n in [2, 3, 5, 8, 10, 30]]
    # SciPy's non-central t distribution returns NaN for the last combination.
    return [row for row in made if not np.isnan(row[2])]


def survival():
    made = []
    for size in [6, 12, 40]:
        time = np.round(rng.exponential(100, size)).astype(int) + 1
        event = rng.uniform(size=size) < 0.6
        event[0] = True
        made.append((time, event))
    made.append((np.array([12, 20, 50]), np.array([True, True, False])))
    # The last observation is an event, so survival ends at 0.
    made.append((np.array([5, 5, 9, 9, 14]), np.array([True, False, True, True, True])))
    out = []
    for time, event in made:
        fit = lifelines.KaplanMeierFitter().fit(time, event)
        low, high = fit.confidence_interval_.T.to_numpy()
        horizon = 50
        value, variance = restricted_mean_survival_time(fit, t=horizon, return_variance=True)
        censored = stats.CensoredData(uncensored=time[event], right=time[~event])
        step = stats.ecdf(censored).sf
        assert np.allclose(fit.predict(step.quantiles).to_numpy(), step.probabilities)
        out.append(
            {
                "time": [int(t) for t in time],
                "isEvent": [bool(e) for e in event],
                "at": [int(t) for t in fit.timeline[1:]],
                "survival": listed(fit.survival_function_.to_numpy()[1:, 0]),
                "low": listed(low[1:]),
                "high": listed(high[1:]),
                "restricted": [horizon, float(value), float(np.sqrt(variance))],
            }
        )
    tests = []
    for i, j in [(0, 1), (1, 2), (0, 2), (3, 4)]:
        (ta, ea), (tb, eb) = made[i], made[j]
        test = logrank_test(ta, tb, ea, eb)
        other = stats.logrank(
            stats.CensoredData(uncensored=ta[ea], right=ta[~ea]), stats.CensoredData(uncensored=tb[eb], right=tb[~eb])
        )
        assert np.isclose(test.p_value, other.pvalue)
        tests.append([i, j, float(test.test_statistic), float(test.p_value)])
    return {"samples": out, "logRanks": tests, "stratified": stratified(), "paired": paired()}


def stratified():
    """Stratified log-rank by statsmodels, and for few events the share of all dealings within strata as far off."""
    # A separate random stream, so that the other fixtures do not change.
    draws = np.random.default_rng(20261123)
    out = []
    for sizes, rate in [([(9, 8), (12, 12), (5, 10)], 0.6), ([(4, 4), (4, 4)], 0.6), ([(6, 5)], 0.7), ([(20, 20)], 0.5)]:
        strata = []
        for nx, ny in sizes:
            time = np.round(draws.exponential(40, nx + ny)).astype(int) + 1
            strata.append((np.minimum(time, 80), (draws.uniform(size=nx + ny) < rate) & (time < 80), nx))
        time = np.concatenate([t for t, _, _ in strata])
        event = np.concatenate([e for _, e, _ in strata])
        group = np.concatenate([np.arange(len(t)) < nx for t, _, nx in strata])
        stratum = np.concatenate([np.full(len(t), i) for i, (t, _, _) in enumerate(strata)])
        chi, p = survdiff(time, event.astype(int), group.astype(int), strata=stratum if len(strata) > 1 else None)
        few = event.sum() < 10
        out.append(
            {
                "strata": [
                    {"time": [int(t) for t in ts], "isEvent": [bool(e) for e in es], "numOfX": nx} for ts, es, nx in strata
                ],
                "chiSquare": float(chi),
                "p": float(permuted(strata) if few else p),
                "numEvents": int(event.sum()),
            }
        )
    return out


def excess(time, event, chosen):
    """Observed less expected events of the chosen runs of one stratum."""
    total = 0.0
    for t in np.unique(time[event]):
        risk = time >= t
        met = event & (time == t)
        total += met[chosen].sum() - met.sum() * risk[chosen].sum() / risk.sum()
    return total


def permuted(strata):
    ways = []
    for time, event, nx in strata:
        ways.append([excess(time, event, list(c)) for c in itertools.combinations(range(len(time)), nx)])
    reached = abs(sum(way[0] for way in ways))
    sums = np.array([sum(one) for one in itertools.product(*ways)])
    return np.mean(np.abs(sums) >= reached - 1e-9)


def paired():
    """BCa intervals of the mean difference of pairs: over all resamples where they are few, drawn by SciPy elsewhere."""
    draws = np.random.default_rng(20261124)
    out = []
    for n in [4, 5, 20]:
        x, y = np.round(draws.exponential(40, n)), np.round(draws.exponential(25, n))
        d = x - y
        if n < 6:
            means = np.sort([np.mean(c) for c in itertools.product(d, repeat=n)])
            share = (np.sum(means < d.mean()) + np.sum(means <= d.mean())) / (2 * len(means))
            z0 = special.ndtri(share)
            left = np.array([np.delete(d, i).mean() for i in range(n)])
            u = left.mean() - left
            a = (u**3).sum() / (6 * (u**2).sum() ** 1.5)
            shares = [special.ndtr(z0 + (z0 + z) / (1 - a * (z0 + z))) for z in special.ndtri([0.025, 0.975])]
            low, high = [means[int(np.ceil(s * len(means) - 1e-9)) - 1] for s in shares]
        else:
            made = stats.bootstrap(
                (x, y), lambda a, b, axis: (a - b).mean(axis=axis), paired=True, n_resamples=200_000, method="BCa", rng=draws
            )
            low, high = made.confidence_interval
        out.append({"x": listed(x), "y": listed(y), "interval": [float(low), float(high)]})
    return out


def pooled():
    """rliable's aggregates and stratified bootstrap: 50,000 resamples, percentile intervals."""
    s = np.array([[0.20, 0.55, 0.90], [0.40, 0.60, 0.95], [0.30, 0.10, 1.0], [0.25, 0.65, 0.85]])
    t = np.array([[0.15, 0.50, 0.70], [0.35, 0.45, 0.80], [0.10, 0.40, 0.95], [0.20, 0.58, 0.75]])
    u = np.round(rng.beta(4, 2, (10, 6)), 4)
    v = np.round(rng.beta(3, 2, (8, 6)), 4)
    taus = np.array([0.1, 0.25, 0.5, 0.75, 0.9])
    out = []
    for x, y in [(s, t), (u, v)]:
        aggregates = {
            "iqm": metrics.aggregate_iqm,
            "mean": metrics.aggregate_mean,
            "median": metrics.aggregate_median,
            "optimalityGap": metrics.aggregate_optimality_gap,
        }
        np.random.seed(1)
        estimates, intervals = library.get_interval_estimates(
            {"x": x}, lambda z: np.array([f(z) for f in aggregates.values()]), reps=50000
        )
        better, better_interval = library.get_interval_estimates(
            {"xy": (x, y)}, metrics.probability_of_improvement, reps=20000
        )
        profiles, _ = library.create_performance_profile({"x": x}, taus, reps=2000)
        out.append(
            {
                "x": listed(x.T),
                "y": listed(y.T),
                "aggregates": {
                    name: [float(estimates["x"][i]), *listed(intervals["x"][:, i])] for i, name in enumerate(aggregates)
                },
                "improvement": [float(np.asarray(better["xy"]).item()), *listed(np.asarray(better_interval["xy"]).ravel())],
                "thresholds": listed(taus),
                "profile": listed(profiles["x"]),
            }
        )
    return out


def selection():
    """E[max of k binomial rates] − p by summing the distribution function."""
    out = []
    for p, n, k in [(0.7, 128, 20), (0.7, 128, 40), (0.05, 64, 10), (0.5, 16, 3)]:
        cdf = stats.binom.cdf(np.arange(n), n, p)
        out.append([p, n, k, float(np.sum(1 - cdf**k) / n - p)])
    return out


fixtures = {
    "madeBy": "packages/statistics/testing/makeFixtures.py (its header has the command)",
    "versions": {
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "rliable": getattr(rliable, "__version__", "1.2.0"),
        "lifelines": lifelines.__version__,
        "statsmodels": statsmodels.__version__,
    },
    "distributions": distributions(),
    "pairs": pairs(),
    "tied": tied(),
    "rates": rates(),
    "fisher": fisher(),
    "corrections": corrections(),
    "powers": powers(),
    "survival": survival(),
    "pooled": pooled(),
    "selection": selection(),
}
print(json.dumps(fixtures, indent=None, separators=(",", ":")).replace('},{', '},\n{').replace('],"', '],\n"'))
