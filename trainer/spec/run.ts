import { z } from "zod";
import { SecretName } from "./secretName.ts";
import { contentHash } from "./canonical.ts";
import { ElsewhereList } from "./elsewhere.ts";
import { EnvironmentSpec } from "./environment.ts";
import { Method } from "./methodSchema.ts";
import { PolicySpec } from "./policy.ts";
import { Lag, LoopControl, SamplerNoise, SamplerPrecision } from "./sampler.ts";
import { choice, count, real } from "./setting.ts";

/** Fields of behaviour cloning, with the descriptions that differ between kinds of initialisation. */
const cloning = (numEpisodes: string, epochs: string) => ({
  numEpisodes: count([1, 100_000], "Demonstration episodes", numEpisodes).default(200),
  slipRate: real(
    [0, 1],
    "Slip rate",
    "Share of demonstrated turns whose action is random, to imitate an imperfect demonstrator.",
  ).default(0),
  epochs: count([1, 1000], "Cloning epochs", epochs).default(3),
  batchRows: count(
    [1, 4096],
    "Cloning batch (rows)",
    "Training rows per optimizer step of cloning: turns, or whole episodes in transcripts.",
  ).default(64),
  learningRate: real(
    [0, 1],
    "Cloning learning rate",
    "Peak learning rate of cloning, after a linear warm-up and before a cosine decay.",
  ).default(2e-3),
});

/** Schema of the kinds of initialisation that make a new policy before reinforcement learning. */
export const MadeInitialisation = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("scratch") }),
  z.strictObject({
    kind: z.literal("demonstrations"),
    ...cloning("Number of expert episodes to clone.", "Number of passes over the demonstrations."),
    // Environments in which demonstrations are played; absent: the training environment, as in older specifications.
    environments: choice(
      ["own", "all", "others"],
      "Demonstrated environments",
      "own: the training environment; all: every environment of the run, including evaluations elsewhere, so that runs in different environments start from the same policy; others: all environments except the training environment, as a prior from another domain.",
    ).optional(),
  }),
  z.strictObject({
    kind: z.literal("rejection"),
    ...cloning(
      "Number of expert episodes to clone before the first round.",
      "Number of passes over the demonstrations, and later over the generated episodes that were kept.",
    ),
    rounds: count(
      [1, 20],
      "Rejection rounds",
      "Number of times that the policy generates episodes and is fine-tuned on the successful ones.",
    ).default(1),
    numGenerated: count(
      [1, 100_000],
      "Episodes generated per round",
      "Number of episodes that the policy generates on training tasks in each round.",
    ).default(256),
    temperature: real([0.01, 10], "Generation temperature", "Sampling temperature of the generated episodes.").default(
      0.6,
    ),
  }),
]);
export type MadeInitialisation = z.infer<typeof MadeInitialisation>;

/** Schema of a run's start: with another run's policy (`run`), or with its whole training state (`branch`). */
export const InitialisationSpec = z.discriminatedUnion("kind", [
  ...MadeInitialisation.options,
  beginFrom("run").extend({
    // Reference policy of the KL penalty; absent: the policy with which the run starts.
    reference: choice(
      ["start", "origin"],
      "Reference policy",
      "start: the policy that the run starts with; origin: the reference policy of the origin run.",
    ).optional(),
  }),
  beginFrom("branch"),
]);
export type InitialisationSpec = z.infer<typeof InitialisationSpec>;

/** Returns the schema of a start from another run, with its specification, so that its state can be recomputed. */
function beginFrom<Kind extends "run" | "branch">(kind: Kind) {
  return z.strictObject({
    kind: z.literal(kind),
    run: z.string().regex(/^[A-Za-z0-9_-]{1,100}$/, { error: "must be a run's id of letters, digits, - and _" }),
    iteration: count([0, 1_000_000], "After iteration", "Iteration of the origin run after which this run begins."),
    /** Specification of the origin run; absent only in a sweep file, whose author just names the run. */
    origin: z
      .unknown()
      .pipe(z.lazy((): z.ZodType<OriginSpec> => RunSpec))
      .optional(),
  });
}

