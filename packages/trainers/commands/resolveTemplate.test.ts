import { describe, expect, it } from "vitest";
import { methodOf } from "#trainer/spec/method.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import { resolveTemplate } from "./resolveTemplate.ts";
import { TrainersFile } from "./template.ts";

const place = { folder: "/runs/r/2", runFolder: "/runs/r", run: "r", attempt: 2, home: "/home/me" };
const spec = (options: object = {}, method: Parameters<typeof methodOf>[0] = "grpo", name = "mine") =>
  RunSpec.parse({
    v: 1,
    seed: 7,
    environment: { id: "sokoban" },
    method: methodOf(method),
    trainer: { name, options },
  });

const { trainers } = TrainersFile.parse({
  trainers: {
    mine: {
      kind: "command",
      command: [
        "python3",
        "train.py",
        "--seed={seed}",
        ["--clip", "{method.clipping.low}"],
        "--flag={options.bold:python}",
        "{{literal}}",
        "rate {optimizer.learningRate}; rm -rf /",
        8,
      ],
      options: { bold: { type: "flag", default: true }, size: { type: "choice", of: ["s", "m"] } },
      environment: { OUT: "{folder}/out", SIZE: "s" },
      folder: "/work",
      metrics: { kind: "jsonLines", file: "{folder}/metrics.jsonl" },
    },
    texts: { kind: "command", command: ["train", "{options.note}"], options: { note: { type: "text" } } },
    broken: { kind: "command", command: ["x", "{method.clipping.low}"] },
    verl: { kind: "verl", models: { sokoban: "/models/vl" }, overrides: ["trainer.foo={seed}"] },
    trl: { kind: "trl", script: "{home}/grpo.py", arguments: ["--bf16"] },
  },
});

