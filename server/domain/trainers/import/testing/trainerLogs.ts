/** One step with its metrics, under the trainer's own names. */
export type Measured = { step: number; values: Readonly<Record<string, number>> };

const dictionary = (values: Readonly<Record<string, number | string>>, joint = ", "): string =>
  `{${Object.entries(values)
    .map(([key, value]) => `'${key}': ${typeof value === "string" ? `'${value}'` : value}`)
    .join(joint)}}`;

const below = (prefix: string, { values }: Measured): Record<string, number> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) =>
      key.startsWith(prefix) ? [[key.slice(prefix.length), value]] : [],
    ),
  );

const verlLine = ({ step, values }: Measured): string =>
  `(TaskRunner pid=71) step:${step} - ${Object.entries(values)
    .map(([key, value]) => `${key}:${value}`)
    .join(" - ")}`;

const nemoLabels = {
  Loss: "train/loss",
  "Generation KL Error": "train/gen_kl_error",
  "Avg Reward": "train/reward",
  "Mean Generation Length": "train/mean_gen_tokens_per_sample",
};

const primeLabels = {
  Loss: "loss/mean",
  Entropy: "entropy/all/mean",
  "Mismatch KL": "mismatch_kl/all/mean",
  "Grad. Norm": "optim/grad_norm",
  LR: "optim/lr",
  Throughput: "perf/throughput",
};

/**
 * Functions that return each trainer's console output for one step as its source code prints it, with exactly the
 * printed names.
 */
export const consoleWriters: Readonly<Record<string, (measured: Measured) => string>> = {
  verl: verlLine,
  "verl-agent": verlLine,
  arlarena: verlLine,
  ragen: verlLine,
  rllm: verlLine,
  openrlhf: (one) =>
    [
      `INFO 08-13 10:02:11 ppo_trainer.py:546] ✨ Global step ${one.step}: ${dictionary(below("train/", one))}`,
      `INFO 08-13 10:02:19 ppo_trainer.py:610] ✨ Evaluation completed in 0:00:08, global_step ${one.step}, eval_metrics: ${dictionary(below("eval/", one))}`,
    ].join("\n"),
  skyrl: ({ step, values }) => {
    const texts = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, value.toFixed(4)]));
    const head = "2026-08-21 10:02:11.345 | INFO     | skyrl.train.utils.tracking:log:189 - ";
    return `${head}Step ${step}: \n${dictionary(texts, ",\n ")}`;
  },
  slime: (one) => {
    const line = (kind: string, groups: readonly string[]) => {
      const entries = Object.entries(one.values).filter(([key]) => groups.some((group) => key.startsWith(group)));
      return `(RayTrainGroup pid=9) [2026-08-21 10:02:11] model.py:919 - ${kind} ${one.step}: ${dictionary(Object.fromEntries(entries))}`;
    };
    return [
      line("rollout", ["rollout/", "passrate/", "multi_turn/"]),
      line("step", ["train/"]),
      line("perf", ["perf/"]),
      line("eval", ["eval/"]),
    ].join("\n");
  },
  "nemo-rl": ({ step, values }) => {
    const written = (label: string, key: string, unit = "") =>
      values[key] === undefined ? [] : [`  • ${label}: ${values[key]}${unit}`];
    return [
      `${"=".repeat(25)} Step ${step}/1000 ${"=".repeat(25)}`,
      "📊 Training Results:",
      ...Object.entries(nemoLabels).flatMap(([label, key]) => written(label, key)),
      "⏱️  Timing:",
      ...written("Total step time", "timing/train/total_step_time", "s"),
      ...["policy_training", "generation", "policy_and_reference_logprobs", "checkpointing"].flatMap((part) =>
        written(part, `timing/train/${part}`, "s (47.6%)"),
      ),
      "📊 Validation Results:",
      ...written("Accuracy", "validation/accuracy").map((line) => `  ${line}`),
      ...written("Total validation time", "timing/validation/total_validation_time", "s"),
    ].join("\n");
  },
  "prime-rl": ({ step, values }) => {
    const parts = Object.entries(primeLabels).flatMap(([label, key]) =>
      values[key] === undefined ? [] : [`${label} ${values[key]}${label === "Throughput" ? " tokens/s" : ""}`],
    );
    const reward = values["train/agg/all/solver/reward/mean"] ?? 0;
    const turns = values["train/agg/all/num_turns/mean"] ?? 0;
    return [
      `10:02:11 SUCCESS Step ${step} |  ${values["time/step"]}s | ${parts.join(" | ")} | MFU 31.2% | Peak Mem. 61.3 GiB`,
      `10:02:12 SUCCESS Step ${step} | 1m 11s | Reward ${reward} | Trainable 96/128 (75.0%) | Turns ${turns} | Branches 1.0 | Max Off-Policy 2 | Error 0.0% | Cancelled 0.0% | Truncation 1.6%`,
      `10:02:13 SUCCESS Evaluated math (Step ${step}) | Policy v${step} | 3.1s | Reward ${values["eval/math/all/solver/reward/mean"] ?? 0}`,
    ].join("\n");
  },
  roll: ({ step, values }) =>
    `[2026-08-19 10:02:11] [tracking.py (161)] [INFO] metrics_tag: ${JSON.stringify({ step, metrics: values })}`,
  areal: ({ step, values }) => {
    const cells = Object.entries(values).map(([key, value]) => `│ ${key} │ ${value.toExponential(4)} `);
    const rows = cells.flatMap((_, i) => (i % 4 === 0 ? [`${cells.slice(i, i + 4).join("")}│`] : []));
    return [
      `(AReaL) 20260821-10:02:11.345 StatsLogger INFO: Epoch 1/10 Step ${step + 1}/468 Train step ${step + 1}/4680 done.`,
      "(AReaL) 20260821-10:02:11.345 StatsLogger INFO: Stats (1/1):",
      "(AReaL) 20260821-10:02:11.345 StatsLogger INFO: ",
      "╒═════╤═════╕",
      rows.join("\n├─────┼─────┤\n"),
      "╘═════╧═════╛",
    ].join("\n");
  },
};

