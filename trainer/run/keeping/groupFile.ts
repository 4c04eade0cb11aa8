import { existsSync, mkdirSync, readFileSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { parquetWriteBuffer } from "hyparquet-writer";
import { groupFiles, KeptGroup, type GroupToken, type GroupToWrite } from "#trainer/spec/keptGroup.ts";
import { tryJson } from "#trainer/spec/tryJson.ts";
import { appendWhole } from "./appendWhole.ts";

export type GroupFile = {
  /** True if an earlier process wrote this iteration's groups. */
  has(iteration: number): boolean;
  write(groups: readonly GroupToWrite[]): void;
};

/** Opens the files of training groups in a folder. Bytes and lines of an interrupted write are cut off. */
export function openGroups(folder: string): GroupFile {
  const [index, tokens] = [join(folder, groupFiles.index), join(folder, groupFiles.tokens)];
  const known = repair(index, tokens);
  let fromByte = sizeOf(tokens);
  return {
    has: (iteration) => known.has(iteration),
    write(groups) {
      if (groups.length === 0) return;
      mkdirSync(folder, { recursive: true });
      const files = groups.map((group) => encodeTokens(group.tokens));
      let at = fromByte;
      const lines = groups.map(({ head }, i): KeptGroup => {
        const numBytes = files[i]?.length ?? 0;
        at += numBytes;
        return { ...head, fromByte: at - numBytes, numBytes };
      });
      // Tokens are written before the lines that name their place.
      appendWhole(tokens, Buffer.concat(files));
      appendWhole(index, Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join("")));
      fromByte = at;
    },
  };
}

const columnTypes = {
  episode: "INT32",
  turn: "INT32",
  role: "STRING",
  text: "STRING",
  id: "INT32",
  reward: "DOUBLE",
  return: "DOUBLE",
  behind: "INT32",
  samplerLogProb: "FLOAT",
  oldLogProb: "FLOAT",
  logProb: "FLOAT",
  ratio: "FLOAT",
  advantage: "FLOAT",
  weight: "FLOAT",
  loss: "FLOAT",
  gradient: "FLOAT",
  fate: "STRING",
} as const satisfies Record<keyof GroupToken, string>;

/** Encodes a group as a Parquet file with one row per token. */
export function encodeTokens(tokens: readonly GroupToken[]): Uint8Array {
  const names = Object.keys(columnTypes).filter((name): name is keyof GroupToken => name in columnTypes);
  const columnData = names.map((name) => ({
    name,
    type: columnTypes[name],
    data: tokens.map((token) => token[name]),
    offsetIndex: false,
  }));
  return new Uint8Array(parquetWriteBuffer({ columnData, statistics: false, rowGroupSize: tokens.length || 1 }));
}

/** Cuts both files to the groups that are complete, and returns their iterations. */
function repair(index: string, tokens: string): Set<number> {
  const iterations = new Set<number>();
  if (!existsSync(index)) {
    if (existsSync(tokens)) truncateSync(tokens, 0);
    return iterations;
  }
  let [intactBytes, end] = [0, 0];
  const available = sizeOf(tokens);
  for (const line of readFileSync(index, "utf8").split("\n").slice(0, -1)) {
    const group = KeptGroup.safeParse(tryJson(line)).data;
    if (!group || group.fromByte + group.numBytes > available) break;
    iterations.add(group.iteration);
    intactBytes += Buffer.byteLength(line) + 1;
    end = group.fromByte + group.numBytes;
  }
  truncateSync(index, intactBytes);
  if (available > end) truncateSync(tokens, end);
  return iterations;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
