"""Losses and gradients of verl's own functions, under the configuration that Hydra composes of a command.

stdin: {"tree": folder of a release, "commands": [{"overrides": [...], "batches": [{matrices (B, T), "groups", "rewards"}]}]}
stdout: RESULT and, by command and batch, {"loss", "gradient", "advantages"}, in double precision.
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


def evaluate(cfg, batch):
    actor = omega_conf_to_dataclass(cfg.actor_rollout_ref.actor)
    actor.global_batch_info["loss_scale_factor"] = actor.loss_scale_factor
    mask, old, sampler = matrix(batch["mask"]), matrix(batch["old"]), matrix(batch["sampler"])
    new = matrix(batch["new"]).requires_grad_()
    rewards = torch.zeros_like(old)
    for row, reward in enumerate(batch["rewards"]):
        rewards[row, int(mask[row].sum()) - 1] = reward
    estimate = core_algos.get_adv_estimator_fn(cfg.algorithm.adv_estimator)
    advantages, _ = estimate(
        token_level_rewards=rewards,
        response_mask=mask,
        index=numpy.array(batch["groups"]),
        norm_adv_by_std_in_grpo=cfg.algorithm.norm_adv_by_std_in_grpo,
        config=cfg.algorithm,
    )
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
    loss, _ = core_algos.get_policy_loss_fn(actor.policy_loss.get("loss_mode", "vanilla"))(
        old_log_prob=old,
        log_prob=new,
        advantages=advantages,
        response_mask=kept,
        loss_agg_mode=actor.loss_agg_mode,
        config=actor,
        rollout_is_weights=weights,
    )
    loss.backward()
    return {"loss": loss.item(), "gradient": new.grad.tolist(), "advantages": advantages.tolist()}


results = []
with initialize_config_dir(config_dir=f"{given['tree']}/verl/trainer/config", version_base=None):
    for command in given["commands"]:
        cfg = compose(config_name="ppo_trainer", overrides=command["overrides"])
        results.append([evaluate(cfg, batch) for batch in command["batches"]])
print("RESULT" + json.dumps(results))
