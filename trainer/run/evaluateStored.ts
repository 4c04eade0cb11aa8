import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { SessionOptions } from "#trainer/onnx/session.ts";
import type { PolicyConfig } from "#trainer/policy/config.ts";
import { Vocabulary } from "#trainer/policy/exportedPolicy.ts";
import { parameterShapes, type Parameters } from "#trainer/policy/parameters.ts";
import { spendingOf } from "#trainer/spec/budget.ts";
import { StoredPolicy, type StoredResult } from "#trainer/spec/elsewhere.ts";
import { originOf } from "#trainer/spec/origin.ts";
import { RunSpec, specHash } from "#trainer/spec/run.ts";
import { makeActor, taughtBy } from "./acting/actor.ts";
import { evaluateIn } from "./acting/evaluate.ts";
import { makeCheckpoints } from "./keeping/checkpoints.ts";
import { policyFile, readPolicyFile } from "./keeping/exportPolicy.ts";
import { makeInterrupt } from "./keeping/interrupt.ts";
import { loaded } from "./keeping/state.ts";
import { makeStore } from "./learning/makeStore.ts";
import { makeFamilies, prepare } from "./prepare.ts";

export const StoredRequest = z.object({
  ...StoredPolicy.omit({ runId: true }).shape,
  spec: RunSpec,
  /** Folders of the run's attempts, newest first. */
  folders: z.array(z.string()),
});
export type StoredRequest = z.infer<typeof StoredRequest>;

/**
 * Evaluates with the settings and random streams of the run's own evaluation. In the run's own environment, results
 * are therefore equal.
 */
export async function evaluateStored(request: StoredRequest, options: SessionOptions): Promise<StoredResult> {
  const { spec, evaluation } = request;
  if (spec.policy.pretrained !== undefined) {
    throw new Error(
      "a pretrained model is evaluated elsewhere only during its run: name the environment in the plan's evaluation.elsewhere",
    );
  }
  const iteration = request.iteration ?? spendingOf(spec).iterations;
  const elsewhereAndVisited = [...(spec.evaluation.elsewhere ?? []), { ...evaluation, name: visited }];
  const visiting = { ...spec, evaluation: { ...spec.evaluation, elsewhere: elsewhereAndVisited } };
  const { programs, environment, phases, elsewhere, root } = await makeFamilies(visiting);
  const own = new Map([...elsewhere].filter(([name]) => name !== visited));
  const taught = root ?? taughtBy({ spec, environment, phases, elsewhere: own });
  const store = makeStore(options);
  const parts = { spec, environment, phases, root: taught };
  const acts = makeActor({ ...parts, elsewhere }, { ...options, store });
  // The policy's context length is that of its run, even if the other environment needs a longer one.
  const { config } = makeActor({ ...parts, elsewhere: own }, { ...options, store });
  const words = Array.from({ length: config.vocabularySize }, (_, token) => acts.piece(token));
  const parameters = await readParameters(request, { iteration, config, words }, options);
  const acting = acts.actor(await store.hold(parameters, parameterShapes(config)), () => {});
  const family = acts.elsewhere.get(visited);
  if (!family) throw new Error("evaluation.environment: it was not made");
  const numEpisodes = evaluation.numEpisodes ?? spec.evaluation.numEpisodes;
  const values = await evaluateIn(spec, acting, { family, iteration, numEpisodes });
  await acting.close();
  await store.close();
  await programs?.close();
  const policySha256 = createHash("sha256").update(policyFile(config, parameters)).digest("hex");
  return { ...values, iteration, policySha256 };
}

/** Name of the other environment in `evaluation.elsewhere`. It begins with a space, as no name in a sweep does. */
const visited = " visited";

type Wanted = { iteration: number; config: PolicyConfig; words: readonly string[] };

/** Reads the exported file or a checkpoint, or recomputes the initial policy. */
async function readParameters(
  { spec, folders }: StoredRequest,
  { iteration, config, words }: Wanted,
  options: SessionOptions,
): Promise<Parameters> {
  const { iterations } = spendingOf(spec);
  const exported = folders.find((folder) => existsSync(join(folder, "policy.onnx")));
  if (iteration === iterations && exported !== undefined) {
    const vocabulary = Vocabulary.parse(JSON.parse(readFileSync(join(exported, "vocabulary.json"), "utf8")));
    if (JSON.stringify(vocabulary.words) !== JSON.stringify(words)) {
      throw new Error("vocabulary.json has other words than this version of the environments: the policy reads others");
    }
    return readPolicyFile(config, readFileSync(join(exported, "policy.onnx")));
  }
  if (iteration === 0) return makeStart(spec, options);
  const hash = specHash(spec);
  for (const folder of folders) {
    const kept = makeCheckpoints(join(folder, "checkpoints"), hash).at(iteration);
    if (kept) return loaded("policy", kept.tensors);
  }
  const where = folders.join(", ") || "any folder, because the run had no attempt";
  throw new Error(
    iteration === iterations
      ? `there is no policy.onnx in ${where}: the run did not reach its last iteration, or its files are on another node`
      : `iteration: no checkpoint of iteration ${iteration} is in ${where}; a run keeps its newest two and those of execution.keep`,
  );
}

/** Repeats the initialisation of a run and returns its initial policy. */
async function makeStart(spec: RunSpec, sessionOptions: SessionOptions): Promise<Parameters> {
  const origin = originOf(spec);
  if (origin) {
    throw new Error(
      `iteration: before training, the policy is that of ${origin.run} after iteration ${origin.iteration}: evaluate ${origin.run} instead`,
    );
  }
  const trainer = await prepare(spec, {
    log: {
      emit: () => {},
      metrics: () => {},
      change: () => {},
      traces: () => {},
      note: () => {},
      done: () => {},
      close: () => {},
    },
    episodeFile: { write: () => {} },
    checkpoints: { save: () => {}, latest: () => ({ problems: [] }), at: () => undefined },
    interrupt: makeInterrupt(),
    sessionOptions,
    folder: ".",
    origin: { specHash: "", code: "", host: "", pid: 0 },
  });
  const parameters = await trainer.store.read(trainer.state.parameters);
  await trainer.close();
  return parameters;
}
