"""Trains a tiny model under FSDP and saves or resumes it with verl's own checkpoint manager.

fsdp_state.py STRATEGY save FOLDER | go FOLDER | set FOLDER VALUES
`go` resumes as verl does. `set` resumes, then sets VALUES in memory. Both train three steps and print one line of JSON.
"""

import hashlib
import json
import sys

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, ShardingStrategy, fully_shard
from transformers import Qwen2Config, Qwen2ForCausalLM
from verl.utils.checkpoint.fsdp_checkpoint_manager import FSDPCheckpointManager
from verl.utils.torch_functional import get_constant_schedule_with_warmup

strategy, task, folder, *rest = sys.argv[1:]
dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
mesh = init_device_mesh("cpu", (world,))

torch.manual_seed(0)
model = Qwen2ForCausalLM(
    Qwen2Config(
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        vocab_size=128,
        tie_word_embeddings=False,
    )
)
if strategy == "fsdp":
    model = FullyShardedDataParallel(
        model, device_id=torch.device("cpu"), sharding_strategy=ShardingStrategy.NO_SHARD, device_mesh=mesh
    )
else:
    for layer in model.model.layers:
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
schedule = get_constant_schedule_with_warmup(optimizer, num_warmup_steps=2)
manager = FSDPCheckpointManager(model, optimizer, schedule)


def train(first):
    losses = []
    for step in range(first, first + 3):
        source = torch.Generator().manual_seed(100 + step * world + rank)
        ids = torch.randint(0, 128, (4, 16), generator=source)
        loss = model(input_ids=ids, labels=ids).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        schedule.step()
        losses.append(loss.item())
    return losses


if task == "save":
    train(0)
    manager.save_checkpoint(folder, global_step=3)
else:
    manager.load_checkpoint(folder)
    if task == "set":
        values = json.loads(rest[0])
        for group in optimizer.param_groups:
            group.update(values, initial_lr=values["lr"])
        schedule.base_lrs = schedule._last_lr = [values["lr"]]
    losses = train(3)
    weights = hashlib.sha256()
    for weight in model.parameters():
        local = weight.to_local() if hasattr(weight, "to_local") else weight
        weights.update(local.detach().numpy().tobytes())
    group = {key: optimizer.param_groups[0][key] for key in ("lr", "initial_lr", "weight_decay", "betas", "eps")}
    if rank == 0:
        print(json.dumps({"losses": losses, "weights": weights.hexdigest(), "group": group}))
dist.destroy_process_group()