/**
 * Schema of the unit of training rows. `windowed`: each turn is a row, whose prompt is built from the last turns.
 * `transcript`: each episode is a row, one growing text in which the environment's feedback is masked.
 */
export const RolloutShape = z.enum(["windowed", "transcript"]);
export type RolloutShape = z.infer<typeof RolloutShape>;

export const RolloutSpec = z.strictObject({
  shape: RolloutShape.meta({
    title: "Rollout shape",
    description:
      "windowed: every turn is a training row with its own prompt; transcript: a whole episode is one training row, with the environment's feedback masked; null: the shape in the environment's paper.",
  })
    .nullable()
    .default(null),
  numGroups: count(
    [1, 4096],
    "Groups per iteration",
    "Number of tasks per iteration. Each task is attempted by a group of episodes.",
  ).default(16),
  groupSize: count(
    [1, 256],
    "Group size",
    "Number of episodes per task. Group-relative advantages compare the episodes of a task.",
  ).default(8),
  temperature: real([0.01, 10], "Sampling temperature", "Temperature at which training rollouts are sampled.").default(
    1,
  ),
  historyLength: count(
    [0, 16],
    "History (turns)",
    "Number of past pairs of observation and action in the prompt. A transcript shows all pairs.",
  ).default(2),
  maxResponseTokens: count(
    [4, 32_768],
    "Max response tokens",
    "Number of tokens after which a response is truncated. The built-in trainer allows at most 512.",
  ).default(16),
  // Staleness of the sampler. If absent, as in older specifications, the sampler is always the current policy.
  lag: Lag.meta({
    title: "Sampler lag",
    description: "Number of iterations by which the sampling policy is older than the trained policy.",
  }).optional(),
  samplerPrecision: SamplerPrecision.meta({
    title: "Sampler precision",
    description:
      "Number format to which the policy's matrices are rounded before sampling. fp8-e4m3 and int8 use a scale per output channel, fp8-e4m3-tensor a scale per matrix.",
  }).optional(),
  samplerNoise: SamplerNoise.meta({
    title: "Sampler noise",
    description: "Noise added to the logits of the sampler, as a control for non-deterministic kernels.",
  }).optional(),
  /** Absent, as in older specifications: none. */
  loopControl: LoopControl.meta({
    title: "Loop-aware control",
    description:
      "Rollouts in which a response is sampled again, up to three times per turn, if it repeats an action in a state in which the episode took it before. In training, rejected responses are training rows that leave the state as it is.",
  }).optional(),
});
export type RolloutSpec = z.infer<typeof RolloutSpec>;

export const RewardSpec = z.strictObject({
  invalidActionPenalty: real(
    [0, 100],
    "Invalid-action penalty",
    "Penalty subtracted from the score of a turn whose response or action is invalid.",
  ).default(0.1),
  turnPenalty: real([0, 100], "Turn penalty", "Penalty subtracted from the reward of every turn.").default(0),
  overlongPenalty: real(
    [0, 100],
    "Overlong penalty",
    "Penalty subtracted from the score of a turn at the length limit. It rises linearly from 0 over the buffer before the limit (DAPO: 0.1).",
  ).default(0),
  overlongBuffer: real(
    [0.01, 1],
    "Overlong buffer",
    "Last part of the length limit, over which the overlong penalty rises from 0 to its full value.",
  ).default(0.2),
});
export type RewardSpec = z.infer<typeof RewardSpec>;

