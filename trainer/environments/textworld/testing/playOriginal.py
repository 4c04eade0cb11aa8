"""Microsoft's TextWorld 1.7 plays games with an exported policy, which ONNX Runtime's Python executes.

Each game is compiled by Inform 7 and played by the interpreter of Z-machine programs, both of which TextWorld has.

stdin: {"policy": folder of policy.onnx and vocabulary.json, "historyLength", "maxTurns", "maxResponseTokens",
"maxActionWords", "games": [game], "temperatures": [0 is greedy]}, where a game is
{"facts": ["at(P,r_0)"], "names": {"r_0": "kitchen"}, "quests": [[fact]], "objective"}, or one that TextWorld generates:
{"seed", "rooms", "objects", "questLength", "names": {"rooms", "colors", "nouns": {kind: names}}}.
stdout: RESULT and, by game, {"objective", "episodes": [{"isWon", "turns": [{"prompt", "response"}]}]}.
"""

import json
import os
import random
import re
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor

import numpy
import onnxruntime
import textworld
from textworld.generator import compile_game, make_game
from textworld.generator.game import Event, Game, Quest
from textworld.generator.inform7 import Inform7Game
from textworld.generator.world import World
from textworld.logic import Proposition, Variable

# Words of a small vocabulary, as trainer/environments/textworld/words.ts reads and writes them.
PIECES = re.compile(r"</?(?:think|action)>|\n|-=|=-|\*\*\*|turn\(s\)|[^\W\d_]+(?:['-][^\W\d_]+)*|\d|\S")
TAGGED = re.compile(r"<action>(.*?)</action>", re.I | re.S)


class Capitals:
    """Tells where a sentence starts or a title goes on, and a capital is implied."""

    def __init__(self, text):
        self.is_start, self.is_title = bool(re.search(r"[.!?:]|=-", text)), False

    def implied(self):
        return self.is_start or self.is_title

    def passed(self, word):
        self.is_title = word == "-=" or (self.is_title and word != "=-")
        self.is_start = word in {".", "!", "?", "<nl>"} or (self.is_start and word == "<nl>")


def to_words(text):
    capitals, words = Capitals(text), []
    for piece in PIECES.findall(text):
        lower = piece[0].lower() + piece[1:]
        is_implied = lower[0].upper() + lower[1:] == piece and capitals.implied()
        words.append("<nl>" if piece == "\n" else lower if is_implied else piece)
        capitals.passed(words[-1])
    return " ".join(words)


def from_words(words):
    capitals, text, before = Capitals(words), "", "<nl>"
    for word in words.split():
        shown = word[0].upper() + word[1:] if capitals.implied() else word
        capitals.passed(word)
        digits = len(word) == len(before) == 1 and word.isdigit() and before.isdigit()
        is_tight = before in {"<nl>", "("} or word in set(".,:;!?)") | {"<nl>"} or digits
        text += ("" if is_tight else " ") + ("\n" if word == "<nl>" else shown)
        before = word
    return text


class Policy:
    def __init__(self, folder):
        with open(os.path.join(folder, "vocabulary.json"), encoding="utf8") as file:
            self.vocabulary = json.load(file)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(os.path.join(folder, "policy.onnx"), options)
        self.words = self.vocabulary["words"]
        self.token_of = {word: token for token, word in enumerate(self.words)}

    def encode(self, text):
        return [self.token_of.get(word, self.token_of["<unk>"]) for word in text.split()]

    def respond(self, prompt, most, temperature, rng):
        """Words of a response: one token after another, each from the logits after the last."""
        row = numpy.full((1, self.vocabulary["contextTokens"]), self.vocabulary["padToken"], numpy.int64)
        tokens = self.encode(prompt)
        row[0, : len(tokens)] = tokens
        response = []
        for at in range(len(tokens), len(tokens) + most):
            (logits,) = self.session.run(None, {"tokens": row})
            last = logits[0, at - 1].astype(numpy.float64)
            weights = numpy.exp((last - last.max()) / (temperature or 1))
            token = int(last.argmax()) if temperature == 0 else rng.choices(range(len(weights)), weights)[0]
            if token == self.vocabulary["eosToken"]:
                break
            response.append(self.words[token])
            row[0, at] = token
        return " ".join(word for word in response if word not in {"<pad>", "<bos>"})

    def known(self, text, most):
        return " ".join(word if word in self.token_of else "<unk>" for word in to_words(text).split()[:most])


def read_action(response, most):
    """The action of a response, cut to the length of a command."""
    found = TAGGED.search(response)
    action = found.group(1).strip().lower() if found else response[-30:]
    words = to_words(action).split(" ")
    return action if len(words) <= most else from_words(" ".join(words[:most]))


def tidy(text):
    """TextWorld's answer on one line below the room's title, as the environment's compact prose prints it."""
    title, end, body = re.sub(r"\n>[^\n]*$", "", text).strip().rpartition("=-\n")
    return title + end + re.sub(r"\s*\n\s*", " ", body.strip())


def typed(fact):
    """A fact such as in(k_0,I) with its variables' types, which are the letters of their names."""
    name, ids = fact.rstrip(")").split("(")
    return Proposition(name, [Variable(id, id.split("_")[0]) for id in ids.split(",")])


