import { open, readFile, stat } from "node:fs/promises";
import { parquetReadObjects } from "hyparquet";
import { AppError, groupBy } from "#packages/base";
import { groupFiles, GroupToken, KeptGroup } from "#trainer/spec/keptGroup.ts";
import { tryJson } from "#trainer/spec/tryJson.ts";
import type { AttemptFolder } from "./episodes.ts";
import { findInside } from "./findInside.ts";

/** Summary of a kept group, with the attempt whose files contain it. */
export type GroupHead = Omit<KeptGroup, "v" | "fromByte" | "numBytes"> & { attempt: number };

export type GroupIndex = {
  /** Groups sorted by iteration. */
  groups: GroupHead[];
  numUnreadable: number;
};

/** Position of a group: its iteration, and its index among the groups of that iteration. */
export type GroupPlace = { attempt: number; iteration: number; group: number };

/** Values of the response tokens of a turn, one array per column of the file. */
type TokenColumns = { text: string[]; fate: GroupToken["fate"][] } & Record<
  (typeof numberColumns)[number],
  (number | null)[]
>;

export type GroupTurn = { prompt: string; reward: number | null; tokens: TokenColumns };
export type GroupDetail = { episodes: { behind: number | null; turns: GroupTurn[] }[] };

const numberColumns = [
  "id",
  "samplerLogProb",
  "oldLogProb",
  "logProb",
  "ratio",
  "advantage",
  "weight",
  "loss",
  "gradient",
] as const;

/** Maximum sizes in bytes of an index and of one group, several times those of the largest runs. */
const [maxIndexBytes, maxGroupBytes] = [64 * 2 ** 20, 64 * 2 ** 20];

/** Lists the kept groups of all attempts. Of equal iterations in several attempts, the newest counts. */
export async function readGroupIndex(attempts: readonly AttemptFolder[]): Promise<GroupIndex> {
  const groups: GroupHead[] = [];
  let numUnreadable = 0;
  for (const { number, folder } of attempts.toSorted((a, b) => b.number - a.number)) {
    const taken = new Set(groups.map(({ iteration }) => iteration));
    const { lines, numTorn } = await readLines(folder);
    numUnreadable += numTorn;
    for (const { v: _v, fromByte: _from, numBytes: _bytes, ...group } of lines) {
      if (!taken.has(group.iteration)) groups.push({ ...group, attempt: number });
    }
  }
  return { groups: groups.toSorted((a, b) => a.iteration - b.iteration || a.group - b.group), numUnreadable };
}

/** Reads one group: only its own bytes of the file. */
export async function readGroup(folder: string, { iteration, group }: GroupPlace): Promise<GroupDetail> {
  const { lines } = await readLines(folder);
  const found = lines.find((line) => line.iteration === iteration && line.group === group);
  const path = await findInside(folder, groupFiles.tokens);
  if (!found || path === null) {
    throw new AppError("not_found", `${groupFiles.index} has no group ${group} of iteration ${iteration}`);
  }
  if (found.numBytes > maxGroupBytes) {
    const text = `the group has ${found.numBytes.toLocaleString("en-US")} bytes, the limit is ${maxGroupBytes.toLocaleString("en-US")}`;
    throw new AppError("too_large", text);
  }
  const handle = await open(path, "r");
  try {
    const bytes = new Uint8Array(found.numBytes);
    await handle.read(bytes, 0, found.numBytes, found.fromByte);
    return toDetail((await parquetReadObjects({ file: bytes.buffer })).map(parseToken));
  } finally {
    await handle.close();
  }
}

/** Returns the lines whose tokens are completely in the other file, which is copied after the index. */
async function readLines(folder: string): Promise<{ lines: KeptGroup[]; numTorn: number }> {
  const [index, tokens] = [await findInside(folder, groupFiles.index), await findInside(folder, groupFiles.tokens)];
  if (index === null || tokens === null) return { lines: [], numTorn: 0 };
  const [{ size: indexBytes }, { size }] = [await stat(index), await stat(tokens)];
  if (indexBytes > maxIndexBytes) throw new AppError("too_large", `${groupFiles.index} has ${indexBytes} bytes`);
  const texts = (await readFile(index, "utf8")).split("\n").slice(0, -1);
  const parsed = texts.map((text) => KeptGroup.safeParse(tryJson(text)).data);
  const lines = parsed.flatMap((line) => (line && line.fromByte + line.numBytes <= size ? [line] : []));
  return { lines, numTorn: parsed.filter((line) => line === undefined).length };
}

function parseToken(row: Record<string, unknown>): GroupToken {
  // Numbers that are not finite, and columns that another version did not write, are unknown.
  const known = Object.entries(row).map(([key, x]) => [key, typeof x === "number" && !Number.isFinite(x) ? null : x]);
  return GroupToken.parse(Object.fromEntries(known));
}

function toDetail(tokens: readonly GroupToken[]): GroupDetail {
  const episodes = [...groupBy(tokens, ({ episode }) => episode).values()].map((own) => ({
    behind: own[0]?.behind ?? null,
    turns: splitTurns(own).map((ofTurn): GroupTurn => {
      const responses = ofTurn.filter(({ role }) => role === "response");
      const column = (name: (typeof numberColumns)[number]) => responses.map((token) => round(token[name]));
      return {
        prompt: ofTurn.find(({ role }) => role === "prompt")?.text ?? "",
        reward: ofTurn[0]?.reward ?? null,
        tokens: {
          text: responses.map(({ text }) => text),
          fate: responses.map(({ fate }) => fate),
          id: column("id"),
          samplerLogProb: column("samplerLogProb"),
          oldLogProb: column("oldLogProb"),
          logProb: column("logProb"),
          ratio: column("ratio"),
          advantage: column("advantage"),
          weight: column("weight"),
          loss: column("loss"),
          gradient: column("gradient"),
        },
      };
    }),
  }));
  return { episodes };
}

/** Splits an episode at its prompts: a response that loop-aware control rejected has the number of the next one. */
function splitTurns(tokens: readonly GroupToken[]): GroupToken[][] {
  const turns: GroupToken[][] = [];
  for (const token of tokens) {
    const last = turns.at(-1);
    if (last && token.role === "response" && last[0]?.turn === token.turn) last.push(token);
    else turns.push([token]);
  }
  return turns;
}

/** Rounds to the nine significant digits of a number in single precision. */
function round(x: number | null): number | null {
  return x === null ? null : Number(x.toPrecision(9));
}
