import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { TRPCError } from "@trpc/server";
import { z } from "zod";
import { inBoth, isSoak } from "#server/testing/soak.ts";
import { environments, EnvironmentSpec } from "#trainer/spec/environment.ts";
import { split } from "#trainer/spec/rng.ts";
import { RolloutShape } from "#trainer/spec/run.ts";
import { makeDatabase } from "#server/db/storage/client.ts";
import { makeNotifications } from "#server/db/storage/notifications.ts";
import { players } from "#server/engine/playground/players.ts";
import { createCaller } from "./root.ts";
import { exampleFor, extremeFor, hostile, insides, spoil } from "./testing/hostile.ts";
import { makeAnalystHere } from "./testing/analystHere.ts";

/**
 * Plays episodes with a hostile value in each field, and with each setting of the environment at an end of its range.
 * Inputs are sampled from a seed: FUZZ_SEED=2 tries different inputs.
 */
const seed = Number(process.env["FUZZ_SEED"] ?? 1);
const numSpoilt = 60;
const numExtreme = 8;

// Playing needs no database.
const nowhere = "postgresql://nobody:nothing@127.0.0.1:1/none";
const database = makeDatabase(nowhere);
// The test does not depend on the network or this machine's wheels: sympy cannot be downloaded, and that refusal is a
// valid response.
const home = mkdtempSync(join(tmpdir(), "arlarena-fuzz-"));
vi.stubEnv("ARLARENA_HOME", home);
vi.stubEnv("PIP_INDEX_URL", "http://127.0.0.1:1/simple");
const notifications = makeNotifications(nowhere);
const caller = createCaller({
  database,
  notifications,
  analyst: makeAnalystHere(database),
  caller: { kind: "session", isSameOrigin: true, person: null },
});
afterAll(async () => {
  players().close();
  await notifications.close();
  await database.close();
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true });
});

const replies = [
  { kind: "response", text: "<think>a</think><action>up</action>" },
  { kind: "action", action: "up" },
  { kind: "words", words: "a b" },
  { kind: "tokens", text: "<action>up</action>", tokens: [1, 2] },
];

function* drawPlays(id: keyof typeof environments): Generator {
  const rng = split(seed, "fuzz", id);
  const { schema } = environments[id];
  const shape = exampleFor(RolloutShape);
  const play = { environment: exampleFor(schema, "all"), seed: 1, shape, historyLength: 2, replies };
  const examples = [play, { ...play, environment: withoutPackages(play.environment) }];
  const spoilt = examples.flatMap((example) => hostile.flatMap((value) => [...spoil(example, value, { maxDepth: 3 })]));
  for (let i = 0; i < numSpoilt; i++) yield spoilt[rng.int(spoilt.length)];
  for (let i = 0; i < numExtreme; i++) {
    yield {
      ...play,
      environment: withoutPackages(extremeFor(schema, rng)),
      seed: rng.int(2 ** 18),
      shape: null,
      // A reply can end an episode, after which the expert has no response, so episodes for the expert have no replies.
      replies: i % 2 === 0 ? replies.slice(0, 1) : [],
    };
  }
}

/** An environment with packages would be rejected before it is played. */
function withoutPackages(environment: unknown): unknown {
  const knobs = Object.entries(z.record(z.string(), z.unknown()).parse(environment));
  return Object.fromEntries(knobs.filter(([key]) => key !== "packages"));
}

const short = ["alfworld", "sokoban", "tirMath"];

test.each((Object.keys(environments) as (keyof typeof environments)[]).filter((id) => short.includes(id) !== isSoak))(
  `playing %s answers hostile episodes in our own words and names the field (seed ${seed})`,
  { tags: inBoth },
  async (id) => {
    const problems: unknown[] = [];
    let numPlayed = 0;
    for (const [i, play] of [...drawPlays(id)].entries()) {
      const ask = i % 2 === 0 ? caller.environment.moment : caller.environment.expert;
      // The input is untyped, as if received over the network.
      const error = await (ask as (input: unknown) => Promise<unknown>)(play).then(
        () => void numPlayed++,
        (thrown: unknown) => thrown,
      );
      if (error === undefined || isAnswer(error)) continue;
      problems.push([JSON.stringify(play)?.slice(0, 400), error instanceof Error ? error.message : error]);
    }
    expect(problems).toEqual([]);
    // Some episodes are valid, so that the fuzz gets beyond input validation.
    expect(numPlayed).toBeGreaterThan(3);
  },
);

test("an episode whose package cannot be fetched names the package, where it was looked for and what to do", async () => {
  const environment = EnvironmentSpec.parse({ id: "tirMath", packages: ["sympy"] });
  await expect(caller.environment.moment({ environment, seed: 1, replies: [] })).rejects.toMatchObject({
    code: "SERVICE_UNAVAILABLE",
    message: expect.stringMatching(
      /^Python package mpmath cannot be fetched from http:\/\/127\.0\.0\.1:1\/simple\/mpmath\/ \(.+\)\. Set PIP_INDEX_URL .* put mpmath-\S+ into .*arlarena-fuzz-\w+\/python$/,
    ),
  });
});

/** True for an error that names the invalid field, or an obstacle in an episode with these settings. */
function isAnswer(error: unknown): boolean {
  if (!(error instanceof TRPCError) || error.code === "INTERNAL_SERVER_ERROR" || insides.test(error.message))
    return false;
  if (!(error.cause instanceof z.ZodError)) return error.message.length > 10;
  return error.cause.issues.every(
    ({ path, code }) => path.length > 0 || ["invalid_type", "unrecognized_keys"].includes(code),
  );
}
