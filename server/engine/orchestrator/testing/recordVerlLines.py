"""Prints the lines that verl prints, from verl's own code without a GPU, as facts for tests.

Usage: python recordVerlLines.py FOLDER_OF_AN_UNPACKED_WHEEL
stdout: RESULT and {"release", "numpy", "evaluated": {reward: names}, "lines": [printed lines of a run of 2 steps]}.

"evaluated": names that an evaluation logs, by what the reward function returns. "lines": only of releases with the
trainer `verl.trainer.ppo.v1`, whose loop is run as it is; made up are the responses, the store between processes, and
the model's output. Names, order and format of a line are verl's.
"""

import asyncio
import contextlib
import io
import json
import pathlib
import sys
import tempfile
from functools import partial
from types import SimpleNamespace
from unittest.mock import MagicMock

SOURCE = "openai/gsm8k"
REWARDS = {
    "number": "def compute_score(data_source, solution_str, ground_truth, extra_info=None):\n    return float(solution_str == ground_truth)\n",
    "dictionary": "def compute_score(data_source, solution_str, ground_truth, extra_info=None):\n    return {'score': float(solution_str == ground_truth), 'format': 1.0}\n",
    "dictionaryWithAcc": "def compute_score(data_source, solution_str, ground_truth, extra_info=None):\n    return {'score': 0.9 * (solution_str == ground_truth), 'acc': float(solution_str == ground_truth)}\n",
}


tree = pathlib.Path(sys.argv[1]).resolve()
release = (tree / "verl/version/version").read_text().strip()
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "domain/trainers/commands/verl/testing"))
from absentPackages import replace_packages  # noqa: E402

replace_packages("ray", "transfer_queue", "vllm", "sglang")
sys.path.insert(0, str(tree))


class Keys(SimpleNamespace):
    """Rows in the store between processes."""

    def __len__(self):
        return len(self.keys)

    def reorder(self, order):
        self.keys, self.tags = [self.keys[i] for i in order], [self.tags[i] for i in order]


import ray  # noqa: E402
import transfer_queue  # noqa: E402

transfer_queue.KVBatchMeta = Keys
transfer_queue.BatchMeta = type("BatchMeta", (), {})
# Functions and classes for other processes stay usable in this one.
ray.remote = lambda *given, **_: given[0] if given and callable(given[0]) else (lambda target: target)

import numpy as np  # noqa: E402
import torch  # noqa: E402
from hydra import compose, initialize_config_dir  # noqa: E402
from omegaconf import OmegaConf, open_dict  # noqa: E402
from tensordict import TensorDict  # noqa: E402
from verl import DataProto  # noqa: E402

PROMPT, GROUP = 4, 2
LOSSES = ["gspo", "sapo", "cispo"]


def configure(reward, loss="vanilla"):
    file = pathlib.Path(tempfile.mkdtemp()) / "reward.py"
    file.write_text(reward)
    with initialize_config_dir(config_dir=str(tree / "verl/trainer/config"), version_base=None):
        config = compose(
            config_name="ppo_trainer",
            overrides=[
                f"actor_rollout_ref.rollout.n={GROUP}",
                "actor_rollout_ref.actor.use_kl_loss=True",
                f"actor_rollout_ref.actor.policy_loss.loss_mode={loss}",
                "actor_rollout_ref.actor.ppo_mini_batch_size=4",
                "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4",
                "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=4",
                "actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu=4",
                "data.train_batch_size=4",
                "algorithm.adv_estimator=grpo",
                "trainer.logger=[console]",
                "trainer.n_gpus_per_node=8",
                "trainer.test_freq=2",
                "trainer.save_freq=2",
            ],
        )
    with open_dict(config):
        section = config.custom_reward_function if "reward" not in config else config.reward.custom_reward_function
        section.path, section.name = str(file), "compute_score"
    return config


tokenizer = SimpleNamespace(
    pad_token_id=0,
    eos_token_id=1,
    # The first token of a response is its answer.
    decode=lambda ids, skip_special_tokens=True: str(int(ids[0])) if len(ids) else "",
)


