import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { describe, expect, it } from "vitest";
import { SokobanSpec } from "#trainer/spec/environments/sokoban.ts";
import { toMemory } from "./prompt.ts";
import { formatResponse, parseResponse } from "./response.ts";
import { makeSokoban } from "./sokoban/sokoban.ts";

const goldenFile = path.join(process.env.ARLARENA_GOLDEN ?? "../shared/golden", "projection.json");
const flag = z.union([z.literal(0), z.literal(1)]);
const Golden = z.object({
  admissible_pool: z.array(z.string()),
  cases: z.array(
    z.object({
      text: z.string(),
      alfworld: z.tuple([z.string(), flag, flag]),
      webshop: z.tuple([z.string(), flag, flag]),
      sokoban: z.tuple([z.int(), flag]),
    }),
  ),
});

describe("reading a response", () => {
  it("accepts what the expert writes", () => {
    const text = formatResponse({ thought: "box above , push up", action: "up" });
    expect(text).toBe("<think> box above , push up </think> <action> up </action>");
    expect(parseResponse(text)).toEqual({ isFormatValid: true, isTagged: true, action: "up" });
  });

  it.each([
    ["words before the thought", "so <think> a </think> <action> up </action>"],
    ["words between the tags", "<think> a </think> b <action> up </action>"],
    ["no thought", "<action> up </action>"],
    ["two thoughts", "<think> a </think> <think> b </think> <action> up </action>"],
    ["an action inside the thought", "<think> a <action> up </action> </think>"],
    ["Chinese characters", "<think> 上 </think> <action> up </action>"],
  ])("rejects the format but finds the action: %s", (_, text) => {
    expect(parseResponse(text)).toEqual({ isFormatValid: false, isTagged: true, action: "up" });
  });

  it("falls back on the last thirty characters when there are no tags", () => {
    expect(parseResponse("a".repeat(40) + " Look ").action).toBe("a".repeat(24) + " Look ");
  });
});

describe.skipIf(!existsSync(goldenFile))("the recorded projections of ARLArena (needs ../shared/golden)", () => {
  const golden = existsSync(goldenFile) ? Golden.parse(JSON.parse(readFileSync(goldenFile, "utf8"))) : undefined;
  const cases = golden?.cases ?? [];
  const moves = ["still", "up", "down", "left", "right"];
  const sokoban = makeSokoban(SokobanSpec.parse({ id: "sokoban" }));
  const { state } = sokoban.reset(0);

  it("are 27", () => expect(cases).toHaveLength(27));

  it.each(cases)("$text", ({ text, alfworld, webshop, sokoban: [move, isMoveValid] }) => {
    const { isFormatValid, action } = parseResponse(text);
    const isKnown = golden?.admissible_pool.includes(action) ?? false;
    expect([action, Number(isFormatValid && isKnown), Number(isFormatValid)]).toEqual(alfworld);
    expect([action, Number(isFormatValid), Number(isFormatValid)]).toEqual(webshop);
    const projection = sokoban.project(state, text);
    expect([moves.indexOf(projection.action), Number(projection.isActionValid)]).toEqual([move, isMoveValid]);
  });
});

describe("the memory of a full prompt", () => {
  const past = [0, 1, 2].map((i) => ({ observation: `obs${i}`, action: `act${i}` }));
  it("counts turns from one and shows the last ones", () => {
    expect(toMemory(past, 2)).toBe(
      "[Observation 2: 'obs1', Action 2: 'act1']\n[Observation 3: 'obs2', Action 3: 'act2']",
    );
    expect(toMemory(past, 5).split("\n")).toHaveLength(3);
    expect(toMemory(past, 0)).toBe("");
  });
});