describe("a trainer's template", () => {
  it("becomes an argument list: no text is ever a shell's", () => {
    expect(resolveTemplate(trainers, spec(), place)).toEqual({
      name: "mine",
      argv: [
        "python3",
        "train.py",
        "--seed=7",
        "--clip",
        "0.2",
        "--flag=True",
        "{literal}",
        "rate 0.0003; rm -rf /",
        "8",
      ],
      environment: { OUT: "/runs/r/2/out", SIZE: "s" },
      folder: "/work",
      metrics: { kind: "jsonLines", file: "/runs/r/2/metrics.jsonl" },
      notes: [],
    });
  });

  it("leaves a group out whose placeholder names nothing, and refuses a single argument that does", () => {
    expect(resolveTemplate(trainers, spec({}, "sapo"), place).argv).not.toContain("--clip");
    expect(() => resolveTemplate(trainers, spec({}, "sapo", "broken"), place)).toThrow("{method.clipping.low}");
  });

  it.each([
    [{ bold: "yes" }, 'trainer.options.bold: "yes" is no flag'],
    [{ size: "xl" }, "no choice of s, m"],
    [{ bald: true }, "has no such option (it has bold, size)"],
  ])("refuses options that are not its own or not of their type: %j", (options, problem) => {
    expect(() => resolveTemplate(trainers, spec(options), place)).toThrow(problem);
  });

  it("lets no text of a sweep become an option of the program, wherever it stands", () => {
    // This specification bypasses the schema, like a database row from an older version.
    const stored = { ...spec(), trainer: { name: "texts", options: { note: "--eval=1" } } };
    expect(() => resolveTemplate(trainers, stored, place)).toThrow(
      'trainer.options.note: "--eval=1" begins with "-": it would be an option of the program, not a value',
    );
    expect(() => resolveTemplate(trainers, spec({ note: "${oc.env:KEY}" }, "grpo", "texts"), place)).toThrow(
      'trainer.options.note: "${oc.env:KEY}" has "${" in it: Hydra would put a variable of the environment there',
    );
    expect(() => spec({ note: "-x" }, "grpo", "texts")).toThrow(
      'must not begin with \\"-\\", because the program would read it as an option',
    );
    expect(resolveTemplate(trainers, spec({ note: "a-b" }, "grpo", "texts"), place).argv).toEqual(["train", "a-b"]);
  });

  it("is the administrator's: a name that the file does not have is refused", () => {
    expect(() => resolveTemplate(trainers, spec({}, "grpo", "other"), place)).toThrow(
      'there is no trainer "other" in the administrator\'s file (it has mine, texts, broken, verl, trl)',
    );
    expect(() => resolveTemplate(trainers, spec({}, "grpo", "constructor"), place)).toThrow("there is no trainer");
  });

  it("writes verl's and TRL's command lines, the administrator's own arguments last", () => {
    const verl = resolveTemplate(trainers, spec({}, "grpo", "verl"), place);
    expect(verl.argv.slice(0, 3)).toEqual(["python3", "-m", "recipe.game_agent.main_game_agent_ablation"]);
    expect(verl.argv.at(-1)).toBe("trainer.foo=7");
    const [, , , , rows] = verl.prepare ?? [];
    expect(verl.prepare?.slice(0, 4)).toEqual(["python3", "-m", "examples.data_preprocess.prepare", "--mode=visual"]);
    expect(rows).toBe(`--local_dir=${place.folder}/data`);
    expect(verl.argv).toContain(`data.train_files=${place.folder}/data/visual/train.parquet`);
    expect(verl.metrics).toEqual({ kind: "verlConsole" });
    const { argv } = resolveTemplate(trainers, spec({}, "gspo", "trl"), place);
    expect(argv.slice(0, 2)).toEqual(["python3", "/home/me/grpo.py"]);
    expect(argv.join(" ")).toContain("--importance_sampling_level sequence --epsilon 0.003 --epsilon_high 0.004");
    expect(argv.at(-1)).toBe("--bf16");
    expect(() => resolveTemplate(trainers, spec({}, "sampo", "trl"), place)).toThrow("TRL resamples no groups");
  });

  it.each([
    ["uv run --frozen --extra vllm python3", ["uv", "run", "--frozen", "--extra", "vllm", "python3"], undefined],
    ["accelerate launch --num_processes 2", ["accelerate", "launch", "--num_processes", "2"], ["python3"]],
    ["uv run torchrun --nproc-per-node=4", ["uv", "run", "torchrun", "--nproc-per-node=4"], ["uv", "run", "python3"]],
    [
      "apptainer exec --nv '/images/my verl.sif' python3",
      ["apptainer", "exec", "--nv", "/images/my verl.sif", "python3"],
      undefined,
    ],
    ["{home}/env/bin/python", ["/home/me/env/bin/python"], undefined],
  ])("takes %s for a command line, and asks the Python below it what it has", (python, words, below) => {
    const { trainers: made } = TrainersFile.parse({ trainers: { trl: { kind: "trl", script: "grpo.py", python } } });
    const { argv, reporting } = resolveTemplate(made, spec({}, "gspo", "trl"), place);
    expect(argv.slice(0, words.length + 1)).toEqual([...words, "grpo.py"]);
    expect(reporting?.python).toEqual(below ?? words);
  });

  it("refuses a command line whose quote stays open", () => {
    const open = { trainers: { trl: { kind: "trl", script: "grpo.py", python: "uv run 'python3" } } };
    expect(TrainersFile.safeParse(open).error?.issues[0]?.message).toContain("quotes are closed");
  });

  it("says which of verl's metrics are sums under a command's aggregation", () => {
    const { trainers: made } = TrainersFile.parse({ trainers: { verl: { kind: "verl", models: { default: "m" } } } });
    const base = spec({}, "grpo", "verl");
    const summedBy = (aggregation: "tokenMean" | "seqMeanTokenSum") =>
      resolveTemplate(made, { ...base, method: { ...base.method, aggregation } }, place).summed;
    expect(summedBy("tokenMean")).toBeUndefined();
    expect(summedBy("seqMeanTokenSum")).toEqual(["actor/entropy", "actor/entropy_loss", "actor/kl_loss"]);
  });

  it("caps CISPO's weight where TRL means an absolute cap", () => {
    const { argv } = resolveTemplate(trainers, spec({}, "cispo", "trl"), place);
    expect(argv.join(" ")).toContain("--loss_type cispo --epsilon_high 1.2");
  });
});

