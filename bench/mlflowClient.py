"""Times MLflow's own client against tracking servers, in turn. bench/mlflow.ts starts them and prints the results.

Arguments: the rounds, the seconds of each measurement, the points of the long run, then NAME=ADDRESS of each server.
Standard output: one JSON object per measurement, {"what": …, "server": …, "figure": …}; rates in metrics a second, times in ms.
"""

import json
import multiprocessing
import sys
import time
from itertools import count

from mlflow import MlflowClient
from mlflow.entities import Metric

NUM_CLIENTS = 4
BATCH = 1000
NUM_KEYS = 40
STEPS = count()


def single(client, run):
    """One measurement in one message, as `mlflow.log_metric` sends it."""
    client.log_metric(run, "loss", 0.5, step=next(STEPS))
    return 1


def batch(client, run):
    """1,000 measurements in one message: forty metrics of twenty-five steps."""
    now = int(time.time() * 1000)
    steps = [next(STEPS) for _ in range(BATCH // NUM_KEYS)]
    client.log_batch(run, [metric(now, step, key) for step in steps for key in range(NUM_KEYS)])
    return BATCH


def metric(now, step, key):
    return Metric(f"metric/{key}", step / (key + 1), now, step)


def rate(send, client, run, seconds):
    """Metrics per second, until the response to the last message."""
    start = time.perf_counter()
    done = 0
    while (spent := time.perf_counter() - start) < seconds:
        done += send(client, run)
    return done / spent


def new_run(client, experiment="0"):
    return client.create_run(experiment, run_name="bench").info.run_id


def serve(pipe, address):
    """A client in its own process: measures on request."""
    client = MlflowClient(address)
    run = new_run(client)
    pipe.send(None)
    while (work := pipe.recv()) is not None:
        name, seconds = work
        pipe.send(rate(globals()[name], client, run, seconds))


def start_clients(address):
    pipes = []
    for _ in range(NUM_CLIENTS):
        here, there = multiprocessing.Pipe()
        multiprocessing.Process(target=serve, args=(there, address), daemon=True).start()
        here.recv()
        pipes.append(here)
    return pipes


def together(pipes, name, seconds):
    for pipe in pipes:
        pipe.send((name, seconds))
    return sum(pipe.recv() for pipe in pipes)


def fill(client, num_points):
    """A run of this many points in its own experiment."""
    experiment = client.create_experiment("long")
    run = new_run(client, experiment)
    for _ in range(num_points // BATCH):
        batch(client, run)
    return experiment, run


def milliseconds(ask):
    start = time.perf_counter()
    ask()
    return 1000 * (time.perf_counter() - start)


def tell(what, server, figure):
    print(json.dumps({"what": what, "server": server, "figure": figure}), flush=True)


def main():
    rounds, seconds, num_points = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    servers = dict(argument.split("=", 1) for argument in sys.argv[4:])
    clients = {name: MlflowClient(address) for name, address in servers.items()}
    runs = {name: new_run(client) for name, client in clients.items()}
    others = {name: start_clients(address) for name, address in servers.items()}
    long = {name: fill(client, num_points) for name, client in clients.items()}

    def measure(name):
        client, (experiment, run) = clients[name], long[name]
        yield "single, one client", rate(single, client, runs[name], seconds)
        yield "batches of 1,000, one client", rate(batch, client, runs[name], seconds)
        yield f"single, {NUM_CLIENTS} clients", together(others[name], "single", seconds)
        yield f"batches of 1,000, {NUM_CLIENTS} clients", together(others[name], "batch", seconds)
        yield "get_run", milliseconds(lambda: client.get_run(run))
        yield "search_runs", milliseconds(lambda: client.search_runs([experiment], "metrics.`metric/0` >= 0"))
        yield "get_metric_history", milliseconds(lambda: client.get_metric_history(run, "metric/0"))

    for name in servers:
        for _ in measure(name):
            pass
    for turn in range(rounds):
        # The order of the servers is reversed in every second round.
        measures = {name: measure(name) for name in (list(servers) if turn % 2 == 0 else list(servers)[::-1])}
        for same in zip(*measures.values()):
            for name, (what, figure) in zip(measures, same):
                tell(what, name, figure)
    for pipe in [pipe for pipes in others.values() for pipe in pipes]:
        pipe.send(None)


if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    main()
