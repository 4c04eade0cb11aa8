"""A program that sets nothing up: MLFLOW_TRACKING_URI and MLFLOW_TRACKING_TOKEN are all that it has."""
import json
import pathlib
import tempfile

import mlflow

with mlflow.start_run() as run, tempfile.TemporaryDirectory() as folder:
    mlflow.log_metric("actor/ppo_kl", 0.25, step=1)
    notes = pathlib.Path(folder, "notes ü.txt")
    notes.write_text("kept")
    mlflow.log_artifact(str(notes), "model")
    listed = [[one.path, one.file_size] for one in mlflow.MlflowClient().list_artifacts(run.info.run_id, "model")]
    got = pathlib.Path(mlflow.artifacts.download_artifacts(run_id=run.info.run_id, artifact_path="model/notes ü.txt"))
    text = got.read_text()
# The client prints the run's URL when it ends, so this line is the last one.
print(json.dumps({"run": run.info.run_id, "listed": listed, "text": text}))