export const UpdateSpec = z.strictObject({
  minibatchRows: count(
    [1, 65_536],
    "Minibatch (rows)",
    "Training rows per optimizer step. A row is a turn or, if episodes are transcripts, a whole episode. With several minibatches per iteration, the later minibatches are off-policy.",
  ).default(128),
  epochs: count([1, 64], "Epochs per iteration", "Number of passes over the training rows of an iteration.").default(1),
  klCoef: real(
    [0, 100],
    "KL coefficient",
    "Weight of the KL to the reference policy, in the loss or in the reward.",
  ).default(0.01),
  klEstimator: choice(
    ["k1", "abs", "k2", "k3", "k1+", "abs+", "k3+", "k3w"],
    "KL estimator",
    "An estimator with + has its own value and the gradient of k2 (straight-through). k3w is k3 times π_θ/π_old, which stays unbiased after an optimizer step.",
  ).default("k3"),
  klPlacement: choice(
    ["loss", "reward"],
    "KL placement",
    "loss: the KL is a term of the loss; reward: it is subtracted from the reward of every token.",
  ).default("loss"),
  klTarget: real(
    [0, 100],
    "KL target",
    "Target KL of an adaptive KL coefficient, if the KL is part of the reward; null: the coefficient is fixed.",
  )
    .nullable()
    .default(null),
  klHorizon: count(
    [1, 1e9],
    "KL horizon",
    "Number of episodes over which the KL coefficient adapts to the KL target.",
  ).default(10_000),
  entropyCoef: real([0, 100], "Entropy coefficient", "Weight of the entropy bonus.").default(0),
  oldLogProbs: choice(
    ["sampler", "trainer"],
    "Old log-probabilities",
    "sampler: the log-probabilities with which the tokens were sampled; trainer: log-probabilities that the trainer recomputes in a separate pass. With a sampler lag, precision or noise, they are always recomputed.",
  ).default("sampler"),
  truncatedImportance: real(
    [0.01, 1000],
    "Truncated importance sampling",
    "Upper bound of the weight π_old/π_sampler of every token, where the trainer computes π_old; null: no weights, so rounding in the sampler is not corrected.",
  )
    .nullable()
    .default(null),
  denominatorRows: count(
    [1, 65_536],
    "Micro-batch means (rows)",
    "Training rows per micro-batch, if the loss is averaged within each micro-batch and then over micro-batches, as in older trainers; null: the loss is averaged over the whole minibatch.",
  )
    .nullable()
    .default(null),
});
export type UpdateSpec = z.infer<typeof UpdateSpec>;

export const OptimizerSpec = z.strictObject({
  learningRate: real([0, 1], "Learning rate", "Learning rate of AdamW, constant over reinforcement learning.").default(
    3e-4,
  ),
  beta1: real([0, 0.9999], "AdamW β₁", "Decay rate of the first moment.").default(0.9),
  beta2: real([0, 0.99999], "AdamW β₂", "Decay rate of the second moment.").default(0.999),
  epsilon: real([0, 1], "AdamW ε", "Constant added to the square root of the second moment.").default(1e-8),
  weightDecay: real([0, 10], "Weight decay", "Decoupled weight decay, applied to matrices only.").default(0.01),
  maxGradientNorm: real(
    [0, 1e6],
    "Gradient-norm clip",
    "Maximum global norm: gradients with a larger norm are scaled down to this value; 0 switches clipping off.",
  ).default(1),
});
export type OptimizerSpec = z.infer<typeof OptimizerSpec>;