def read_game(given):
    facts = [typed(fact) for fact in given["facts"]]
    # The trainer's facts describe positions of rooms only by north and west.
    other = {"north_of": "south_of", "west_of": "east_of"}
    facts += [Proposition(other[fact.name], fact.arguments[::-1]) for fact in facts if fact.name in other]
    game = Game(World.from_facts(facts))
    game.quests = tuple(
        Quest([Event(conditions=[typed(fact) for fact in quest])], commands=["look"]) for quest in given["quests"]
    )
    for id, name in given["names"].items():
        game.infos[id].name = name
    game.objective = given["objective"]
    return game


def generate(given):
    """A game of TextWorld's generator, with names of the policy's vocabulary and one sentence for each step."""
    options = textworld.GameOptions()
    options.seeds, options.nb_rooms, options.nb_objects = given["seed"], given["rooms"], given["objects"]
    options.quest_length = given["questLength"]
    game = make_game(options)
    rng = random.Random(given["seed"])
    rooms = rng.sample(given["names"]["rooms"], given["rooms"])
    keys = {fact.arguments[1].name: fact.arguments[0].name for fact in game.world.facts if fact.name == "match"}
    colors, color_of, taken, plain = rng.sample(given["names"]["colors"], len(given["names"]["colors"])), {}, set(), set()
    for info in game.infos.values():
        info.adj = info.noun = info.definite = info.indefinite = info.synonyms = info.room_type = None
        if info.type == "r":
            info.name = rooms.pop()
        nouns = given["names"]["nouns"].get(info.type)
        if nouns is None:
            continue
        lock = info.id if info.id in keys.values() else keys.get(info.id)
        if lock is not None and lock not in color_of:
            color_of[lock] = colors.pop()
        free = [noun for noun in nouns if noun not in plain]
        unused = [noun for noun in free if not any(name.endswith(f" {noun}") for name in taken)]
        is_plain = lock is None and len(unused) > 0
        shades = given["names"]["colors"] if lock is None else [color_of[lock]]
        options = unused if is_plain else [f"{shade} {noun}" for shade in shades for noun in free]
        info.name = rng.choice([name for name in options if name not in taken])
        taken.add(info.name)
        if is_plain:
            plain.add(info.name)
    articled = {id: info.name if info.type == "r" else f"the {info.name}" for id, info in game.infos.items()}
    steps = [action.format_command(articled) for quest in game.quests for action in quest.win_events[0].actions]
    game.objective = " ".join(f"{step[0].upper()}{step[1:]}." for step in steps)
    return game


def describe(game):
    """Descriptions of rooms and things in the wording of compact prose, with Inform's conditions."""
    a = lambda name: f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
    names = {id: info.name for id, info in game.infos.items()}
    for info in game.infos.values():
        info.desc = "" if info.type in "PI" else f"It is {a(info.name)}."
    for room in game.world.rooms:
        parts = []
        for thing in [game.world.find_object_by_id(id) for id in game.infos]:
            if thing not in room.content or thing.type not in "cs":
                continue
            id, name = thing.id, names[thing.id]
            if thing.type == "s":
                parts.append(
                    f"You see {a(name)}.[if there is something on the {id}] On it is [a list of things on the {id}].[end if]"
                )
            else:
                parts.append(
                    f"You see [if {id} is locked]a locked[else if {id} is open]an open[otherwise]a closed[end if] {name}."
                    f"[if {id} is open and there is something in the {id}] It holds [a list of things in the {id}].[end if]"
                )
        for way in ["north", "south", "east", "west"]:
            if way in room.doors:
                id = room.doors[way].id
                condition = f"[if {id} is open]an open[otherwise]a closed[end if]"
                parts.append(f"There is {condition} {names[id]} leading {way}.")
            elif way in room.exits:
                parts.append(f"There is an exit to the {way}.")
        game.infos[room.id].desc = " ".join(parts)


def play(env, policy, given, temperature, rng):
    state = env.reset()
    task, observation, past, turns = to_words(state.objective), tidy(state.description), [], []
    while len(turns) < given["maxTurns"] and not (state.won or state.lost):
        shown = list(reversed(past))[: given["historyLength"]]
        history = [f"<sep> {to_words(text)} > {policy.known(action, given['maxActionWords'])}" for text, action in shown]
        prompt = " ".join(" ".join(["<task>", task, "<obs>", to_words(observation), *history]).split())
        response = from_words(policy.respond(prompt, given["maxResponseTokens"], temperature, rng))
        action = read_action(response, given["maxActionWords"])
        past.append((observation, action))
        state, _, _ = env.step(action)
        observation = tidy(state.feedback)
        turns.append({"prompt": prompt, "response": response})
    return {"isWon": bool(state.won), "turns": turns}


def play_game(job):
    number, given, asked = job
    game = generate(given) if "seed" in given else read_game(given)
    describe(game)
    policy = Policy(asked["policy"])
    with tempfile.TemporaryDirectory() as folder:
        options = textworld.GameOptions()
        options.path = os.path.join(folder, "game.z8")
        path = compile_game(game, options)
        infos = textworld.EnvInfos(description=True, objective=True, won=True, lost=True, inventory=True)
        env = textworld.start(path, request_infos=infos)
        rng = random.Random(number)
        episodes = [play(env, policy, asked, temperature, rng) for temperature in asked["temperatures"]]
        env.close()
    return {"objective": game.objective, "episodes": episodes}


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    with ProcessPoolExecutor(2) as pool:
        jobs = [(number, given, asked) for number, given in enumerate(asked["games"])]
        print("RESULT" + json.dumps(list(pool.map(play_game, jobs))))
