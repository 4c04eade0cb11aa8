import { existsSync, mkdtempSync, readFileSync, rmSync, appendFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parquetReadObjects } from "hyparquet";
import { afterAll, describe, expect, it } from "vitest";
import { groupFiles, GroupToken, KeptGroup } from "#trainer/spec/keptGroup.ts";
import { type MethodName, methodOf } from "#trainer/spec/method.ts";
import { isMeasured } from "#trainer/spec/metric.ts";
import { tokenBins, type TokenCounts } from "#trainer/spec/tokenBins.ts";
import { openGroups } from "./keeping/groupFile.ts";
import { makeRecorder } from "./testing/recorder.ts";
import { type Partly, tinySpec } from "./testing/tinySpec.ts";
import { train } from "./train.ts";

const home = mkdtempSync(join(tmpdir(), "arlarena-groups-"));
afterAll(() => rmSync(home, { recursive: true }));

let number = 0;

async function finish(method: MethodName, iterations: number, more: Partly) {
  const folder = join(home, String(number++));
  const { run, lines } = makeRecorder(folder);
  await train(tinySpec(methodOf(method), iterations, more), { ...run, groupFile: openGroups(folder) });
  const values = lines.map((line) => ({
    ...line,
    values: Object.fromEntries(Object.entries(line.values).filter(([key]) => !isMeasured(key))),
  }));
  return { folder, values };
}

const keep = (every: number, count = 1): Partly => ({ execution: { groups: { every, number: count } } });

const isPrompt = ({ role }: GroupToken): boolean => role === "prompt";

function readLines(folder: string): KeptGroup[] {
  const text = readFileSync(join(folder, groupFiles.index), "utf8");
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => KeptGroup.parse(JSON.parse(line)));
}

async function readTokens(folder: string, { fromByte, numBytes }: KeptGroup): Promise<GroupToken[]> {
  const bytes = readFileSync(join(folder, groupFiles.tokens)).subarray(fromByte, fromByte + numBytes);
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  return (await parquetReadObjects({ file })).map((row) => GroupToken.parse(row));
}

/** Counts tokens by a search through all bins, written from the definition of the bins. */
function recount(tokens: readonly GroupToken[]): TokenCounts {
  const count = (edges: readonly number[], values: readonly number[]) =>
    [-Infinity, ...edges].map((from, i) => values.filter((x) => from <= x && x < (edges[i] ?? Infinity)).length);
  return {
    logRatio: count(
      tokenBins.logRatio,
      tokens.map(({ logProb, oldLogProb }) => (logProb ?? NaN) - (oldLogProb ?? NaN)),
    ),
    advantage: count(
      tokenBins.advantage,
      tokens.map(({ advantage }) => advantage ?? NaN),
    ),
  };
}