export const EvaluationSpec = z.strictObject({
  every: count(
    [1, 100_000],
    "Evaluate every (iterations)",
    "Iterations between evaluations. The first evaluation is before iteration 1, the last after the final iteration.",
  ).default(5),
  numEpisodes: count(
    [1, 10_000],
    "Evaluation episodes",
    "Number of held-out tasks per evaluation; every evaluation uses the same tasks.",
  ).default(128),
  /** Number of episodes per held-out task. If absent, as in older specifications, it is 1. */
  samplesPerTask: count(
    [1, 256],
    "Samples per task",
    "Number of episodes per held-out task; with more than one, pass@k and k@n are logged besides the mean.",
  ).optional(),
  /** Number of responses that are scored under each other's prompts; absent, as in older specifications: none. */
  templatePairs: count(
    [2, 64],
    "Template pairs",
    "Number of responses that are scored under each other’s prompts at every evaluation, to measure whether responses still depend on prompts. The number of scored pairs is the square of this number. Empty: not measured.",
  ).optional(),
  unseenEpisodes: count(
    [0, 10_000],
    "Unseen evaluation episodes",
    "Number of additional evaluation episodes, on kinds of tasks that never occur in training; 0: none.",
  ).default(0),
  temperature: real([0, 10], "Evaluation temperature", "Sampling temperature of evaluation; 0 is greedy.").default(0.6),
  topP: real(
    [0.01, 1],
    "Evaluation top-p",
    "Nucleus sampling in evaluation: samples from the smallest set of tokens with this total probability.",
  ).default(0.95),
  topK: count(
    [0, 1000],
    "Evaluation top-k",
    "Number of most likely tokens among which evaluation samples; 0 switches top-k sampling off.",
  ).default(20),
  /** Evaluations in other environments. If absent, as in older specifications, there are none. */
  elsewhere: ElsewhereList.meta({
    title: "Evaluate elsewhere",
    description:
      "Other environments to evaluate in, before the first iteration and after the last. A built-in policy's vocabulary and context cover all these environments.",
  }).optional(),
});
export type EvaluationSpec = z.infer<typeof EvaluationSpec>;

export const BudgetSpec = z.strictObject({
  iterations: count(
    [0, 1_000_000],
    "Iterations",
    "Number of iterations, each of which collects rollouts and updates the policy.",
  ).default(200),
  /** Common budget of demonstrations and reinforcement learning, instead of `iterations` and `numEpisodes`. */
  split: z
    .strictObject({
      units: count(
        [1, 1e9],
        "Budget (episodes)",
        "Total budget for demonstrations and reinforcement learning, measured in episodes of reinforcement learning.",
      ),
      demonstrationShare: real(
        [0, 1],
        "Share spent on demonstrations",
        "Share of the budget that is spent on demonstrations (the SFT : RL split).",
      ),
      demonstrationCost: real(
        [0.001, 1e6],
        "Cost of a demonstration",
        "Price of one demonstration, in episodes of reinforcement learning.",
      ).default(10),
    })
    .nullable()
    .default(null),
});
export type BudgetSpec = z.infer<typeof BudgetSpec>;

/** Execution providers of ONNX Runtime, which determine the hardware (CPU or GPU) that runs the graphs. */
export const executionProviders = ["cpu", "webgpu", "cuda"] as const;
export type ExecutionProvider = (typeof executionProviders)[number];

/** Schema of a run's execution settings. Provider and memory limit can change results in their last digits. */
export const ExecutionSpec = z.strictObject({
  provider: choice(
    executionProviders,
    "Execution provider",
    "Execution provider of ONNX Runtime. A run fails at its start if the provider does not work on the run's node.",
  ).default("cpu"),
  memoryLimitMb: count(
    [256, 1_000_000],
    "Memory limit (MB)",
    "Memory that the trainer's process may use. Micro-batches are made small enough to fit.",
  ).default(1500),
  checkpointEvery: count(
    [0, 1_000_000],
    "Checkpoint every (iterations)",
    "Iterations between checkpoints; 0: no checkpoint is saved.",
  ).default(10),
  /** Iterations whose checkpoints are kept; absent, as in older specifications: only the newest two. */
  keep: z
    .union([z.array(z.int().min(0).max(1_000_000)).max(1000), z.strictObject({ every: z.int().min(1).max(1_000_000) })])
    .optional(),
  /** Absent, as in older specifications: a silent run only raises an alarm. */
  maxSilenceMinutes: real(
    [1, 100_000],
    "Max silence (minutes)",
    "Minutes without a new log line after which an attempt is ended. The run resumes from its last checkpoint.",
  ).optional(),
  numSamples: count(
    [0, 64],
    "Stored episodes",
    "Number of whole episodes that are stored at every evaluation.",
  ).default(4),
  /** False: evaluations' actions and control-token mass are not logged. Absent, as in older ones: they are. */
  traces: z
    .boolean()
    .meta({
      title: "Log actions",
      description:
        "Log the types of the actions of every evaluation episode, for Behaviour and its metrics, and the mass of control tokens in training.",
    })
    .optional(),
  /** Absent, as in older specifications: one group every fifth iteration. */
  groups: z
    .strictObject({
      every: count(
        [0, 1_000_000],
        "Keep groups every (iterations)",
        "Iterations between kept groups of training episodes, with the loss of every token; 0: no groups are kept.",
      ).default(5),
      number: count(
        [1, 4096],
        "Groups kept at a time",
        "Number of groups that are kept, chosen at random among those that the iteration generated.",
      ).default(1),
    })
    .optional(),
});
export type ExecutionSpec = z.infer<typeof ExecutionSpec>;

