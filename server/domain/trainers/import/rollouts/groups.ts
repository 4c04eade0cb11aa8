import { z } from "zod";
import { groupBy } from "#packages/base";
import { makeUnread, parseJson } from "#packages/trainers";
import type { ForeignFile } from "../foreignRun.ts";
import { type GroupToken, type GroupToWrite, notRecorded, summariseGroup } from "#trainer/spec/keptGroup.ts";

/** One episode of a group, as the file of another trainer has it; null: the file does not say. */
export type Rollout = {
  step: number;
  /** Name of the task; equal names in one step are one group. */
  task: string;
  turns: readonly { prompt: string; response: string; reward: number | null }[];
  return: number | null;
  advantage: number | null;
  isSuccess: boolean | null;
  /** Iterations by which the sampling policy was older than the newest. */
  behind: number | null;
};

/** Maximum number of groups per step, since a step has hundreds. */
const maxGroups = 8;

/** Makes groups with the file's texts, rewards and advantages. Numbers that no file has stay empty. */
export function toGroups(rollouts: readonly Rollout[]): { groups: GroupToWrite[]; notes: string[] } {
  const groups: GroupToWrite[] = [];
  let isCut = false;
  for (const [step, ofStep] of groupBy(rollouts, (rollout) => rollout.step)) {
    const tasks = [...groupBy(ofStep, ({ task }) => task).values()];
    isCut ||= tasks.length > maxGroups;
    for (const [group, episodes] of tasks.slice(0, maxGroups).entries()) {
      const list = () => episodes.flatMap((episode, i) => toTokens(episode, i));
      const successes = episodes.map(({ isSuccess }) => isSuccess);
      const head = summariseGroup({ iteration: step, group, task: group, successes }, list());
      // Tokens take ten times the memory of their text, so they are listed again where they are written.
      groups.push({
        head,
        get tokens() {
          return list();
        },
      });
    }
  }
  // Every step has the same note, so that it is listed once per run.
  return { groups, notes: isCut ? [`the first ${maxGroups} groups of each step are imported`] : [] };
}

/** Lists prompts and words: the files have no tokens, so a response is split where lines can wrap. */
function toTokens({ turns, behind, advantage, ...rollout }: Rollout, episode: number): GroupToken[] {
  return turns.flatMap(({ prompt, response, reward }, turn) => {
    const place = { ...notRecorded, episode, turn, reward, return: rollout.return, behind };
    const words = response.match(/\s*\S+/g) ?? [];
    return [
      { ...place, role: "prompt" as const, text: prompt },
      ...words.map((text) => ({ ...place, role: "response" as const, text, advantage })),
    ];
  });
}

const Text = z.union([z.string(), z.array(z.object({ role: z.string(), content: z.string().nullish() }))]);

/** Row of TRL's `completions_*.parquet`, or of prime-rl's rollouts. Other columns are rewards, and extra ones. */
const Completion = z
  .object({
    step: z.int().min(0).optional(),
    prompt: Text,
    completion: Text,
    advantage: z.number().nullish(),
    reward: z.number().nullish(),
    example_id: z.union([z.string(), z.number()]).optional(),
  })
  .loose();

/** Line of tinker-cookbook's `*_rollout_summaries.jsonl`: rewards and lengths of a trajectory, without its text. */
const Summary = z.object({
  split: z.string(),
  iteration: z.int().min(0),
  group_idx: z.int(),
  traj_idx: z.int(),
  sampling_client_step: z.int().nullish(),
  total_reward: z.number(),
  steps: z.array(z.object({ ob_len: z.int(), ac_len: z.int(), reward: z.number() })),
});

/** Reads a file of rollouts by TRL, prime-rl or tinker-cookbook; undefined if its first line is none. */
export function readRollouts(fileName: string, text: string): ForeignFile | undefined {
  const [first = ""] = text.trimStart().split("\n", 1);
  if (readRollout(fileName, first) === undefined) return undefined;
  const unread = makeUnread();
  const rollouts: Rollout[] = [];
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const rollout = readRollout(fileName, line);
    if (rollout) rollouts.push(rollout);
    else unread.add(line);
  }
  const { groups, notes } = toGroups(rollouts);
  const lines = [...groupBy(rollouts, ({ step }) => step)].map(([step, own]) => ({
    step,
    values: { "rollouts/number": own.length },
  }));
  return { format: "rollouts", runs: [{ name: "", lines, groups }], notes, unread: unread.read() };
}

/** Reads a line of rollouts by TRL, prime-rl or tinker-cookbook; undefined if it is none. */
function readRollout(fileName: string, line: string): Rollout | undefined {
  const parsed = parseJson(line);
  const summary = Summary.safeParse(parsed).data;
  if (summary) return ofSummary(summary);
  const completion = Completion.safeParse(parsed).data;
  const step = completion?.step ?? stepOf(fileName);
  return completion && step !== undefined ? ofCompletion(completion, step) : undefined;
}

function ofSummary({ iteration, group_idx, total_reward, steps, ...rest }: z.infer<typeof Summary>): Rollout {
  const sampledAt = rest.sampling_client_step;
  return {
    step: iteration,
    task: String(group_idx),
    turns: steps.map(({ ob_len, ac_len, reward }) => ({
      prompt: `${ob_len} tokens of observation, ${ac_len} tokens of action; the file has no texts`,
      response: "",
      reward,
    })),
    return: total_reward,
    advantage: null,
    isSuccess: null,
    behind: typeof sampledAt === "number" ? iteration - sampledAt : null,
  };
}

function ofCompletion(row: z.infer<typeof Completion>, step: number): Rollout {
  const { prompt, completion, advantage = null, reward, example_id, step: _step, ...others } = row;
  // TRL has one column per reward function. Their weights are not in the file, so several give no return.
  const rewards = Object.values(others).filter((x) => typeof x === "number");
  const found = reward ?? (rewards.length === 1 ? (rewards[0] ?? null) : null);
  const asked = textOf(prompt);
  return {
    step,
    task: String(example_id ?? asked),
    turns: [{ prompt: asked, response: textOf(completion), reward: found }],
    return: found,
    advantage,
    isSuccess: null,
    behind: null,
  };
}

function textOf(text: z.infer<typeof Text>): string {
  if (typeof text === "string") return text;
  return text
    .map(({ role, content }) => (text.length === 1 ? (content ?? "") : `${role}: ${content ?? ""}`))
    .join("\n");
}

/** Returns the step in a path such as `rollouts/step_12/train_rollouts.jsonl`. */
function stepOf(path: string): number | undefined {
  const digits = /(?:^|[\\/])step_(\d{1,9})[\\/]/.exec(path)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
