import { describe, expect, it } from "vitest";
import { methodOf, type Method, type MethodName } from "#trainer/spec/method.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import { settings as common } from "../testing/settings.ts";
import { verlArguments } from "../resolveTemplate.ts";
import type { VerlSettings } from "./run.ts";

const settings: VerlSettings = {
  ...common,
  models: {},
  options: {},
  project: "alfworld",
  dataFolder: "/home/me/data",
};

/** Specification of the published base run, GRPO on ALFWorld, with changes. */
function specOf(method: MethodName | Method, change: object = {}): RunSpec {
  return RunSpec.parse({
    v: 1,
    seed: 0,
    environment: { id: "alfworld", maxTurns: 50 },
    method: typeof method === "string" ? methodOf(method) : method,
    rollout: { numGroups: 16, groupSize: 8, maxResponseTokens: 512 },
    update: { minibatchRows: 256, oldLogProbs: "trainer", denominatorRows: 32 },
    optimizer: { learningRate: 1e-6 },
    budget: { iterations: 200 },
    ...change,
  });
}

const saying = (text: string): unknown => expect.objectContaining({ message: expect.stringContaining(text) });

const argumentsOf = (spec: RunSpec, change: object = {}) => verlArguments(spec, { ...settings, ...change });
const base = argumentsOf(specOf("grpo")).overrides;

it("writes the published GRPO run on ALFWorld argument by argument", () => {
  const A = "actor_rollout_ref";
  expect(argumentsOf(specOf("grpo")).module).toBe("recipe.world_agent.main_world_agent");
  expect(base).toEqual([
    "algorithm.adv_estimator=grpo",
    "data.train_files=/home/me/data/text/train.parquet",
    "data.val_files=/home/me/data/text/test.parquet",
    "data.train_batch_size=16",
    "data.val_batch_size=128",
    "data.max_prompt_length=2048",
    "data.max_response_length=512",
    "data.filter_overlong_prompts=True",
    "data.truncation=error",
    "data.return_raw_chat=True",
    `${A}.model.path=UCLA-SCAI/Qwen3-4B-rft-alfworld`,
    `${A}.model.use_remove_padding=True`,
    `${A}.model.enable_gradient_checkpointing=True`,
    `${A}.actor.optim.lr=1e-6`,
    `${A}.actor.optim.weight_decay=0.01`,
    `${A}.actor.grad_clip=1`,
    `${A}.actor.ppo_epochs=1`,
    `${A}.actor.entropy_coeff=0`,
    `${A}.actor.use_kl_loss=True`,
    `${A}.actor.kl_loss_update=True`,
    `${A}.actor.kl_loss_coef=0.01`,
    `${A}.actor.kl_loss_type=low_var_kl`,
    "algorithm.use_kl_in_reward=False",
    `${A}.actor.ppo_mini_batch_size=256`,
    `${A}.actor.ppo_micro_batch_size_per_gpu=32`,
    `${A}.actor.loss_agg_mode=token-mean`,
    `${A}.actor.fsdp_config.param_offload=False`,
    `${A}.actor.fsdp_config.optimizer_offload=False`,
    `${A}.rollout.name=vllm`,
    `${A}.rollout.mode=sync`,
    `${A}.rollout.tensor_model_parallel_size=1`,
    `${A}.rollout.temperature=1`,
    `${A}.rollout.gpu_memory_utilization=0.4`,
    `${A}.rollout.log_prob_micro_batch_size_per_gpu=32`,
    `${A}.rollout.enable_chunked_prefill=False`,
    `${A}.rollout.enforce_eager=False`,
    `${A}.rollout.free_cache_engine=False`,
    `${A}.rollout.val_kwargs.do_sample=True`,
    `${A}.rollout.val_kwargs.temperature=0.6`,
    `${A}.rollout.val_kwargs.top_p=0.95`,
    `${A}.rollout.val_kwargs.top_k=20`,
    `${A}.ref.log_prob_micro_batch_size_per_gpu=32`,
    `${A}.ref.fsdp_config.param_offload=True`,
    "use_invalid_action_penalty=True",
    "invalid_action_penalty_coef=0.1",
    "algorithm.gamma=0.95",
    "env.env_name=alfworld/AlfredTWEnv",
    "env.seed=0",
    "env.max_steps=50",
    "env.history_length=2",
    "env.rollout.n=8",
    "env.resources_per_worker.num_cpus=0.2",
    "trainer.total_epochs=200",
    "trainer.total_training_steps=200",
    "trainer.max_actor_ckpt_to_keep=3",
    "trainer.critic_warmup=0",
    "trainer.logger=['console']",
    "trainer.n_gpus_per_node=4",
    "trainer.nnodes=1",
    "trainer.save_freq=10",
    "trainer.test_freq=5",
    "trainer.val_before_train=True",
    "trainer.project_name=alfworld",
    "trainer.experiment_name=r",
    "trainer.default_local_dir=/runs/r/checkpoints",
    "trainer.resume_mode=auto",
    "trainer.rollout_data_dir=/runs/r/1/rollouts",
  ]);
});

