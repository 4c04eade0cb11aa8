# Boundaries of group-sequential tests, written to sequentialFixtures.json.
# Run: pip download --no-deps spotify-confidence==4.1.0 && unzip spotify_confidence*.whl
#      python makeSequentialFixtures.py spotify_confidence/analysis/frequentist/sequential_bound_solver.py
# Needs numpy, scipy and pandas below 3.
# `exact`: two-sided boundaries of the studio's spending, solved with scipy's multivariate normal distribution (Genz).
# `repeated`: repeated p-values by brentq over one Gauss-Legendre rule of 400 points.
# `package`: Spotify's port of R's ldbounds for a power spending alpha * t ** phi; it ignores crossings of both sides.
import importlib.util
import json
import sys
from pathlib import Path

import numpy as np
from scipy.optimize import brentq
from scipy.stats import multivariate_normal, norm

spec = importlib.util.spec_from_file_location("solver", sys.argv[1])
solver = importlib.util.module_from_spec(spec)
spec.loader.exec_module(solver)


def exact(seeds, alpha):
    information = np.array(seeds, float)
    spent = alpha * (1 - information[0] / (2 * information))
    boundaries = [norm.isf(spent[0] / 2)]
    for k in range(1, len(seeds)):
        some = information[: k + 1]
        cov = np.sqrt(np.minimum.outer(some, some) / np.maximum.outer(some, some))
        law = multivariate_normal(cov=cov, maxpts=200_000, abseps=1e-7, releps=1e-7, seed=1)

        def excess(c):
            upper = np.array([*boundaries, c])
            return 1 - law.cdf(upper, lower_limit=-upper) - spent[k]

        boundaries.append(brentq(excess, 1.5, 6, xtol=1e-6))
    return boundaries


nodes, weights = np.polynomial.legendre.leggauss(400)


def cross(points, masses, end, deviation):
    return np.sum(masses * (norm.sf((end - points) / deviation) + norm.cdf((-end - points) / deviation)))


def repeated(p, looks):
    information = np.array(looks, float)
    share = 1 - information[0] / (2 * information)
    steps = np.sqrt(np.diff(information, prepend=0))
    observed = norm.isf(p / 2) * np.sqrt(information[-1])

    def excess(log_alpha):
        alpha = np.exp(log_alpha)
        points, masses, spent = np.array([0.0]), np.array([1.0]), 0
        for k, deviation in enumerate(steps[:-1]):
            wanted = alpha * share[k] - spent
            furthest = 9 * np.sqrt(information[k])
            end = brentq(lambda b: np.log(cross(points, masses, b, deviation) / wanted), 0, furthest, xtol=1e-13)
            masses = weights * end * [np.sum(masses * norm.pdf((x - points) / deviation)) / deviation for x in nodes * end]
            points, spent = nodes * end, alpha * share[k]
        return np.log(cross(points, masses, observed, steps[-1]) / (share[-1] - share[-2])) - log_alpha

    return 1.0 if excess(0) >= 0 else float(np.exp(brentq(excess, np.log(p) - 1, 0, xtol=1e-12)))


def package(looks, alpha, phi):
    t = np.arange(1, looks + 1) / looks
    return list(solver.bounds(t, alpha, phi, ztrun=8, sides=2).bounds)


cases = [([5, 10], 0.05), ([3, 4, 5], 0.05), ([3, 5, 12, 13], 0.05), ([5, 6, 30], 0.2)]
schedules = [[2.5, 5], [1.5, 2, 2.5], [3, 5, 12, 13], [3, 4, 5, 6, 7], list(range(3, 17)), [100, 101, 102, 150]]
ps = [0.5, 0.03, 1e-4, 1e-12]
fixtures = {
    "exact": [{"seeds": seeds, "alpha": alpha, "boundaries": exact(seeds, alpha)} for seeds, alpha in cases],
    "repeated": [{"looks": looks, "p": p, "repeated": repeated(p, looks)} for looks in schedules for p in ps],
    "package": [
        {"looks": looks, "alpha": alpha, "phi": phi, "boundaries": package(looks, alpha, phi)}
        for looks, alpha, phi in [(5, 0.05, 1), (16, 0.05, 1), (10, 0.05, 2), (4, 0.01, 3)]
    ],
}
Path(__file__).with_name("sequentialFixtures.json").write_text(json.dumps(fixtures, indent=1) + "\n")
