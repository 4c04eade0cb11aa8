"""
Trains a small language model in PyTorch for some seconds, on a GPU if there is one, and prints JSON lines as a trainer of
another project would: `gpuTorch.py SECONDS`.
"""

import json
import sys
import time

import torch

seconds = float(sys.argv[1])
device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
width, layers = (1024, 8) if device == "cuda" else (128, 2)
layer = torch.nn.TransformerEncoderLayer(width, 8, 4 * width, batch_first=True, norm_first=True)
model = torch.nn.Sequential(
    torch.nn.Embedding(512, width), torch.nn.TransformerEncoder(layer, layers), torch.nn.Linear(width, 512)
).to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
tokens = torch.randint(512, (32, 256), device=device)
start, step = time.time(), 0
while time.time() - start < seconds:
    began = time.time()
    for _ in range(4):
        loss = torch.nn.functional.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    value = loss.item()
    step += 1
    passed = (time.time() - began) * 1000
    print(json.dumps({"step": step, "loss": value, "time/iterationMs": passed}), flush=True)
    time.sleep(max(0, 0.5 - passed / 1000))
print(f"torch {torch.__version__} on {torch.cuda.get_device_name() if device == 'cuda' else 'the processor'}", flush=True)