describe("a run that keeps groups", () => {
  it("trains bit by bit as without them, and keeps one group at each chosen iteration", async () => {
    const [kept, none] = [await finish("grpo", 4, keep(2)), await finish("grpo", 4, keep(0))];
    expect(kept.values).toEqual(none.values);
    expect(existsSync(join(none.folder, groupFiles.index))).toBe(false);
    const groups = readLines(kept.folder);
    expect(groups.map(({ iteration }) => iteration)).toEqual([2, 4]);
    expect(groups[1]?.fromByte).toBe(groups[0]?.numBytes);
  });

  it("has of every token its log-probabilities, ratio, advantage and loss", async () => {
    const more = { ...keep(1, 9), rollout: { numGroups: 2, groupSize: 6 }, update: { minibatchRows: 4, klCoef: 0 } };
    const { folder, values } = await finish("grpo", 1, { ...more, optimizer: { learningRate: 0.02 } });
    const groups = readLines(folder);
    expect(groups.map(({ group, numTokens }) => `${group} ${numTokens.length}`).toSorted()).toEqual(["0 6", "1 6"]);
    const tokens = (await Promise.all(groups.map((group) => readTokens(folder, group)))).flat();
    const [prompts, responses] = [tokens.filter(isPrompt), tokens.filter((token) => !isPrompt(token))];
    expect(prompts.every(({ text, id }) => text.length > 10 && id === null)).toBe(true);
    for (const { samplerLogProb, oldLogProb, logProb, ratio } of responses) {
      expect(oldLogProb).toBe(samplerLogProb);
      expect(ratio).toBeCloseTo(Math.exp((logProb ?? NaN) - (oldLogProb ?? NaN)), 5);
    }
    // All groups are kept, so their tokens are those of the log's metrics, which other code counts.
    const logged = values.findLast(({ iteration }) => iteration === 1)?.values ?? {};
    const share = (...of: string[]): number =>
      responses.filter(({ fate }) => of.includes(fate ?? "")).length / responses.length;
    expect(share("clippedHigh", "clippedLow")).toBeGreaterThan(0);
    expect(share("clippedHigh", "clippedLow")).toBeCloseTo(logged["policy/clipFraction"] ?? NaN, 9);
    expect(share("clippedDual")).toBeCloseTo(logged["policy/clipFractionDual"] ?? NaN, 9);
    expect(Math.max(...responses.map(({ ratio }) => ratio ?? NaN))).toBeCloseTo(logged["policy/ratioMax"] ?? NaN, 4);
    // All groups are kept, so a recount of their files gives the counts of all trained tokens.
    const counted = groups.flatMap(({ trained }) => trained ?? []);
    expect(counted).toEqual([recount(responses)]);
    expect(counted[0]?.logRatio.filter((x) => x > 0).length).toBeGreaterThan(8);
    // The loss of an iteration is the mean over its optimizer steps, each of which sums its tokens.
    const numSteps = logged["update/numSteps"] ?? NaN;
    const total = responses.reduce((sum, { weight, loss }) => sum + (weight ?? NaN) * (loss ?? NaN), 0);
    expect(total / numSteps).toBeCloseTo(logged["loss/policy"] ?? NaN, 5);
    const clippedGradients = responses
      .filter(({ fate }) => fate?.startsWith("clipped"))
      .map(({ gradient }) => gradient);
    expect(new Set(clippedGradients)).toEqual(new Set([0]));
  });

  it("masks the episodes that are discarded for their age alone", async () => {
    const lag = { kind: "uniform" as const, max: 3, discardBeyond: 1 };
    const { folder } = await finish("grpo", 5, { ...keep(5, 9), rollout: { numGroups: 3, groupSize: 4, lag } });
    const groups = readLines(folder);
    const tokens = (await Promise.all(groups.map((group) => readTokens(folder, group)))).flat();
    const fatesOf = (isOld: boolean) =>
      new Set(tokens.filter((token) => !isPrompt(token) && (token.behind ?? 0) > 1 === isOld).map(({ fate }) => fate));
    const numOld = tokens.filter(({ behind }) => (behind ?? 0) > 1).length;
    expect(numOld).toBeGreaterThan(0);
    expect(numOld).toBeLessThan(tokens.length);
    expect(fatesOf(false)).toContain("used");
    expect(fatesOf(false)).not.toContain("maskedGroup");
    for (const fate of fatesOf(true)) expect(["maskedRow", "maskedGroup"]).toContain(fate);
  });

  it("marks groups that dynamic sampling drops, and their tokens", async () => {
    const more = { ...keep(1, 9), environment: { id: "sokoban", maxTurns: 1, numBoxes: 3 } };
    const { folder } = await finish("dapoGrpo", 1, more);
    const groups = readLines(folder);
    const dropped = groups.filter(({ marks }) => marks.includes("zeroVariance"));
    expect(dropped.length).toBeGreaterThan(0);
    const tokens = await readTokens(folder, dropped[0] ?? KeptGroup.parse({}));
    const responses = tokens.filter(({ role }) => role === "response");
    expect(new Set(responses.map(({ fate }) => fate))).toEqual(new Set(["maskedGroup"]));
    expect(dropped[0]).toMatchObject({ masked: 1, clipped: 0, advantages: [null, null, null] });
  });

  it("cuts an interrupted write off, and does not write an iteration twice", async () => {
    const { folder } = await finish("gigpo", 2, { ...keep(1), rollout: { numGroups: 2, groupSize: 2 } });
    const before = readLines(folder);
    const size = statSync(join(folder, groupFiles.tokens)).size;
    appendFileSync(join(folder, groupFiles.tokens), "PAR1 torn");
    appendFileSync(join(folder, groupFiles.index), '{"v":1,"iter');
    const file = openGroups(folder);
    expect([1, 2, 3].map((iteration) => file.has(iteration))).toEqual([true, true, false]);
    expect(readLines(folder)).toEqual(before);
    expect(statSync(join(folder, groupFiles.tokens)).size).toBe(size);
  });
});
