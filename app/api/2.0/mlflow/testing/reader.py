"""What an analyst does with Python's own client: argument 1 is the address, MLFLOW_TRACKING_TOKEN a token that reads."""
import json
import sys

import mlflow

mlflow.set_tracking_uri(sys.argv[1])
frame = mlflow.search_runs(search_all_experiments=True)
cispo = mlflow.search_runs(
    experiment_names=[sys.argv[2]],
    filter_string="params.method = 'CISPO' and attributes.status = 'FINISHED'",
    order_by=["metrics.`evaluation/successRate` DESC"],
)
first = cispo.iloc[0]
client = mlflow.MlflowClient()
history = client.get_metric_history(first["run_id"], "evaluation/successRate")
print(
    json.dumps(
        {
            "shape": list(frame.shape),
            "methods": sorted(frame["params.method"].unique()),
            "order": list(cispo["metrics.evaluation/successRate"]),
            "lag": first["params.rollout.lag.k"],
            "steps": [point.step for point in history],
            "values": [point.value for point in history],
            "run": first["run_id"],
            "artifacts": [one.path for one in client.list_artifacts(first["run_id"])],
        }
    )
)
