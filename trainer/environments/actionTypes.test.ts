import { expect, test } from "vitest";
import { loadPython } from "#trainer/python/loadPython.ts";
import { actionTypes, invalidType, letterOf, typesIn } from "#trainer/spec/actionTypes.ts";
import { EnvironmentSpec } from "#trainer/spec/environment.ts";
import { split } from "#trainer/spec/rng.ts";
import { makeTaskFamily } from "./episode.ts";

const ids = Object.keys(actionTypes);
const python = await loadPython();

test.each(ids)("every admissible action of %s has a type of its own", async (id) => {
  const family = await makeTaskFamily(EnvironmentSpec.parse({ id }), { python });
  const types = typesIn(id);
  const used = new Set<string>();
  const rng = split(7, "expert");
  for (let seed = 1; seed <= 5; seed++) {
    let episode = family.start(seed);
    for (let turn = 0; turn < 12 && episode.ending === "ongoing"; turn++) {
      const actions = episode.admissibleActions();
      for (const action of actions) {
        const letter = letterOf(types, action);
        expect(letter, action).not.toBe(invalidType.letter);
        used.add(letter);
      }
      episode = episode.respond(episode.expertResponse(rng)).episode;
    }
  }
  expect(used.size).toBeGreaterThan(1);
});
