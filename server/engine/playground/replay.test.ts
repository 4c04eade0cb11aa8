import { describe, expect, it } from "vitest";
import { noPackages } from "#trainer/python/packages.ts";
import { EnvironmentSpec } from "#trainer/spec/environment.ts";
import { AppError } from "#packages/base";
import { Play, type Reply } from "./play.ts";
import { expertResponse, replay, toMoment } from "./replay.ts";

const environment = EnvironmentSpec.parse({ id: "sokoban" });
function playOf(replies: Reply[], changes: Partial<Play> = {}): Play {
  return { environment, seed: 3, shape: null, historyLength: 2, replies, ...changes };
}
async function momentOf(play: Play) {
  return toMoment(await replay(play, noPackages.folder), play);
}

describe("an episode replayed from its replies", () => {
  it("is the same every time, and one move longer with every reply", async () => {
    const replies: Reply[] = [];
    for (;;) {
      const play = playOf(replies);
      const played = await replay(play, noPackages.folder);
      const moment = toMoment(played, play);
      expect(toMoment(await replay(play, noPackages.folder), play)).toEqual(moment);
      expect(moment.turns).toHaveLength(replies.length);
      if (moment.ending !== "ongoing") {
        expect(moment).toMatchObject({ ending: "terminated", isSuccess: true, admissible: [], score: undefined });
        break;
      }
      const { optimalLength = NaN } = moment;
      replies.push({ kind: "response", text: expertResponse(played) });
      const next = await momentOf(playOf(replies));
      if (next.ending === "ongoing") expect(next.optimalLength).toBe(optimalLength - 1);
    }
    const over: Reply[] = [...replies, { kind: "action", action: "up" }];
    await expect(replay(playOf(over), noPackages.folder)).rejects.toThrow(AppError);
    await expect(replay(playOf(over), noPackages.folder)).rejects.toThrow("terminated after");
  });

  it("of a mixture is played in its task's part, and of a curriculum in the last phase", async () => {
    const parts = [{ environment }, { environment: { id: "webshop" } }];
    const mixture = EnvironmentSpec.parse({ id: "mixture", parts });
    const ends = parts.map((part, i) => ({ ...part, ...(i === 0 && { until: { iterations: 5 } }) }));
    const curriculum = EnvironmentSpec.parse({ id: "curriculum", phases: ends });
    const shop = EnvironmentSpec.parse(parts[1]?.environment);
    const replies: Reply[] = [{ kind: "action", action: "search[red shoes]" }];
    const shopping = await momentOf(playOf(replies, { environment: shop, seed: 1 }));
    // With two equal parts, seed 1 belongs to the second part and seed 2 to the first part.
    expect(await momentOf(playOf(replies, { environment: mixture, seed: 1 }))).toEqual(shopping);
    expect(await momentOf(playOf(replies, { environment: curriculum, seed: 1 }))).toEqual(shopping);
    expect(await momentOf(playOf([], { environment: mixture, seed: 2 }))).toEqual(
      await momentOf(playOf([], { seed: 2 })),
    );
  });

  it("reads an action, a response and a policy's words alike", async () => {
    const ways: Reply[] = [
      { kind: "action", action: "left" },
      { kind: "response", text: "<think></think><action>left</action>" },
      { kind: "words", words: "<think> </think> <action> left </action> <eos>" },
    ];
    const moments = await Promise.all(ways.map((reply) => momentOf(playOf([reply]))));
    for (const { turns, observation } of moments) {
      expect(turns).toMatchObject([{ action: "left", isFormatValid: true, isActionValid: true }]);
      expect(observation).toBe(moments[0]?.observation);
    }
  });

  it("says which words a policy would not know", async () => {
    const { unknownWords } = await momentOf(
      playOf([{ kind: "response", text: "<think> zounds </think> <action> up </action>" }], { shape: "transcript" }),
    );
    expect(unknownWords).toEqual(["zounds"]);
  });

  it("shows a transcript as it grows: what was read and what was written", async () => {
    const { prompt, shape } = await momentOf(playOf([{ kind: "action", action: "up" }], { shape: "transcript" }));
    expect(shape).toBe("transcript");
    expect(prompt.map(({ author }) => author)).toEqual(["environment", "policy", "environment"]);
    expect(prompt[0]?.words).toMatch(/^<task> push boxes/);
    expect(prompt[1]?.words).toBe("<think> </think> <action> up </action> <eos>");
    expect(prompt[2]?.words).toMatch(/^<obs> /);
  });
});

it("refuses a seed that belongs to no split", () => {
  expect(Play.safeParse({ environment, seed: 2 ** 18, replies: [] }).success).toBe(false);
});
