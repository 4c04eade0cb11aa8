"""Reference values for the tests of this folder: functional ANOVA of optuna, permutation importance of scikit-learn.

    python3 -m venv oracle && oracle/bin/pip install optuna==5.0.0 scikit-learn==1.9.1
    oracle/bin/python server/domain/analysis/hyperparameters/testing/makeFixtures.py > server/domain/analysis/hyperparameters/testing/fixtures.json

Each figure is a mean over 20 seeds of the forest with its standard deviation, from which the tests take their tolerance.
"""

import json

import numpy as np
import optuna
from optuna.importance import FanovaImportanceEvaluator
from optuna.importance._fanova._tree import _FanovaTree
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.ensemble import RandomForestRegressor
from sklearn.inspection import permutation_importance

optuna.logging.set_verbosity(optuna.logging.ERROR)
rng = np.random.default_rng(20261122)
SEEDS, TREES = 20, 128


def ishigami():
    """Ishigami and Homma 1990: of its variance .314 is x1's, .442 x2's, 0 x3's and .244 of x1 with x3."""
    x = rng.uniform(-np.pi, np.pi, (250, 3)).round(4)
    return "ishigami", x, np.sin(x[:, 0]) + 7 * np.sin(x[:, 1]) ** 2 + 0.1 * x[:, 2] ** 4 * np.sin(x[:, 0])


def learning_rate():
    """A parabola over log10 of a learning rate, deeper for one of two methods; two parameters that do nothing; noise."""
    x = np.column_stack(
        [rng.uniform(-5, -2, 120), rng.integers(0, 2, 120), rng.uniform(0, 1, 120), rng.uniform(0, 1, 120)]
    ).round(4)
    return "learningRate", x, 0.8 - 0.15 * (1 + x[:, 1]) * (x[:, 0] + 3.5) ** 2 + rng.normal(0, 0.05, 120)


def grid():
    """A grid of 2^4 with three seeds: two effects, one of both together, two parameters that do nothing; noise."""
    x = np.array([[i >> b & 1 for b in range(4)] for i in range(16) for _ in range(3)], dtype=float)
    s = 2 * x - 1
    return "grid", x, 60 + 12 * s[:, 0] + 5 * s[:, 1] + 6 * s[:, 0] * s[:, 1] + rng.normal(0, 3, 48)


class OutOfBag(BaseEstimator, RegressorMixin):
    """A forest that predicts each row of its own data by the trees that have not seen that row."""

    def __init__(self, seed=0):
        self.seed = seed

    def fit(self, x, y):
        self.forest_ = RandomForestRegressor(n_estimators=TREES, random_state=self.seed).fit(x, y)
        self.out_ = np.array([~np.isin(np.arange(len(x)), drawn) for drawn in self.forest_.estimators_samples_])
        return self

    def predict(self, x):
        each = np.array([tree.predict(x) for tree in self.forest_.estimators_])
        return (each * self.out_).sum(axis=0) / self.out_.sum(axis=0)


def evaluate(x, y, seed):
    names = [f"p{i}" for i in range(x.shape[1])]
    space = {n: optuna.distributions.FloatDistribution(float(c.min()), float(c.max())) for n, c in zip(names, x.T)}
    study = optuna.create_study()
    for row, value in zip(x, y):
        params = dict(zip(names, map(float, row)))
        study.add_trial(optuna.trial.create_trial(params=params, distributions=space, value=float(value)))
    shares = FanovaImportanceEvaluator(n_trees=TREES, seed=seed).evaluate(study)
    forest = OutOfBag(seed).fit(x, y)
    box = np.array([[c.min(), c.max()] for c in x.T])
    pairs = []
    trees = [_FanovaTree(tree.tree_, box) for tree in forest.forest_.estimators_]
    for i in range(x.shape[1]):
        for j in range(i + 1, x.shape[1]):
            beyond = [
                max(0.0, t.get_marginal_variance(np.array([i, j])) - sum(t.get_marginal_variance(np.array([k])) for k in (i, j)))
                / t.variance
                for t in trees[:PAIR_TREES]
            ]
            pairs.append(np.mean(beyond))
    permuted = permutation_importance(forest, x, y, n_repeats=20, random_state=seed)
    return {
        "score": forest.score(x, y),
        "mains": [shares[n] for n in names],
        "losses": permuted.importances_mean,
        "pairs": pairs,
    }


# Number of trees per forest for pairs, whose marginals take long. The tolerance includes the spread of so few trees.
PAIR_TREES = 6


def describe(name, x, y):
    y = y.round(5)
    seen = [evaluate(x, y, seed) for seed in range(SEEDS)]
    summary = lambda key: [np.mean([s[key] for s in seen], axis=0), np.std([s[key] for s in seen], axis=0, ddof=1)]
    return {
        "name": name,
        "inputs": x.tolist(),
        "outcomes": y.tolist(),
        **{key: np.round(summary(key), 5).tolist() for key in ("score", "mains", "losses", "pairs")},
    }


fixtures = {
    "madeBy": "server/domain/analysis/hyperparameters/testing/makeFixtures.py (its header has the command)",
    "numTrees": TREES,
    "functions": [describe(*make()) for make in (ishigami, learning_rate, grid)],
}
print(json.dumps(fixtures))
