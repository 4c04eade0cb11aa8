import { areal } from "./areal.ts";
import { art } from "./art.ts";
import { baselines, plain, rllib, stableBaselines3 } from "./classic.ts";
import type { Names } from "./names.ts";
import { nemoRl } from "./nemoRl.ts";
import { openRlhf } from "./openRlhf.ts";
import { primeRl } from "./primeRl.ts";
import { rllm } from "./rllm.ts";
import { roll } from "./roll.ts";
import { skyRl } from "./skyRl.ts";
import { slime } from "./slime.ts";
import { trl, trlAsync } from "./trl.ts";
import { ragen, verl, verlAgent } from "./verl.ts";

/** Trainers with known metric names. If a log fits several, the first one here is used. */
export const dialects = {
  verl: { title: "verl", names: verl },
  verlAgent: { title: "verl-agent and ARLArena", names: verlAgent },
  trl: { title: "TRL", names: trl },
  trlAsync: { title: "TRL, asynchronous", names: trlAsync },
  openRlhf: { title: "OpenRLHF", names: openRlhf },
  skyRl: { title: "SkyRL", names: skyRl },
  slime: { title: "slime", names: slime },
  nemoRl: { title: "NeMo RL", names: nemoRl },
  primeRl: { title: "prime-rl", names: primeRl },
  roll: { title: "ROLL", names: roll },
  areal: { title: "AReaL", names: areal },
  ragen: { title: "RAGEN", names: ragen },
  rllm: { title: "rLLM", names: rllm },
  art: { title: "OpenPipe ART", names: art },
  stableBaselines3: { title: "Stable-Baselines3", names: stableBaselines3 },
  rllib: { title: "RLlib", names: rllib },
  baselines: { title: "OpenAI baselines", names: baselines },
  plain: { title: "Names in plain words", names: plain },
} as const satisfies Record<string, { title: string; names: Names }>;

export type Dialect = keyof typeof dialects;
