import areal from "./areal.json";
import art from "./art.json";
import baselines from "./baselines.json";
import nemoRl from "./nemoRl.json";
import openRlhf from "./openRlhf.json";
import plain from "./plain.json";
import primeRl from "./primeRl.json";
import ragen from "./ragen.json";
import rllib from "./rllib.json";
import rllm from "./rllm.json";
import roll from "./roll.json";
import skyRl from "./skyRl.json";
import slime from "./slime.json";
import stableBaselines3 from "./stableBaselines3.json";
import trl from "./trl.json";
import trlAsync from "./trlAsync.json";
import verl from "./verl.json";
import verlAgent from "./verlAgent.json";
import { NamesFile } from "./names.ts";

/** Trainers with known metric names. If a log fits several, the first one here is used. */
export const dialects = {
  verl: NamesFile.parse(verl),
  verlAgent: NamesFile.parse(verlAgent),
  trl: NamesFile.parse(trl),
  trlAsync: NamesFile.parse(trlAsync),
  openRlhf: NamesFile.parse(openRlhf),
  skyRl: NamesFile.parse(skyRl),
  slime: NamesFile.parse(slime),
  nemoRl: NamesFile.parse(nemoRl),
  primeRl: NamesFile.parse(primeRl),
  roll: NamesFile.parse(roll),
  areal: NamesFile.parse(areal),
  ragen: NamesFile.parse(ragen),
  rllm: NamesFile.parse(rllm),
  art: NamesFile.parse(art),
  stableBaselines3: NamesFile.parse(stableBaselines3),
  rllib: NamesFile.parse(rllib),
  baselines: NamesFile.parse(baselines),
  plain: NamesFile.parse(plain),
};

export type Dialect = keyof typeof dialects;
