"""What trainers with an MLflow logger do, with Python's own client: argument 1 is the address, MLFLOW_TRACKING_TOKEN the token."""
import json
import math
import sys

import mlflow
from mlflow.exceptions import MlflowException

mlflow.set_tracking_uri(sys.argv[1])
mlflow.set_experiment("client")
with mlflow.start_run(run_name="grpo_sokoban_seed2") as run:
    mlflow.log_params({f"actor.p{i}": i for i in range(120)})
    for step in range(30):
        mlflow.log_metrics({"actor/ppo_kl": step / 100, "episode/success_rate": step / 30}, step=step)
    mlflow.log_metric("actor/grad_norm", math.nan, step=30)
    mlflow.log_metric("actor/grad_norm", math.inf, step=31)
    mlflow.set_tag("phase", "late")
client = mlflow.MlflowClient()
with mlflow.start_run(run_id=run.info.run_id):
    mlflow.log_metric("actor/ppo_kl", 0.5, step=40)
try:
    client.get_run("none")
    problem = None
except MlflowException as error:
    problem = error.error_code
got = client.get_run(run.info.run_id)
found = mlflow.search_runs(experiment_names=["client"], output_format="list", filter_string="params.`actor.p7` = '7'")
print(
    json.dumps(
        {
            "version": mlflow.__version__,
            "run": got.info.run_id,
            "status": got.info.status,
            "params": len(got.data.params),
            "phase": got.data.tags["phase"],
            "gradNorm": str(got.data.metrics["actor/grad_norm"]),
            "history": len(client.get_metric_history(run.info.run_id, "actor/ppo_kl")),
            "found": [one.info.run_name for one in found],
            "problem": problem,
        }
    )
)
