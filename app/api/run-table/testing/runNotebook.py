"""Runs a notebook in this folder and prints the means of one metric that it made, by method: JSON in the last line."""

import json
import sys

import nbformat
from nbclient import NotebookClient

notebook = nbformat.read(sys.argv[1], as_version=4)
notebook.cells.append(
    nbformat.v4.new_code_cell(
        "import json\n"
        f"made = statistics[{sys.argv[2]!r}].groupby('method')\n"
        "print(json.dumps({name: curve[['iteration', 'mean']].values.tolist() for name, curve in made}))"
    )
)
NotebookClient(notebook, timeout=240, kernel_name="python3").execute()
printed = notebook.cells[-1].outputs[-1]["text"]
print(json.dumps(json.loads(printed)))
