"""Reference values for the tests of this folder, from SciPy and Optuna.

    python3 -m venv oracle && oracle/bin/pip install scipy==1.17.1 optuna==5.0.0
    oracle/bin/python server/domain/plan/search/testing/makeFixtures.py > server/domain/plan/search/testing/fixtures.json
"""

import json

import numpy as np
from optuna._hypervolume import compute_hypervolume
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers._tpe.parzen_estimator import _ParzenEstimator, _ParzenEstimatorParameters
from optuna.samplers._tpe.sampler import default_weights
from scipy import stats
from scipy.stats import qmc
from scipy.stats._sobol import _cscramble

rng = np.random.default_rng(20261123)


def sobol():
    """Points of the plain sequence, and of one whose scramble is given: rows and shift as integers, leading bit first."""
    plain = qmc.Sobol(48, scramble=False, bits=30).random(64)
    engine = qmc.Sobol(6, scramble=False, bits=30)
    powers = 2 ** np.arange(30, dtype=np.uint32)
    engine._shift = rng.integers(2, size=(6, 30), dtype=np.uint32) @ powers
    engine._quasi = engine._shift.copy()
    engine._first_point = (engine._quasi / 2**30).reshape(1, -1)
    matrices = np.tril(rng.integers(2, size=(6, 30, 30), dtype=np.uint32))
    _cscramble(dim=6, bits=30, ltm=matrices, sv=engine._sv)
    points = engine.random(32)
    rows = matrices @ powers[::-1]
    return {
        "plain": plain.tolist(),
        "scrambled": {"rows": rows.tolist(), "shift": engine._shift.tolist(), "points": points.tolist()},
    }


SPACE = {
    "x": FloatDistribution(-2, 3),
    "rate": FloatDistribution(1e-4, 1e-1, log=True),
    "n": IntDistribution(1, 60),
    "kind": CategoricalDistribution(["a", "b", "c"]),
}


def draw(size):
    return {
        "x": rng.uniform(-2, 3, size),
        "rate": 10 ** rng.uniform(-4, -1, size),
        # No value occurs twice, because Optuna does not define the order of equal values.
        "n": 1.0 + rng.permutation(60)[:size],
        "kind": rng.integers(0, 3, size).astype(float),
    }


def parzen():
    parameters = _ParzenEstimatorParameters(1.0, True, False, default_weights, True)
    cases = []
    for size in [0, 1, 2, 7, 26, 40]:
        observed, asked = draw(size), draw(8)
        estimator = _ParzenEstimator(observed, SPACE, parameters)
        log_density = estimator.log_pdf(asked)
        cases.append({
            "observed": np.stack([observed[name] for name in SPACE], 1).tolist(),
            "asked": np.stack([asked[name] for name in SPACE], 1).tolist(),
            # Density of the logarithm, for a parameter that is sampled on a logarithmic scale.
            "logDensity": log_density.tolist(),
        })
    return cases


def volumes():
    cases = []
    for dimensions in [1, 2, 3, 4]:
        points = rng.uniform(0, 1.2, (9, dimensions))
        inside = points[(points < 1).all(1)]
        volume = float(compute_hypervolume(inside, np.ones(dimensions))) if len(inside) else 0.0
        cases.append({"points": points.tolist(), "volume": volume})
    return cases


def friedman():
    cases = []
    for blocks, entries in [(6, 3), (10, 5), (8, 4)]:
        table = rng.normal(size=(entries, blocks)).round(1) + np.arange(entries)[:, None] * 0.3
        # Rounding makes ties exact: SciPy treats 0.1 + 0.2 and 0.3 as different values.
        table = table.round(1)
        test = stats.friedmanchisquare(*table)
        cases.append({"table": table.tolist(), "statistic": test.statistic, "p": test.pvalue})
    return cases


print(json.dumps({"sobol": sobol(), "parzen": parzen(), "volumes": volumes(), "friedman": friedman()}))
