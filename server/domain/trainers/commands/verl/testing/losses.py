"""Losses and gradients of verl's own functions, under the configuration that Hydra composes of a command.

stdin: {"tree": folder of a release, "commands": [{"overrides": [...], "batches": [{matrices (B, T), "groups", "rewards"}]}]}
A batch may have `steps` {"groups", "rewards", "weight"}: advantages in its step groups are added (GiGPO).
stdout: RESULT and, by command and batch, {"loss", "gradient", "advantages", "tokens"}, in double precision. `tokens` are
(B, T) values inside the loss function: ratio, loss, and 1 where the loss is clipped, above or below, or by the dual clip.
"""

import json
import sys

from absentPackages import replace_packages

given = json.load(sys.stdin)
replace_packages("ray")
sys.path.insert(0, given["tree"])

import numpy  # noqa: E402
import torch  # noqa: E402
from hydra import compose, initialize_config_dir  # noqa: E402
from verl.trainer.ppo import core_algos  # noqa: E402
from verl.trainer.ppo.rollout_corr_helper import compute_rollout_correction_and_rejection_mask  # noqa: E402
from verl.utils.config import omega_conf_to_dataclass  # noqa: E402


def matrix(rows):
    return torch.tensor(rows, dtype=torch.float64)


def call_watched(function, **arguments):
    """Result of a function, and its local variables when it returned."""
    found = {}

    def see(frame, event, _):
        if event == "return" and frame.f_code is function.__code__:
            found.update(frame.f_locals)

    sys.setprofile(see)
    try:
        return function(**arguments), found
    finally:
        sys.setprofile(None)


def tokens_of(found):
    ratio = found.get("seq_importance_ratio", found.get("ratio"))
    if ratio is None:
        return None
    none = torch.zeros_like(ratio)
    clipped, dual = none, none
    if "pg_losses2" in found:
        clipped = found["pg_losses2"] > found["pg_losses1"]
    if "clipped_ratio" in found:
        clipped = found["ratio"] != found["clipped_ratio"]
    if "pg_losses3" in found:
        dual = (found["clip_pg_losses1"] > found["pg_losses3"]) & (found["advantages"] < 0)
    values = {"ratio": ratio, "loss": found["pg_losses"], "clipped": clipped.double(), "dual": dual.double()}
    return {name: value.tolist() for name, value in values.items()}


def advantages_of(cfg, mask, groups, rewards):
    scores = torch.zeros_like(mask)
    for row, reward in enumerate(rewards):
        scores[row, int(mask[row].sum()) - 1] = reward
    return core_algos.get_adv_estimator_fn(cfg.algorithm.adv_estimator)(
        token_level_rewards=scores,
        response_mask=mask,
        index=numpy.array(groups),
        norm_adv_by_std_in_grpo=cfg.algorithm.norm_adv_by_std_in_grpo,
        config=cfg.algorithm,
    )[0]


def evaluate(cfg, batch):
    actor = omega_conf_to_dataclass(cfg.actor_rollout_ref.actor)
    actor.global_batch_info["loss_scale_factor"] = actor.loss_scale_factor
    mask, old, sampler = matrix(batch["mask"]), matrix(batch["old"]), matrix(batch["sampler"])
    new = matrix(batch["new"]).requires_grad_()
    advantages = advantages_of(cfg, mask, batch["groups"], batch["rewards"])
    if steps := batch.get("steps"):
        # A state that occurs once has no step advantage; verl's estimator would return its score.
        shared = torch.tensor([[steps["groups"].count(group) > 1] for group in steps["groups"]])
        added = advantages_of(cfg, mask, steps["groups"], steps["rewards"])
        advantages = advantages + steps["weight"] * added * shared
    weights, kept = None, mask
    correction = cfg.algorithm.rollout_correction
    if correction.rollout_is is not None or correction.rollout_rs is not None:
        found, kept, _ = compute_rollout_correction_and_rejection_mask(
            old_log_prob=old,
            rollout_log_prob=sampler,
            response_mask=mask,
            rollout_is=correction.rollout_is,
            rollout_is_threshold=correction.rollout_is_threshold,
            rollout_is_batch_normalize=correction.rollout_is_batch_normalize,
            rollout_rs=correction.rollout_rs,
            rollout_rs_threshold=correction.rollout_rs_threshold,
        )
        weights = None if found is None else found.batch["rollout_is_weights"]
    function = core_algos.get_policy_loss_fn(actor.policy_loss.get("loss_mode", "vanilla"))
    (loss, _), found = call_watched(
        function,
        old_log_prob=old,
        log_prob=new,
        advantages=advantages,
        response_mask=kept,
        loss_agg_mode=actor.loss_agg_mode,
        config=actor,
        rollout_is_weights=weights,
    )
    loss.backward()
    return {
        "loss": loss.item(),
        "gradient": new.grad.tolist(),
        "advantages": advantages.tolist(),
        "tokens": tokens_of(found),
    }


results = []
with initialize_config_dir(config_dir=f"{given['tree']}/verl/trainer/config", version_base=None):
    for command in given["commands"]:
        cfg = compose(config_name="ppo_trainer", overrides=command["overrides"])
        results.append([evaluate(cfg, batch) for batch in command["batches"]])
print("RESULT" + json.dumps(results))