/** Returns the arguments that a change removes from and adds to the base run's arguments. */
function changesOf(spec: RunSpec, change: object = {}) {
  const { overrides, problems } = argumentsOf(spec, change);
  expect(problems).toEqual([]);
  const short = (list: readonly string[]) => list.map((one) => one.replace("actor_rollout_ref.actor.", "A."));
  return {
    minus: short(base.filter((one) => !overrides.includes(one))),
    plus: short(overrides.filter((one) => !base.includes(one))),
  };
}

const grpo = "algorithm.adv_estimator=grpo";
const gigpo = ["algorithm.gigpo.step_advantage_w=1", "algorithm.gigpo.mode=mean_std_norm"];
const filter = [
  "algorithm.filter_groups.enable=True",
  "algorithm.filter_groups.max_num_gen_batches=3",
  "algorithm.filter_groups.cold_start_steps=0",
];
const mask = ["A.use_seq_mask=True", "A.seq_mask_delta=3e-3"];

describe("the published change of each method", () => {
  it.each<[MethodName, string[], string[]]>([
    ["grpoSt", ["A.loss_agg_mode=token-mean"], ["A.loss_agg_mode=seq-mean-token-mean"]],
    ["grpoSm", [], mask],
    [
      "drGrpo",
      [grpo, "A.loss_agg_mode=token-mean"],
      ["algorithm.adv_estimator=drgrpo", "A.max_response_len_per_turn=512"],
    ],
    ["rloo", [grpo], ["algorithm.adv_estimator=rloo"]],
    [
      "reinforcePlusPlus",
      [grpo, "algorithm.gamma=0.95"],
      ["algorithm.adv_estimator=reinforce_plus_plus", "algorithm.gamma=1"],
    ],
    ["reinforcePlusPlusBaseline", [grpo], ["algorithm.adv_estimator=reinforce_plus_plus_baseline"]],
    ["sapo", [grpo], ["algorithm.adv_estimator=sapo", "A.tau_pos=1.0", "A.tau_neg=1.05"]],
    ["sapoSm", [grpo], ["algorithm.adv_estimator=sapo", "A.tau_pos=1.0", "A.tau_neg=1.05", ...mask]],
    ["cispo", [grpo], ["algorithm.adv_estimator=cispo", "A.clip_ratio_low=1"]],
    ["cispoSm", [grpo], ["algorithm.adv_estimator=cispo", "A.clip_ratio_low=1", ...mask]],
    ["aepo", [grpo], ["algorithm.adv_estimator=aepo"]],
    ["gspo", [grpo], ["algorithm.adv_estimator=gspo", "A.clip_ratio_low=3e-3", "A.clip_ratio_high=4e-3"]],
    ["gigpo", [grpo], ["algorithm.adv_estimator=gigpo", ...gigpo]],
    ["empg", [grpo], ["algorithm.adv_estimator=empg"]],
    ["dapoGrpo", [], filter],
    ["dapoGigpo", [grpo], ["algorithm.adv_estimator=gigpo", ...gigpo, ...filter]],
    [
      "sampo",
      [grpo],
      [
        "algorithm.adv_estimator=gigpo",
        "A.policy_loss.loss_mode=gspo",
        "A.clip_ratio_low=3e-3",
        "A.clip_ratio_high=4e-3",
        ...gigpo,
        ...filter,
      ],
    ],
    [
      "ppo",
      [grpo, "data.train_batch_size=16", "algorithm.gamma=0.95", "env.rollout.n=8"],
      [
        "algorithm.adv_estimator=gae",
        "data.train_batch_size=128",
        "critic.model.path=UCLA-SCAI/Qwen3-4B-rft-alfworld",
        "critic.optim.lr=1e-5",
        "critic.optim.weight_decay=0.01",
        "critic.grad_clip=1",
        "critic.model.use_remove_padding=True",
        "critic.model.enable_gradient_checkpointing=True",
        "critic.ppo_micro_batch_size_per_gpu=32",
        "critic.cliprange_value=0.5",
        "algorithm.gamma=1",
        "algorithm.lam=1",
      ],
    ],
  ])("%s", (name, minus, plus) => expect(changesOf(specOf(name))).toEqual({ minus, plus }));

  it("KL and entropy follow the one setting there is, or are refused", () => {
    const mode = "actor_rollout_ref.actor.loss_agg_mode=seq-mean-token-mean";
    const change = (name: MethodName, penaltyAggregation: Method["penaltyAggregation"]) => {
      const spec = specOf(name);
      const { penaltyAggregation: _, ...method } = spec.method;
      return argumentsOf({ ...spec, method: penaltyAggregation ? { ...method, penaltyAggregation } : method });
    };
    expect(change("gspo", "seqMeanTokenMean").overrides).toContain(mode);
    // KL and entropy follow the policy term unless the method states otherwise.
    expect(change("gspo", undefined).overrides).toContain(mode);
    expect(change("drGrpo", "seqMeanTokenSum").problems).toEqual([]);
    expect(change("drGrpo", "tokenMean").problems).toEqual([saying("cannot be aggregated")]);
    expect(change("grpo", "tokenSum").problems).toEqual([saying("cannot be aggregated")]);
  });

  it.each<[MethodName, string[]]>([
    ["gmpo", ["A.policy_loss.loss_mode=geo_mean", "A.clip_ratio_low=0.4", "A.clip_ratio_high=0.4"]],
    [
      "clipCov",
      [
        "A.policy_loss.loss_mode=clip_cov",
        "A.policy_loss.clip_cov_ratio=2e-4",
        "A.policy_loss.clip_cov_lb=1.0",
        "A.policy_loss.clip_cov_ub=5.0",
      ],
    ],
    // The value in verl's configuration is a tenth of this value.
    ["klCov", ["A.policy_loss.loss_mode=kl_cov", "A.policy_loss.kl_cov_ratio=2e-4", "A.policy_loss.ppo_kl_coef=1.0"]],
  ])("%s, which no script names, is a loss of its actor", (name, plus) => {
    expect(changesOf(specOf(name))).toEqual({ minus: [], plus });
    expect(argumentsOf(specOf(name), { flavour: "verlAgent" }).problems).toContainEqual(saying("there is no loss for"));
    const corrected = specOf(name, { update: { oldLogProbs: "trainer", truncatedImportance: 2 } });
    expect(argumentsOf(corrected).problems).toEqual([saying("takes no such weights")]);
  });
});