def make_judge(config):
    """verl's reward manager with its reward function: returns the score and what the manager says about a response."""
    from verl.experimental.reward_loop.reward_manager.naive import NaiveRewardManager
    from verl.trainer.ppo.reward import get_custom_reward_fn

    manager = object.__new__(NaiveRewardManager)
    manager.tokenizer, manager.compute_score = tokenizer, get_custom_reward_fn(config)
    manager.is_async_reward_score = False
    manager.reward_router_address = manager.reward_model_tokenizer = None

    def judge(response, truth):
        async def ask():
            manager.loop = asyncio.get_running_loop()
            return await manager.run_single(
                DataProto.from_dict(
                    tensors={
                        "responses": response[None],
                        "attention_mask": torch.ones(1, PROMPT + len(response), dtype=torch.int64),
                    },
                    non_tensors={
                        "data_source": np.array([SOURCE], dtype=object),
                        "reward_model": np.array([{"ground_truth": truth}], dtype=object),
                        "extra_info": np.array([{}], dtype=object),
                    },
                )
            )

        result = asyncio.run(ask())
        return result["reward_score"], result["reward_extra_info"]

    return judge


responses = [torch.tensor([answer, 5, 6, 7, 8, 1][: 4 + answer]) for answer in (1, 2, 1, 2)]
truths = ["1", "1", "2", "2"]


def evaluate(config):
    """Metrics of an evaluation, by name."""
    judged = [make_judge(config)(*one) for one in zip(responses, truths)]
    infos = {"reward": [score for score, _ in judged]}
    for key in judged[0][1]:
        infos[key] = [extra[key] for _, extra in judged]
    trainer = find_trainer()
    if not hasattr(trainer, "_val_metrics_update"):
        return validate_whole(trainer, config, infos)
    sources = np.array([SOURCE] * len(judged), dtype=object)
    turns = [2] * len(judged) if find_v1() else [np.array([2] * len(judged))]
    return trainer._val_metrics_update(SimpleNamespace(), sources, ["a", "b", "c", "d"], infos, turns)


def validate_whole(trainer, config, infos):
    """The evaluation of 0.7.0, whose names are computed in one function with the sampling."""
    width = max(map(len, responses))
    padded = torch.stack([torch.nn.functional.pad(one, (0, width - len(one))) for one in responses])

    def generate(batch):
        scores = torch.zeros(len(responses), width)
        scores[:, -1] = torch.tensor(infos["reward"])
        extra = {key: np.array(values, dtype=object) for key, values in infos.items() if key != "reward"}
        return DataProto.from_dict(
            tensors={"prompts": torch.ones(len(responses), PROMPT, dtype=torch.int64), "responses": padded, "rm_scores": scores},
            non_tensors={**extra, "__num_turns__": np.array([2] * len(responses), dtype=np.int32)},
            meta_info={"reward_extra_keys": list(extra)},
        )

    fake = SimpleNamespace(
        config=config,
        tokenizer=tokenizer,
        global_steps=0,
        async_rollout_mode=True,
        val_reward_fn=None,
        async_rollout_manager=SimpleNamespace(generate_sequences=generate),
        _maybe_log_val_generations=lambda **_: None,
        val_dataloader=[
            {
                "input_ids": torch.ones(len(responses), PROMPT, dtype=torch.int64),
                "data_source": np.array([SOURCE] * len(responses), dtype=object),
                "reward_model": np.array([{"ground_truth": one} for one in truths], dtype=object),
            }
        ],
    )
    with open_dict(config):
        config.actor_rollout_ref.rollout.agent.num_workers = 1
    for name in ("_get_gen_batch", "_compute_or_extract_reward"):
        setattr(fake, name, getattr(trainer, name).__get__(fake))
    with contextlib.redirect_stdout(io.StringIO()):
        return trainer._validate(fake)


def find_v1():
    return (tree / "verl/trainer/ppo/v1").is_dir()


def find_trainer():
    if find_v1():
        from verl.trainer.ppo.v1.trainer_sync import PPOTrainerSync

        return PPOTrainerSync
    from verl.trainer.ppo.ray_trainer import RayPPOTrainer

    return RayPPOTrainer


