"""Counts what agents did, from the transcripts of an evaluation alone: the oracle of recount.test.ts.

    python3 -m venv oracle && oracle/bin/pip install networkx==3.6.1 pandas==3.1.1
    oracle/bin/python trainer/run/acting/testing/recount.py ENVIRONMENT MAX_TURNS samples.jsonl
"""

import json
import re
import sys
from collections import Counter

import networkx as nx
import pandas as pd

environment, max_turns, path = sys.argv[1], int(sys.argv[2]), sys.argv[3]

FIRST_WORDS = {
    "sokoban": "up:Up down:Down left:Left right:Right still:Still",
    "alfworld": "go:Go take:Take move:Put put:Put open:Open close:Close clean:Clean heat:Heat cool:Cool slice:Slice"
    " use:Use examine:Examine look:Look inventory:Inventory help:Help",
    "textworld": "go:Go take:Take drop:Drop put:Put insert:Put open:Open close:Close unlock:Unlock lock:Lock"
    " eat:Eat_or_drink drink:Eat_or_drink cook:Cook chop:Cut slice:Cut dice:Cut prepare:Prepare_meal"
    " examine:Examine look:Look inventory:Inventory",
    "sweGym": "ls:List search:Search view:View edit:Edit test:Test submit:Submit",
}
CLICKS = {"next >": "Next page", "< prev": "Previous page", "back to search": "Back to search", "buy now": "Buy"}
CLICKS |= {tab: "Details" for tab in ("description", "features", "reviews", "attributes")}


def type_of(action):
    text = action.strip().lower()
    if environment == "webshop":
        if text.startswith("search["):
            return "Search"
        on = text.removeprefix("click[").removesuffix("]")
        return CLICKS.get(on) or ("Open product" if re.fullmatch(r"b[0-9a-z]{9}|item\d+", on) else "Option")
    if environment == "tirMath":
        return "Run code" if "```" in text else "Answer"
    words = text.split()
    if words[0] == "str_replace_editor":
        return {"view": "View", "undo_edit": "Undo"}.get(words[1], "Edit")
    return dict(pair.split(":") for pair in FIRST_WORDS[environment].split())[words[0]].replace("_", " ")


def states_of(turns):
    """Texts that identify the state before each turn: the observation and, in a repository, the edits that hold."""
    edits = []
    for turn in turns:
        yield observation_of(turn) + str(edits)
        if environment == "sweGym" and turn["action"].startswith("edit "):
            edits.append(turn["action"])
        if "undo_edit" in turn["action"] and edits:
            edits.pop()


def observation_of(turn):
    return turn["prompt"].split("<obs>")[-1].split("<sep>")[0].strip()


def ending_of(episode, types):
    if episode["isSuccess"]:
        return "success"
    last = episode["turns"][-1]
    is_bought = types[-1] == "Buy" and "buy" in observation_of(last)
    is_void = environment == "tirMath" and types[-1] != "Run code"
    return "ended" if len(types) < max_turns or is_bought or is_void or types[-1] == "Submit" else "limit"


rows, loops, types_by_task, between = [], 0, {}, nx.MultiDiGraph()
revisits, sequences, endings = 0, [], []
with open(path) as lines:
    episodes = [json.loads(line) for line in lines]
for number, episode in enumerate(episodes):
    turns, walk = episode["turns"], nx.MultiDiGraph()
    types = [type_of(t["action"]) if t["isFormatValid"] and t["isActionValid"] else "Invalid" for t in turns]
    for turn, (state, kind) in enumerate(zip(states_of(turns), types)):
        rows.append({"episode": number, "turn": turn, "state": state, "action": turns[turn]["action"], "type": kind})
        # An edge leaves its state and is named after the action, so that a repeated action is the same edge.
        walk.add_edge(state, "", key=turns[turn]["action"])
    revisits += len(turns) - (walk.number_of_nodes() - 1)
    between.add_edges_from(zip(types, types[1:]))
    sequences.append(tuple(types))
    endings.append(ending_of(episode, types))
    types_by_task.setdefault(episode["seed"], []).append(types)
table = pd.DataFrame(rows)


def first_divergence(group):
    length = min(map(len, group))
    return next((t for t in range(length) if len({types[t] for types in group}) > 1), length)


print(
    json.dumps(
        {
            "episodes": len(episodes),
            "lengths": [int(n) for n in table.groupby("episode").size()],
            "types": {kind: int(n) for kind, n in table["type"].value_counts().sort_index().items()},
            "revisits": revisits,
            "repeats": int(table.duplicated(["episode", "state", "action"]).sum()),
            "transitions": dict(sorted(Counter(f"{a} → {b}" for a, b in between.edges()).items())),
            "endings": dict(sorted(Counter(endings).items())),
            "sequences": len(set(sequences)),
            "divergences": [first_divergence(group) for group in types_by_task.values()],
        }
    )
)