/** Schema of a command-line argument. A leading dash is rejected, because it would be read as an option. */
const ArgumentText = z
  .string()
  .max(1000)
  .refine((text) => !text.startsWith("-"), {
    error: 'must not begin with "-", because the program would read it as an option',
  });

/** Schema of the external trainer of a run: the name of an administrator's template, and its parameters. */
export const TrainerChoice = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,60}$/, { error: "must be 1 to 60 letters, digits, - or _" }),
  options: z.record(z.string().max(60), z.union([z.number(), ArgumentText, z.boolean()])).default({}),
  /** Names of environment variables that the trainer's program gets. Only the orchestrator knows their values. */
  secrets: z.array(SecretName).max(50).optional(),
});
export type TrainerChoice = z.infer<typeof TrainerChoice>;

/** Fields of trainer, environment and method. If `trainer` is absent, the built-in trainer is used. */
const task = { trainer: TrainerChoice.optional(), environment: EnvironmentSpec, method: Method };
const training = {
  rollout: RolloutSpec.prefault({}),
  reward: RewardSpec.prefault({}),
  update: UpdateSpec.prefault({}),
  optimizer: OptimizerSpec.prefault({}),
  evaluation: EvaluationSpec.prefault({}),
  budget: BudgetSpec.prefault({}),
  execution: ExecutionSpec.prefault({}),
};
const policy = PolicySpec.prefault({});

/** Schema of a cell: everything that determines a run except the seed. */
export const CellSpec = z.strictObject({
  ...task,
  policy,
  initialisation: InitialisationSpec.prefault({ kind: "demonstrations" }),
  ...training,
});
export type CellSpec = z.infer<typeof CellSpec>;

/** Schema of a run's specification. Equal specifications give equal runs on one machine. */
export const RunSpec = CellSpec.extend({
  v: z.literal(1),
  seed: count(
    [0, 2 ** 31 - 1],
    "Seed",
    "Seed of all random numbers of the run; in a branch, the number of the continuation.",
  ),
});
export type RunSpec = z.infer<typeof RunSpec>;

/** Type of a RunSpec in `initialisation.origin`, written out because TypeScript infers no recursive types. */
type OriginSpec = z.infer<z.ZodObject<typeof task & typeof training>> & {
  v: 1;
  seed: number;
  policy: PolicySpec;
  initialisation:
    | MadeInitialisation
    | (BeginFrom<"run"> & { reference?: "start" | "origin" | undefined })
    | BeginFrom<"branch">;
};
type BeginFrom<Kind> = { kind: Kind; run: string; iteration: number; origin?: OriginSpec | undefined };

export function isSaved(execution: ExecutionSpec, iteration: number): boolean {
  return iteration % execution.checkpointEvery === 0 || keepsState(execution, iteration);
}

/** True if this iteration's checkpoint is never removed, even after the end of the run. */
export function keepsState({ keep = [] }: Pick<ExecutionSpec, "keep">, iteration: number): boolean {
  return Array.isArray(keep) ? keep.includes(iteration) : iteration % keep.every === 0;
}

export function specHash(spec: RunSpec | CellSpec): string {
  return contentHash(spec);
}
