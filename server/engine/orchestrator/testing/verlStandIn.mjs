// Stand-in for `python3 -m verl.trainer.main_ppo` in tests. It accepts only arguments that verl 0.9.1 knows, and
// checks sizes as verl does at its start. It prints the lines that verl's own code printed (verlLines.json), in which it
// replaces numbers. SAPO collapses after step 30 and then waits to be stopped. The second seed of GSPO fails once in
// each run folder.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const known = JSON.parse(readFileSync(new URL("verlKeys.json", import.meta.url), "utf8"));
const printed = JSON.parse(readFileSync(new URL("verlLines.json", import.meta.url), "utf8"));
/** Lines of an evaluation, a step, and a step with an evaluation. */
const [evaluation, training, both] = printed.releases[known.release].lines;
const flags = new Set(known.flag);
const numbers = new Set(known.number);
const keys = new Set([...known.flag, ...known.number, ...known.text, ...known.any]);

const [flag, module, ...overrides] = process.argv.slice(2);
if (flag === "-c" && module.includes("version('verl')")) {
  console.log(known.release);
  process.exit(0);
}
if (flag !== "-m" || module !== "verl.trainer.main_ppo") refuse(`no module named ${module}`);
const values = new Map();
for (const override of overrides) {
  const [, added, key, value] = /^(\+?)([\w.]+)=(.*)$/s.exec(override) ?? [];
  if (key === undefined) refuse(`${override} is no override`);
  if (keys.has(key) === (added === "+"))
    refuse(`could not override ${key}: the key is ${added ? "" : "not "}in struct`);
  if (flags.has(key) && !/^(True|False|true|false)$/.test(value)) refuse(`${key}: ${value} is no flag`);
  if (numbers.has(key) && !Number.isFinite(Number(value))) refuse(`${key}: ${value} is no number`);
  if (values.has(key)) refuse(`${key} is given twice`);
  values.set(key, value.replace(/^'(.*)'$/s, "$1"));
}
const text = (key) => values.get(key) ?? refuse(`${key} is missing`);
const number = (key) => Number(text(key));

const numGpus = number("trainer.n_gpus_per_node") * number("trainer.nnodes");
const group = number("actor_rollout_ref.rollout.n");
const rows = number("data.train_batch_size") * group;
const mini = number("actor_rollout_ref.actor.ppo_mini_batch_size") * group;
if (rows % numGpus !== 0) refuse(`${rows} rows on ${numGpus} GPUs`);
if (mini > rows || mini % numGpus !== 0) refuse(`mini-batches of ${mini} rows on ${numGpus} GPUs`);
if (numGpus % number("actor_rollout_ref.rollout.tensor_model_parallel_size") !== 0) refuse("tensor parallel");
// A node that assigns GPUs must make exactly the requested number of them visible.
const visible = process.env.CUDA_VISIBLE_DEVICES?.split(",").length ?? numGpus;
if (visible !== numGpus) refuse(`${visible} GPUs are visible, ${numGpus} are asked for`);
for (const key of ["data.train_files", "data.val_files", "reward.custom_reward_function.path"]) {
  if (!existsSync(text(key))) refuse(`${text(key)} is not there`);
}

const [loss, seed] = [values.get("actor_rollout_ref.actor.policy_loss.loss_mode") ?? "vanilla", number("data.seed")];
const checkpoints = text("trainer.default_local_dir");
mkdirSync(checkpoints, { recursive: true });
const failedOnce = join(checkpoints, "failed-once");
const failsNow = loss === "gspo" && seed === 1 && !existsSync(failedOnce);
const steps = number("trainer.total_training_steps");
const every = number("trainer.test_freq");
for (let step = 0; step <= steps; step++) {
  const falls = loss === "sapo" && step > 30;
  const noise = Math.sin(12.9898 * (step + 1) * (seed + 1) + loss.length) / 40;
  const best = 0.45 + { vanilla: 0.2, gspo: 0.25, cispo: 0.15, sapo: 0.2 }[loss];
  const success = falls
    ? Math.max(0.005, 0.5 - (step - 30) / 10)
    : Math.min(0.98, best - 0.35 * Math.exp(-step / 12) + noise);
  const measured = {
    "critic/score/mean": Math.min(1, success + 0.1),
    "actor/grad_norm": falls ? 4 + (step - 30) : 0.4 + noise,
    "actor/entropy": falls ? Math.max(0.01, 0.6 - (step - 30) / 20) : 0.6 + noise,
    "actor/ppo_kl": falls ? 0.5 : 0.001,
    "actor/kl_loss": falls ? (step - 30) / 5 : 0.01,
    "actor/lr": number("actor_rollout_ref.actor.optim.lr"),
    "actor/pg_clipfrac": 0.01,
    "response_length/clip_ratio": falls ? 0.9 : 0.02,
    "response_length/mean": falls ? 1000 : 240 + 100 * noise,
    "timing_s/step": 30,
    "training/global_step": step,
    "val-core/openai/gsm8k/acc/mean@1": success,
    "val-aux/openai/gsm8k/acc_success_only/mean@1": success,
    "val-aux/openai/gsm8k/reward/mean@1": success,
  };
  const isEvaluated = step % every === 0 || step === steps;
  if (step === 0) print(evaluation, measured, step);
  else print(isEvaluated ? both : training, measured, step);
  if (failsNow && step === 8) {
    writeFileSync(failedOnce, "");
    refuse("ValueError: the batch has no valid row");
  }
  if (falls) await new Promise((done) => setTimeout(done, 100));
}
if (loss === "sapo") await new Promise((done) => setTimeout(done, 60_000));

/** Prints a line of verl's with other numbers. Their format, such as `np.float64(0.5)`, stays. */
function print(line, values, step) {
  const [, ...words] = line.split(" - ");
  const replaced = words.map((word) => {
    const [, key, before, number, after] = /^(.*):((?:np\.\w+\()?)(.*?)(\)?)$/.exec(word);
    return `${key}:${before}${values[key] ?? number}${after}`;
  });
  console.log(`(TaskRunner pid=1) step:${step} - ${replaced.join(" - ")}`);
}

function refuse(why) {
  console.error(`verl stand-in: ${why}`);
  process.exit(1);
}
