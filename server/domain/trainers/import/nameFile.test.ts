import { expect, it } from "vitest";
import { nameFile } from "./nameFile.ts";

it.each([
  ["out/grpo_s1/checkpoint-200/trainer_state.json", "grpo_s1", "out/grpo_s1"],
  ["grpo_s1/global_step_50/metrics.jsonl", "grpo_s1", "grpo_s1"],
  ["/data/runs/gspo_s2/events.out.tfevents.1700000000.node7.42.0", "gspo_s2", "data/runs/gspo_s2"],
  ["C:\\runs\\gspo s2\\logs\\events.out.tfevents.1", "gspo s2", "C:/runs/gspo s2"],
  ["home/runs/sweep-c0-s1/2/events.jsonl", "sweep-c0-s1", "home/runs/sweep-c0-s1"],
  ["out/grpo_s1/rollouts/17.jsonl", "grpo_s1", "out/grpo_s1"],
  ["out/grpo_s1/train_resume.log", "grpo_s1", "out/grpo_s1"],
  ["out/grpo_s1/stdout-attempt2.txt", "grpo_s1", "out/grpo_s1"],
  ["out/notes.log", "notes.log", undefined],
  ["out/training.log", "out", "out"],
  ["out/grpo_s1/eval/metrics.csv", "grpo_s1", "out/grpo_s1"],
  [
    "mlruns/1/0123456789abcdef0123456789abcdef/metrics/train/loss",
    "0123456789abcdef0123456789abcdef",
    "mlruns/1/0123456789abcdef0123456789abcdef",
  ],
  ["out/grpo_s1.jsonl", "grpo_s1.jsonl", undefined],
  ["trainer_state.json", "trainer_state.json", undefined],
  ["checkpoint-5/trainer_state.json", "trainer_state.json", undefined],
])("%s is called %s", (path, name, folder) => expect(nameFile(path)).toEqual({ name, folder }));
