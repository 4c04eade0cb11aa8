import { expect, it } from "vitest";
import { EnvironmentSpec, taskSeeds } from "#trainer/spec/environment.ts";
import { split } from "#trainer/spec/rng.ts";
import { makeTaskFamily, type Episode } from "./episode.ts";
import type { Scene } from "./scene.ts";

/** Probability that a random admissible action replaces the expert's action. */
const slipRate = 0.4;

/** Yields every state of an episode with all texts so far. The expert acts, with random actions in between. */
async function* walk(knobs: object, seed: number): AsyncGenerator<{ episode: Episode; texts: string[]; scene: Scene }> {
  const family = await makeTaskFamily(EnvironmentSpec.parse(knobs));
  const rng = split(seed, "walk");
  let episode = family.start(seed);
  const texts: string[] = [];
  for (;;) {
    texts.push(episode.observation);
    const scene = episode.scene();
    if (scene === undefined) throw new Error("no scene");
    yield { episode, texts, scene };
    if (episode.ending !== "ongoing") return;
    const actions = episode.admissibleActions();
    const slip = rng.next() < slipRate ? actions[rng.int(actions.length)] : undefined;
    episode = episode.respond(episode.expertResponse(rng, slip)).episode;
  }
}

const environments = {
  sokoban: { id: "sokoban", size: 7, numBoxes: 2 },
  webshop: { id: "webshop", articleIds: "asin", optionGroups: 2, valuesPerGroup: 5, catalogueSize: 60 },
  "webshop without options": { id: "webshop", optionGroups: 0 },
  alfworld: { id: "alfworld" },
  "alfworld, a large room of closed things": { id: "alfworld", numReceptacles: 24, numObjects: 30, closedPercent: 100 },
  textworld: { id: "textworld", prose: "rich", names: "large", rooms: 4, objects: 12 },
  "textworld, described": { id: "textworld", family: "mixed", obsMode: "described", doors: "locked", rooms: 4 },
};

it.each(Object.entries(environments))("a scene names only what the texts so far have named: %s", async (_, knobs) => {
  let numNamed = 0;
  for (let seed = taskSeeds.train.from; seed < taskSeeds.train.from + 8; seed++) {
    for await (const { episode, texts, scene } of walk(knobs, seed)) {
      const read = [...texts, ...episode.admissibleActions()].join("\n").toLowerCase();
      for (const name of namesOf(scene)) {
        expect(read).toContain(name.toLowerCase());
        numNamed++;
      }
    }
  }
  if (knobs.id !== "sokoban") expect(numNamed).toBeGreaterThan(100);
});

function namesOf(scene: Scene): string[] {
  switch (scene.environment) {
    case "sokoban":
      return [];
    case "alfworld":
      return [
        ...scene.receptacles.flatMap(({ name, objects }) => [name, ...objects]),
        ...(scene.carried === undefined ? [] : [scene.carried]),
        ...Object.keys(scene.states),
      ];
    case "textworld":
      return [
        scene.name,
        ...scene.furniture.flatMap(({ name, things }) => [name, ...things]),
        ...scene.exits.flatMap(({ direction, door }) => [direction, ...(door ? [door.name] : [])]),
        ...scene.floor,
        ...scene.carried,
      ];
    case "webshop":
      return namesOfPage(scene.page);
  }
}

function namesOfPage(page: Extract<Scene, { environment: "webshop" }>["page"]): string[] {
  switch (page.kind) {
    case "search":
      return [];
    case "results":
      return [...page.buttons, ...page.articles.flatMap(({ id, title, price }) => [id, title, price])];
    case "item":
      return [
        page.title,
        page.price,
        ...page.buttons,
        ...page.options.flatMap(({ name, values }) => [name, ...values]),
      ];
    case "detail":
      return [...page.texts, ...page.buttons];
    case "receipt":
      return [page.asin, ...page.options.flat()];
  }
}

it("a Sokoban scene is the room of the text, square by square", async () => {
  const glyphOf = { "#": [true, false, undefined], _: [false, false, undefined], O: [false, true, undefined] } as const;
  const moved = { X: [false, false, "box"], "√": [false, true, "box"], P: [false, false, "player"] } as const;
  const glyphs = Object.entries({ ...glyphOf, ...moved, S: [false, true, "player"] as const });
  for await (const { episode, scene } of walk(environments.sokoban, 3)) {
    if (scene.environment !== "sokoban") throw new Error(scene.environment);
    const text = scene.rows.map((row) =>
      row
        .map(({ isWall, isTarget, holds }) => {
          return glyphs.find(([, one]) => one[0] === isWall && one[1] === isTarget && one[2] === holds)?.[0];
        })
        .join(""),
    );
    expect(text.join("\n")).toBe(episode.observation);
  }
});

it("a household shows what the last text lists, hides what nobody looked into, and knows where the player stands", async () => {
  let numListed = 0;
  let numHidden = 0;
  for (let seed = taskSeeds.train.from; seed < taskSeeds.train.from + 12; seed++) {
    for await (const { episode, texts, scene } of walk(environments.alfworld, seed)) {
      if (scene.environment !== "alfworld") throw new Error(scene.environment);
      const [, kind, name = "", list = ""] =
        /(On|In|The) (?:the )?([a-z]+ \d+)(?:, you see| is open\. In it, you see) (.+)\.$/.exec(episode.observation) ??
        [];
      const named = scene.receptacles.find((one) => one.name === name);
      if (kind !== undefined) {
        const objects = list === "nothing" ? [] : list.split(/, and |, /).map((text) => text.replace(/^a /, ""));
        expect({ ...named, objects: named?.objects.toSorted() }).toMatchObject({
          isHere: true,
          isSeen: true,
          objects: objects.toSorted(),
        });
        numListed++;
      }
      for (const { name: other, isSeen } of scene.receptacles) {
        const isTold = texts.some(
          (text) => text.includes(`On the ${other}, you see`) || text.includes(`${other} is open. In it`),
        );
        expect([other, isSeen]).toEqual([other, isTold]);
        if (!isSeen) numHidden++;
      }
    }
  }
  expect(Math.min(numListed, numHidden)).toBeGreaterThan(50);
});

it("a shop page has the chosen options and the query, which its text does not have", async () => {
  const kinds = new Set<string>();
  for (let seed = taskSeeds.train.from; seed < taskSeeds.train.from + 20; seed++) {
    for await (const { scene } of walk(environments.webshop, seed)) {
      if (scene.environment !== "webshop") throw new Error(scene.environment);
      const { page, query } = scene;
      kinds.add(page.kind);
      expect(query === undefined).toBe(page.kind === "search");
      if (page.kind === "item" && page.options.some(({ chosen }) => chosen !== undefined)) kinds.add("chosen");
    }
  }
  expect([...kinds].sort()).toEqual(["chosen", "detail", "item", "receipt", "results", "search"]);
});