class Store:
    """The store between processes, as a dictionary of rows."""

    def __init__(self):
        self.rows, self.tags = {}, {}

    def kv_batch_put(self, keys, partition_id, fields=None, tags=None):
        for field in [] if fields is None else fields.keys():
            values = fields[field]
            for key, value in zip(keys, values.unbind() if isinstance(values, torch.Tensor) else values):
                self.rows.setdefault(key, {})[field] = value
        self.tags.update(zip(keys, tags or []))
        return Keys(keys=list(keys), partition_id=partition_id, tags=[self.tags[key] for key in keys], extra_info={})

    def kv_batch_get(self, keys, partition_id, select_fields):
        from verl.utils import tensordict_utils as tu

        there = {}
        for field in select_fields:
            values = [self.rows[key].get(field) for key in keys]
            if any(value is None for value in values):
                continue
            whole = isinstance(values[0], torch.Tensor) and values[0].dim() > 0
            there[field] = torch.nested.as_nested_tensor(values, layout=torch.jagged) if whole else values
        return tu.get_tensordict(there)

    def kv_clear(self, keys, partition_id):
        pass


def run_loop(config):
    """Lines that the whole loop prints: an evaluation, a step, and a step with an evaluation."""
    from verl.trainer.ppo.v1 import trainer_base
    from verl.utils import tensordict_utils as tu
    from verl.utils.config import omega_conf_to_dataclass
    from verl.utils.py_functional import append_to_dict
    from verl.workers import engine_workers
    from verl.workers.engine.base import BaseEngine
    from verl.workers.utils.losses import ppo_loss

    torch.manual_seed(1)
    store, judge = Store(), make_judge(config)
    trainer_base.tq, trainer_base.KVBatchMeta = store, Keys
    actor_config = omega_conf_to_dataclass(config.actor_rollout_ref.actor)

    submitted = []

    def generate(batch):
        submitted[:] = [str(uid) for uid in batch["uid"]]

    def sample(global_steps, partition_id, batch_size):
        rows, keys = [], []
        for i, (response, truth) in enumerate(zip(responses, truths)):
            score, extra = judge(response, truth)
            rewards = torch.zeros(len(response))
            rewards[-1] = score
            length = PROMPT + len(response)
            for session in range(1 if partition_id == "val" else GROUP):
                uid = submitted[i] if partition_id == "val" else f"prompt{i}"
                keys.append(f"{uid}_{session}_0")
                rows.append(
                    {
                        "uid": uid,
                        "prompts": torch.full((PROMPT,), 3),
                        "responses": response,
                        "response_mask": torch.ones(len(response), dtype=torch.int64),
                        "rm_scores": rewards * (session + 1),
                        "log_probs": -torch.rand(length),
                        "entropy": torch.rand(length),
                        "rollout_log_probs": -torch.rand(len(response)),
                        "num_turns": 2,
                        "data_source": SOURCE,
                        "reward_model": {"ground_truth": truth},
                        "extra_fields": {"reward_extra_info": extra},
                    }
                )
        store.rows.update(zip(keys, rows))
        steps = max(0, global_steps - 1)
        tags = [{"seq_len": PROMPT + len(row["responses"]), "min_global_steps": steps, "max_global_steps": steps} for row in rows]
        store.tags.update(zip(keys, tags))
        return Keys(keys=keys, partition_id=partition_id, tags=tags, extra_info={}), {}

    class Engine(BaseEngine):
        """A model whose output is made up; everything around it is verl's."""

        def __init__(self):
            pass

        get_data_parallel_group = lambda self: torch.distributed.group.WORLD  # noqa: E731
        get_data_parallel_size = lambda self: 1  # noqa: E731
        get_data_parallel_rank = lambda self: 0  # noqa: E731
        is_mp_src_rank_with_outputs = lambda self: True  # noqa: E731
        optimizer_zero_grad = lambda self: None  # noqa: E731
        optimizer_step = lambda self: 0.5  # noqa: E731
        lr_scheduler_step = lambda self: actor_config.optim.lr  # noqa: E731
        train_mode = lambda self, **_: contextlib.nullcontext()  # noqa: E731

        def forward_backward_batch(self, data, loss_function, forward_only=False):
            tu.assign_non_tensor(data, dp_size=1, batch_num_tokens=None, global_batch_size=None)
            lengths = data["prompts"].offsets().diff() + data["responses"].offsets().diff()
            made_up = torch.nested.as_nested_tensor([-torch.rand(int(n)) for n in lengths], layout=torch.jagged)
            loss, metrics = loss_function(model_output={"log_probs": made_up}, data=data, dp_group=None)
            collected = {}
            append_to_dict(collected, metrics)
            return {"model_output": {}, "loss": [loss.item()], "metrics": collected}

    if not torch.distributed.is_initialized():
        torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
    # The mean over one process; its backend has no such reduction.
    torch.distributed.all_reduce = lambda *_, **__: None
    engine_workers.get_torch_device = lambda: MagicMock(
        max_memory_allocated=lambda: 2**30, max_memory_reserved=lambda: 2**31
    )
    worker = object.__new__(engine_workers.TrainingWorker)
    vars(worker).update(
        engine=Engine(),
        engine_config=MagicMock(forward_only=False),
        model_config={},
        device_name="cpu",
        flops_counter=SimpleNamespace(estimate_flops=lambda *_, **__: (1.0, 2.0)),
        loss_fn=partial(ppo_loss, config=actor_config),
        profiler=MagicMock(check_enable=lambda: False),
    )

    def update(batch):
        fields = ["prompts", "responses", "response_mask", "old_log_probs", "advantages", "ref_log_prob"]
        data = store.kv_batch_get(batch.keys, batch.partition_id, fields)
        tokens = [torch.cat(pair) for pair in zip(data["prompts"].unbind(), data["responses"].unbind())]
        data["input_ids"] = torch.nested.as_nested_tensor(tokens, layout=torch.jagged)
        tu.assign_non_tensor(data, **{key: batch.extra_info[key] for key in ("mini_batch_size", "epochs", "seed")})
        return worker.train_mini_batch(data)

    trainer = object.__new__(find_trainer())
    same = lambda batch: batch  # noqa: E731
    vars(trainer).update(
        config=config,
        tokenizer=tokenizer,
        global_steps=0,
        total_training_steps=2,
        steps_per_epoch=7,
        use_critic=False,
        use_reference_policy=True,
        use_teacher_policy=False,
        ref_in_actor=False,
        parameter_sync_step=1,
        _restored_tq_prompt_count=0,
        distillation_config=None,
        replay_buffer=SimpleNamespace(sample=sample),
        checkpoint_manager=MagicMock(),
        checkpoint_callback=MagicMock(),
        reward_loop_manager=MagicMock(),
        resource_pool_manager=SimpleNamespace(get_n_gpus=lambda: 8),
        actor_rollout_wg=SimpleNamespace(_dispatch_info={"actor": [0]}, compute_log_prob=same, update_actor=update),
        ref_policy_wg=SimpleNamespace(compute_ref_log_prob=same),
        _rollout_moe_lb_metrics_accumulator=None,
        _dump_executor=MagicMock(),
        _dump_futures=[],
        prepare_step=lambda: {},
        _add_batch_to_generate=lambda *_: None,
        _submit_batch_to_rollout=lambda *_: None,
        _save_checkpoint=lambda: None,
        _start_profiling=lambda: None,
        _stop_profiling=lambda: None,
        _reissue_inflight_prompts=lambda: None,
        val_dataloader=[
            {
                "raw_prompt": np.array(["?"] * len(responses), dtype=object),
                "data_source": np.array([SOURCE] * len(responses), dtype=object),
            }
        ],
    )
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        trainer.fit(SimpleNamespace(generate_sequences=generate))
    return [line for line in printed.getvalue().splitlines() if line.startswith("step:")]


def find_names(lines):
    return [[part.split(":", 1)[0] if i == 0 else part.rsplit(":", 1)[0] for i, part in enumerate(line.split(" - "))] for line in lines]


names = {kind: list(evaluate(configure(text))) for kind, text in REWARDS.items()}
lines = run_loop(configure(REWARDS["number"])) if find_v1() else []
for loss in LOSSES if find_v1() else []:
    # One record is enough: the lines of all losses that the walk uses have the same names.
    assert find_names(run_loop(configure(REWARDS["number"], loss))) == find_names(lines), loss
print("RESULT" + json.dumps({"release": release, "numpy": np.__version__, "evaluated": names, "lines": lines}))
