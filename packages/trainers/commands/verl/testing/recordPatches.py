"""Facts of patch releases of verl that differ from a release in the reference, read from unpacked wheels.

Usage: python recordPatches.py FOLDER_OF_TREES > patchReleases.json, with hydra-core; trees are named by their release.
`losses`: aggregation that each policy loss uses (loss_agg_mode: the one that is passed); `lacks` and `adds`: keys of
ppo_trainer that the release does not have, or has besides, compared with `like`.
"""

import ast
import json
import pathlib
import sys

from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

LIKE = {"0.7.0": "0.7.1", "0.9.0": "0.9.1"}


def read_keys(tree):
    with initialize_config_dir(config_dir=str(tree / "verl/trainer/config"), version_base=None):
        found = {}

        def walk(section, prefix):
            for key, value in section.items():
                if isinstance(value, dict) and value:
                    walk(value, f"{prefix}{key}.")
                else:
                    found[f"{prefix}{key}"] = value

        walk(OmegaConf.to_container(compose(config_name="ppo_trainer"), resolve=False), "")
        return found


def read_losses(tree):
    losses = {}
    for function in ast.parse((tree / "verl/trainer/ppo/core_algos.py").read_text()).body:
        if not isinstance(function, ast.FunctionDef):
            continue
        for one in function.decorator_list:
            if isinstance(one, ast.Call) and getattr(one.func, "id", "") == "register_policy_loss":
                calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
                losses[one.args[0].value] = sorted(
                    {
                        argument.value.value if isinstance(argument.value, ast.Constant) else ast.unparse(argument.value)
                        for call in calls
                        for argument in call.keywords
                        if getattr(call.func, "id", "") == "agg_loss" and argument.arg == "loss_agg_mode"
                    }
                )
    return losses


def read_estimators(tree):
    tree = ast.parse((tree / "verl/trainer/ppo/core_algos.py").read_text())
    [names] = [one for one in tree.body if isinstance(one, ast.ClassDef) and one.name == "AdvantageEstimator"]
    return [line.value.value for line in names.body if isinstance(line, ast.Assign)]


trees = pathlib.Path(sys.argv[1]).resolve()
facts = {}
for release, like in LIKE.items():
    keys, others = read_keys(trees / release), read_keys(trees / like)
    facts[release] = {
        "like": like,
        "losses": read_losses(trees / release),
        "estimators": read_estimators(trees / release),
        "lacks": sorted(others.keys() - keys.keys()),
        "adds": {key: keys[key] for key in sorted(keys.keys() - others.keys())},
    }
print(json.dumps(facts, indent=2))