/** Functions that return lines as written by verl's `file` logger (`data`) and by prime-rl's file monitor. */
export const jsonWriters: Readonly<Record<string, (measured: Measured) => string>> = {
  verl: ({ step, values }) => JSON.stringify({ step, data: values }),
  rllm: ({ step, values }) => JSON.stringify({ step, data: values }),
  // Two processes of prime-rl append to one file, each with its own time per step.
  "prime-rl": ({ step, values }) => {
    const isOrchestrators = (key: string) =>
      /^(train|eval|progress|off_policy|batch)\/|^time\/(pack|wait_for_policy)$/.test(key);
    const row = (offset: number, more: object, isIn: (key: string) => boolean) =>
      JSON.stringify({
        step,
        time: 1_787_000_000 + step + offset,
        ...more,
        ...Object.fromEntries(Object.entries(values).filter(([key]) => isIn(key))),
      });
    return [row(0, {}, (key) => !isOrchestrators(key)), row(5, { "time/step": 99 }, isOrchestrators)].join("\n");
  },
};

/** Returns the CSV of one run's history as W&B exports it. */
export function toWandbCsv(measured: readonly Measured[]): string {
  const keys = Object.keys(measured[0]?.values ?? {});
  const quote = (text: string) => `"${text}"`;
  const rows = measured.map(({ step, values }) => [step, ...keys.map((key) => values[key])].join(","));
  return [["_step", ...keys].map(quote).join(","), ...rows, ""].join("\n");
}

/** Returns the CSV that MLflow exports, with names that MLflow allows. */
export function toMlflowCsv(measured: readonly Measured[]): string {
  const nameOf = (key: string) => key.replaceAll("@", "_at_").replaceAll(/[^\w/.\-: ]/g, "_");
  const rows = measured.flatMap(({ step, values }) =>
    Object.entries(values).map(([key, value]) => `run,1f,"${nameOf(key)}",${step},1787000000000,${value}`),
  );
  return ["Run,Run ID,metric,step,timestamp,value", ...rows, ""].join("\n");
}

/** Returns the bytes of a TensorBoard event file, with float32 scalars and names cleaned as by PyTorch's writer. */
export function toEventFile(measured: readonly Measured[]): Uint8Array {
  const records = measured.flatMap(({ step, values }) =>
    Object.entries(values).map(([key, value]) => withChecksums(scalar(key.replaceAll(/[^-/\w.]/g, "_"), value, step))),
  );
  return Uint8Array.from(records.flat());
}

function scalar(tag: string, value: number, step: number): number[] {
  const text = [...new TextEncoder().encode(tag)];
  const float = [...new Uint8Array(Float32Array.of(value).buffer)];
  const inner = [0x0a, ...varint(text.length), ...text, 0x15, ...float];
  const summary = [0x0a, ...varint(inner.length), ...inner];
  return [0x10, ...varint(step), 0x2a, ...varint(summary.length), ...summary];
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
}

/**
 * Frames a record of an event file with its length and both checksums: CRC-32C computed bit by bit, masked as the
 * format requires.
 */
function withChecksums(record: readonly number[]): number[] {
  const checksum = (bytes: readonly number[]): number[] => {
    let crc = 0xffffffff;
    for (const byte of bytes) {
      crc ^= byte;
      for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
    }
    crc = ~crc >>> 0;
    const masked = ((((crc >>> 15) | (crc << 17)) >>> 0) + 0xa282ead8) >>> 0;
    return [0, 8, 16, 24].map((shift) => (masked >>> shift) & 0xff);
  };
  const length = [...[0, 8, 16, 24].map((shift) => (record.length >>> shift) & 0xff), 0, 0, 0, 0];
  return [...length, ...checksum(length), ...record, ...checksum(record)];
}