describe("traps of the shipped scripts", () => {
  const webshop = { environment: { id: "webshop", maxTurns: 15 } };

  it("differentiates the KL whenever it is in the loss, and neither where there is none", () => {
    const off = argumentsOf(specOf("grpo", { update: { klCoef: 0 } })).overrides.filter((one) =>
      one.includes("kl_loss"),
    );
    expect(off).toEqual(["actor_rollout_ref.actor.use_kl_loss=False"]);
    const reward = argumentsOf(specOf("grpo", { update: { klPlacement: "reward", klEstimator: "k1" } })).overrides;
    expect(reward).toEqual(
      expect.arrayContaining(["algorithm.use_kl_in_reward=True", "algorithm.kl_ctrl.kl_coef=0.01"]),
    );
  });

  it.each([
    ["k1+", "kl+"],
    ["abs+", "abs+"],
    ["k3+", "low_var_kl+"],
  ])("refuses the straight-through KL %s: their %s ends the first update with an error", (klEstimator, theirs) => {
    const { problems } = argumentsOf(specOf("grpo", { update: { klEstimator } }));
    expect(problems).toEqual([saying(`"${theirs}"`)]);
    // Without a KL penalty, the estimator of the KL is not passed.
    expect(argumentsOf(specOf("grpo", { update: { klEstimator, klCoef: 0 } })).problems).toEqual([]);
  });

  it("starts dynamic sampling where the recipe never counts steps", () => {
    const { overrides } = argumentsOf(specOf("dapoGrpo", webshop));
    expect(overrides).toContain("algorithm.filter_groups.cold_start_steps=-1");
    const sampling = { kind: "dynamic", maxTries: 3, coldStartIterations: 15 } as const;
    const cold = { ...methodOf("grpo"), sampling };
    expect(argumentsOf(specOf(cold, webshop)).notes).toContainEqual(saying("starts at once"));
    expect(argumentsOf(specOf(cold)).overrides).toContain("algorithm.filter_groups.cold_start_steps=15");
  });

  it("never uses estimators that override flags or do not exist", () => {
    for (const name of ["dapoGrpo", "dapoGigpo", "sampo"] as const) {
      const estimator = argumentsOf(specOf(name)).overrides[0];
      expect(estimator).not.toMatch(/dapo|sampo/);
    }
  });

  it("writes the other environments' recipes", () => {
    const { module, overrides } = argumentsOf(specOf("grpo", webshop));
    expect(module).toBe("recipe.shop_agent.main_shop_agent");
    expect(overrides).toEqual(
      expect.arrayContaining(["data.max_prompt_length=4096", "env.env_name=Webshop", "env.max_steps=15"]),
    );
    const sokoban = { environment: { id: "sokoban" } };
    expect(argumentsOf(specOf("grpo", sokoban)).problems).toEqual([saying("the template names no model for sokoban")]);
    const visual = argumentsOf(specOf("grpo", sokoban), { models: { sokoban: "/models/vl" } });
    expect(visual.overrides).toEqual(expect.arrayContaining(["data.image_key=images", "env.sokoban.mode=rgb_array"]));
    expect(argumentsOf(specOf("grpo", { environment: { id: "textworld" } })).problems).toHaveLength(1);
  });

  it("names the plan's own model in place of the template's, a hub's as it is, and refuses another revision", () => {
    const pathOf = (pretrained: string) =>
      argumentsOf(specOf("ppo", { policy: { pretrained } }), { models: { default: "/models/other" } });
    const A = "actor_rollout_ref";
    const critic = "critic.model.path=Qwen/Qwen3-4B";
    expect(pathOf("Qwen/Qwen3-4B").overrides).toEqual(
      expect.arrayContaining([`${A}.model.path=Qwen/Qwen3-4B`, critic]),
    );
    expect(pathOf("/models/a").overrides).toContain(`${A}.model.path=/models/a`);
    expect(pathOf("Qwen/Qwen3-4B@main").overrides).toContain(`${A}.model.path=Qwen/Qwen3-4B`);
    expect(pathOf("Qwen/Qwen3-4B@v2").problems).toEqual([
      { path: "policy.pretrained", message: "v2 is refused: verl loads a hub's model as its main branch has it" },
    ]);
  });

  it("quotes a model's folder for Hydra, and refuses one that would read a variable of the environment", () => {
    const of = (pretrained: string) => argumentsOf(specOf("ppo", { policy: { pretrained } }));
    const pathOf = (pretrained: string) =>
      of(pretrained)
        .overrides.find((one) => one.startsWith("actor_rollout_ref.model.path="))
        ?.split("=")
        .slice(1)
        .join("=");
    expect(pathOf("/models/a,b [1]")).toBe("'/models/a,b [1]'");
    expect(pathOf("/models/Ada's")).toBe(String.raw`'/models/Ada\'s'`);
    expect(pathOf("/models/a\\")).toBe(String.raw`'/models/a\\'`);
    expect(of("/models/${oc.env:HF_TOKEN}").problems).toEqual([
      {
        path: "policy.pretrained",
        message: '"/models/${oc.env:HF_TOKEN}" has "${" in it: Hydra would put a variable of the environment there',
      },
    ]);
  });

  it("writes verl-agent's spelling, and refuses losses that only ARLArena has", () => {
    const { module, overrides } = argumentsOf(specOf("gigpo"), { flavour: "verlAgent" });
    expect(module).toBe("verl.trainer.main_ppo");
    expect(overrides).toContain("actor_rollout_ref.actor.use_invalid_action_penalty=True");
    expect(overrides.filter((one) => one.includes("kl_loss_update"))).toEqual([]);
    expect(argumentsOf(specOf("gspo"), { flavour: "verlAgent" }).problems).toHaveLength(1);
  });
});
