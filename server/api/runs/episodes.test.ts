import { appendFile, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { StoredEpisode } from "#trainer/spec/storedEpisode.ts";
import { findArtifacts, findModelFolder } from "./artifacts.ts";
import { readEpisode, readEpisodeIndex, type AttemptFolder } from "./episodes.ts";

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "samples-"));
});
afterAll(() => rm(home, { recursive: true }));

function episode(iteration: number, seed: number): StoredEpisode {
  const response = [{ token: "<action>", logProb: -0.1 }];
  const turn = { prompt: "look", response, action: "Up", reward: 1, isFormatValid: true, isActionValid: false };
  return { v: 1, iteration, seed, taskType: "look", isSuccess: seed > 1, episodeReward: seed, turns: [turn, turn] };
}

async function write(number: number, lines: readonly unknown[]): Promise<AttemptFolder> {
  const folder = await mkdtemp(join(home, `attempt-${number}-`));
  await writeFile(join(folder, "samples.jsonl"), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return { number, folder };
}

it("lists the episodes of all attempts, the newest one's where both went through an iteration", async () => {
  const first = await write(1, [episode(0, 1), episode(5, 1), episode(5, 2)]);
  const second = await write(2, [episode(5, 3), episode(10, 3)]);
  const { episodes, numUnreadable, isCut } = await readEpisodeIndex([first, second]);
  expect(episodes.map(({ iteration, seed, attempt, line }) => [iteration, seed, attempt, line])).toEqual([
    [0, 1, 1, 0],
    [5, 3, 2, 0],
    [10, 3, 2, 1],
  ]);
  expect(episodes[2]).toMatchObject({
    taskType: "look",
    isSuccess: true,
    episodeReward: 3,
    numTurns: 2,
    numInvalid: 2,
  });
  expect([numUnreadable, isCut]).toEqual([0, false]);
  expect(await readEpisode(second.folder, 1)).toEqual(episode(10, 3));
  await expect(readEpisode(second.folder, 9)).rejects.toThrow("no episode at line 9");
});

it("waits for a line that is still being written, and counts what is no episode", async () => {
  const attempt = await write(1, [{ v: 2 }, episode(0, 1)]);
  await appendFile(join(attempt.folder, "samples.jsonl"), JSON.stringify(episode(5, 1)).slice(0, 40));
  const { episodes, numUnreadable } = await readEpisodeIndex([attempt]);
  expect([episodes.length, numUnreadable]).toEqual([1, 1]);
  expect(await readEpisode(attempt.folder, 1)).toEqual(episode(0, 1));
});

it("has nothing to list for a run without samples", async () => {
  const folder = await mkdtemp(join(home, "empty-"));
  expect(await readEpisodeIndex([{ number: 1, folder }])).toEqual({ episodes: [], numUnreadable: 0, isCut: false });
});

it("offers each file as the newest attempt that has it wrote it, and never one outside", async () => {
  const first = await write(1, [episode(0, 1)]);
  const second = { number: 2, folder: join(home, "second") };
  await mkdir(second.folder);
  await writeFile(join(second.folder, "policy.onnx"), "12345");
  expect(await findArtifacts([first, second])).toMatchObject([
    { name: "policy.onnx", sizeBytes: 5, attempt: 2 },
    { name: "samples.jsonl", attempt: 1 },
  ]);
  await mkdir(join(second.folder, "model"));
  await writeFile(join(second.folder, "model", "model.safetensors"), "123");
  await writeFile(join(second.folder, "model.safetensors"), "not where a trainer leaves it");
  expect(await findArtifacts([second])).toMatchObject([
    { name: "policy.onnx" },
    { name: "model.safetensors", sizeBytes: 3 },
  ]);
  // The model is rewritten as several files, which are listed individually.
  const third = { number: 3, folder: join(home, "third") };
  const shards = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"];
  await mkdir(join(third.folder, "model"), { recursive: true });
  for (const name of [...shards, "model.safetensors.index.json", "model-of-another.safetensors"]) {
    await writeFile(join(third.folder, "model", name), "12");
  }
  const found = await findArtifacts([third]);
  expect(found.map(({ name }) => name)).toEqual(["model.safetensors.index.json", ...shards]);
  expect(await findModelFolder([second, third])).toBe(join(third.folder, "model"));
  await rm(join(third.folder, "model", shards[1] ?? ""));
  expect(await findModelFolder([second, third])).toBe(join(second.folder, "model"));
  await symlink("/etc/passwd", join(second.folder, "vocabulary.json"));
  await expect(findArtifacts([second])).rejects.toThrow("leads out of the attempt's folder");
});
