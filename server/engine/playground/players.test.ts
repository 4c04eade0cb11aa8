// @module-tag soak
import { afterAll, describe, expect, it } from "vitest";
import { noPackages } from "#trainer/python/packages.ts";
import { findSympy } from "#trainer/python/testing/wheels.ts";
import { EnvironmentSpec } from "#trainer/spec/environment.ts";
import { Play, type Reply } from "./play.ts";
import { makePlayers } from "./players.ts";
import { replay, toMoment, toPosition } from "./replay.ts";

const players = makePlayers({ cpuMs: 3_000, wallMs: 60_000, memoryBytes: 2 ** 30 });
afterAll(() => players.close());

/** No environment in this file needs packages. */
const packagesFolder = noPackages.folder;
const python = (code: string): Reply => ({ kind: "response", text: `\`\`\`py\n${code}\n\`\`\`` });
const action = (text: string): Reply => ({ kind: "action", action: text });
const playOf = (id: string, ...replies: Reply[]) =>
  Play.parse({ environment: EnvironmentSpec.parse({ id }), seed: 3, replies });

describe("an episode played in another process", () => {
  it("is what it would be in this one", async () => {
    for (const play of [playOf("sokoban", action("left")), playOf("tirMath", python("print(6 * 7)"))]) {
      const played = await replay(play, packagesFolder);
      expect(await players.moment(play, { packagesFolder })).toEqual(toMoment(played, play));
      expect(await players.position(play, { packagesFolder })).toEqual(toPosition(played));
      expect(await players.expert(playOf("tirMath"), { packagesFolder })).toContain("```");
    }
  });

  it("is refused there as it would be here", async () => {
    const over = playOf("tirMath", python("final_answer(1)"), python("1"));
    await expect(players.moment(over, { packagesFolder })).rejects.toMatchObject({
      name: "AppError",
      code: "bad_input",
      message: "the episode was terminated after 1 turn, but there are 2 replies",
    });
  });
});

it("programs import packages from the folder that they were fetched into", async (context) => {
  const packages = await findSympy();
  if (packages === undefined) return context.skip("sympy is fetched from a package index (needs PyPI)");
  const environment = EnvironmentSpec.parse({ id: "tirMath", packages: packages.names });
  const play = { ...playOf("tirMath", python("import sympy\nprint(sympy.factorint(360))")), environment };
  const { observation } = await players.moment(play, { packagesFolder: packages.folder });
  expect(observation).toContain("{2: 3, 3: 2, 5: 1}");
});

/** Episodes with programs that never return. Each reply is valid in its environment. */
const hostile = {
  test: playOf(
    "sweGym",
    action("str_replace_editor create /testbed/tests/test_own.py --file_text sum(range(10 ** 12))"),
    action("test"),
  ),
  tuple: playOf("tirMath", python("x = ()\nfor i in range(60): x = (x, x)\nhash(x)")),
  sum: playOf("tirMath", python("import itertools\nsum(itertools.count())")),
  gcd: playOf(
    "tirMath",
    python("import math\na = 3 ** 22000\nb = 5 ** 15000 + 1\nfor i in range(100000): math.gcd(a + i, b)"),
  ),
};

it.each(Object.entries(hostile))(
  "holds up nobody with %s, and ends with the limit's name",

  async (_, play) => {
    // A program that ran in this process would block the process forever.
    await expect(players.moment(play, { packagesFolder })).rejects.toMatchObject({
      code: "bad_input",
      message: expect.stringMatching(/more than (3 s of processor time|1 GiB of memory).*change the action/),
    });
    expect(await players.moment(playOf("tirMath"), { packagesFolder })).toMatchObject({ ending: "ongoing" });
  },
);