const spelledOut: [string, Record<string, unknown>, string, string][] = [
  ["verl", { overrides: ["trainer.foo=1", "trainer.wandb_api_key=planted"] }, "overrides.1", "trainer.wandb_api_key"],
  ["areal", { overrides: ["+hub.hf_token='planted'"] }, "overrides.0", "+hub.hf_token"],
  ["verl", { overrides: ["++db.password=planted"] }, "overrides.0", "++db.password"],
  ["verl", { python: "env WANDB_API_KEY=planted python3" }, "python", "WANDB_API_KEY"],
  [
    "verl",
    { models: { default: "https://me:planted@models.example/qwen" } },
    "models.default",
    "password in an address",
  ],
  ["trl", { script: "grpo.py", arguments: ["--bf16", "--hub_token=planted"] }, "arguments.1", "--hub_token"],
  ["trl", { script: "grpo.py", arguments: ["--hub-token", "planted"] }, "arguments.1", "--hub-token"],
  ["trl", { script: "grpo.py", python: "accelerate launch --hf_token 'planted one'" }, "python", "--hf_token"],
  ["primeRl", { config: "a.toml", arguments: ["--wandb.api-key", "planted"] }, "arguments.1", "--wandb.api-key"],
  ["primeRl", { config: "a.toml", command: ["env", "HF_TOKEN=planted==", "uv"] }, "command.1", "HF_TOKEN"],
  ["command", { command: ["sh", "-c", "export GITHUB_TOKEN=planted; python3 a.py"] }, "command.2", "GITHUB_TOKEN"],
  ["command", { command: ["docker", "--env=MY_SECRET=planted"] }, "command.1", "MY_SECRET"],
  ["command", { command: ["a", ["--model", "m", "--my-api-key", "planted"]] }, "command.1.3", "--my-api-key"],
  ["command", { command: ["a", "--password={options.word}"] }, "command.1", "--password"],
  ["command", { command: ["a", `hf_${"planted".repeat(5)}`] }, "command.1", "access token"],
  ["command", { command: ["a"], folder: "/data;password=planted" }, "folder", "password"],
  ["command", { command: ["a"], environment: { WORDS: "--api_key planted" } }, "environment.WORDS", "--api_key"],
];

it.each(spelledOut)("refuses a secret written into a template of %s: %j", (kind, given, path, name) => {
  const { error } = TrainersFile.safeParse({ trainers: { mine: { kind, ...given } } });
  expect(error?.issues.map((issue) => issue.path.join("."))).toEqual([`trainers.mine.${path}`]);
  const [issue] = error?.issues ?? [];
  expect(issue?.message).toContain(`writes out the secret ${name}: name its variable under secrets`);
  expect(issue?.message).not.toContain("planted");
});

it("accepts names of secrets, placeholders, variables and values that are no secrets", () => {
  const verl = [
    "trainer.api_key=${oc.env:WANDB_API_KEY, null}",
    "hub_token=null",
    "data.max_token=7",
    "password={run}",
  ];
  const trl = ["--hub_token", "{home}", "--use_hf_token", "true", "--password", "--pad_token", "x", "--hf_token=False"];
  const command = ["sh", "-c", 'HF_TOKEN="$HF_TOKEN" python3 a.py --api_key $WANDB_API_KEY --tokens=7 http://me@host/'];
  const trainers = {
    verl: { kind: "verl", overrides: verl },
    trl: { kind: "trl", script: "grpo.py", arguments: trl },
    command: { kind: "command", command, environment: { HF_TOKEN: "noted, see adviseSecrets" } },
  };
  expect(TrainersFile.safeParse({ trainers }).error).toBeUndefined();
});
