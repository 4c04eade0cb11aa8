import { describe, expect, it } from "vitest";
import { readName } from "../names/canonical.ts";
import { parseNumber } from "./point.ts";
import { toSeries } from "./toSeries.ts";
import { parseTrainerState, parseTrlLine } from "./trl.ts";
import { parseVerlConsole, parseVerlFile } from "./lineReader.ts";

describe("numbers as Python prints them", () => {
  it.each([
    ["0.0123", 0.0123],
    ["-3.2e-05", -3.2e-5],
    ["1.", 1],
    [".5", 0.5],
    ["nan", NaN],
    ["-inf", -Infinity],
    ["True", 1],
    ["np.float64(0.41)", 0.41],
    ["np.float32(nan)", NaN],
    ["np.int64(3)", 3],
    ["tensor(0.25)", 0.25],
    ["tensor(1e-05, device='cuda:0', grad_fn=<MeanBackward0>)", 1e-5],
    ["array([0.5])", 0.5],
    ["torch.tensor(nan)", NaN],
    ["+inf", Infinity],
    ["np.True_", undefined],
    ["'text'", undefined],
    ["[1, 2]", undefined],
    ["", undefined],
    ["0x10", undefined],
  ])("%s", (text, value) => expect(parseNumber(text)).toEqual(value));
});

describe("verl's console line", () => {
  it("is read through Ray's prefix, colours and a progress bar", () => {
    const line =
      "\u001b[36m(TaskRunner pid=222265, ip=10.0.0.7)\u001b[0m Training:  6%|▌ | 12/200 step:12 - actor/pg_loss:np.float64(-0.0031) - actor/grad_norm:nan - episode/success_rate:0.34375 - train/lr(1e-3):1 - note:warm - timing_s/step:88.1";
    expect(parseVerlConsole(line)).toEqual({
      step: 12,
      values: {
        "actor/pg_loss": -0.0031,
        "actor/grad_norm": NaN,
        "episode/success_rate": 0.34375,
        "train/lr(1e-3)": 1,
        "timing_s/step": 88.1,
      },
    });
  });

  it.each(["", "step:1", "the last step:7 was slow", "{'step': 1}", "epoch 3 step 4 - loss:1"])(
    "is nothing else: %s",
    (line) => expect(parseVerlConsole(line)).toBeUndefined(),
  );

  it("splits a value from its key at the last colon", () => {
    expect(parseVerlConsole("step:0 - val-core/aime:24/acc/mean@4:0.5")?.values).toEqual({
      "val-core/aime:24/acc/mean@4": 0.5,
    });
  });
});

it("verl's file logger writes numbers that are not finite as null, which stays a value", () => {
  const line = '{"step": 3, "data": {"actor/pg_loss": -0.01, "actor/grad_norm": null, "note": "x", "done": true}}';
  expect(parseVerlFile(line)).toEqual({
    step: 3,
    values: { "actor/pg_loss": -0.01, "actor/grad_norm": NaN, done: 1 },
  });
  expect(parseVerlFile('{"step": 3')).toBeUndefined();
  expect(parseVerlFile('{"step": "3", "data": {}}')).toBeUndefined();
});

describe("TRL", () => {
  it("is read from the printed dictionary", () => {
    expect(
      parseTrlLine("{'loss': -0.01, 'grad_norm': np.float64(0.3), 'kl': nan, 'reward': None, 'epoch': 0.03}"),
    ).toEqual({ loss: -0.01, grad_norm: 0.3, kl: NaN, epoch: 0.03 });
    expect(parseTrlLine("{'loss': '0.5', 'learning_rate': '1e-06'}")).toEqual({ loss: 0.5, learning_rate: 1e-6 });
  });

  it.each(["{}", "{'loss': }", "loss: 1", "{a: 1}", '{"loss": 1}'])("is nothing else: %s", (line) =>
    expect(parseTrlLine(line)).toBeUndefined(),
  );

  it("is read from the trainer's state", () => {
    const state = {
      best_metric: null,
      log_history: [
        { step: 10, epoch: 0.1, loss: 0.5, kl: null },
        { step: 10, eval_reward: 0.25 },
        { train_runtime: 100 },
      ],
    };
    expect(parseTrainerState(JSON.stringify(state).replace('"kl":null', '"kl":NaN'))).toEqual({
      steps: [
        { step: 10, values: { epoch: 0.1, loss: 0.5, kl: NaN } },
        { step: 10, values: { eval_reward: 0.25 } },
      ],
      unread: { count: 1, first: ['{"train_runtime":100}'] },
      isCut: false,
    });
    expect(parseTrainerState("{}")).toBeUndefined();
  });
});

describe("canonical keys", () => {
  it.each([
    ["actor/grad_norm", "verl", "update/gradientNorm"],
    ["critic/score/mean", "verl", "rollout/returnMean"],
    ["episode/success_rate", "verlAgent", "rollout/successRate"],
    ["kl", "trl", "policy/klReference"],
    ["train/kl", "trl", "policy/klReference"],
    ["update/gradientNorm", "trl", "update/gradientNorm"],
  ] as const)("%s of %s is %s", (key, dialect, canonical) => expect(readName(key, dialect)?.is).toBe(canonical));

  it("keep what nobody knows, name originals, and never lose a second value of one meaning", () => {
    const values = { "actor/entropy": 1, "actor/entropy_loss": 2, "perf/mfu/actor": 0.4 };
    const named = { "policy/entropy": 1, "actor/entropy_loss": 2, "perf/mfu/actor": 0.4 };
    for (const one of [values, Object.fromEntries(Object.entries(values).reverse())]) {
      expect(toSeries({ lines: [{ step: 1, values: one }], dialect: "verl" })).toEqual({
        points: [{ iteration: 1, values: named }],
        originals: { "policy/entropy": "actor/entropy" },
        percents: [],
        notes: [],
      });
    }
  });
});
