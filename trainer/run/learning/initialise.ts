import type { TaskFamily } from "#trainer/environments/episode.ts";
import { spendingOf } from "#trainer/spec/budget.ts";
import type { Actor } from "#trainer/run/acting/actor.ts";
import { clone, demonstrate, type Cloning, type Encoding, type Passes } from "./clone.ts";
import { generateSuccesses } from "./rejection.ts";

export type Initialisation = Cloning & {
  family: TaskFamily;
  /** Acts with the current parameters. */
  actor: Actor;
  encode: Encoding;
};

/** One pass over the cloned data. Epochs and steps are counted across demonstrations and all rounds. */
export type InitialisationEpoch = Passes & { values: Readonly<Record<string, number>> };

/** A remark for the log. */
export type InitialisationRemark = { level: "info" | "warning"; text: string };

/**
 * Training before reinforcement learning: none, demonstrations, or demonstrations followed by rounds of rejection
 * fine-tuning on the policy's successful episodes. A round's metrics are logged with its first epoch.
 */
export async function* initialise(parts: Initialisation): AsyncGenerator<InitialisationEpoch | InitialisationRemark> {
  const { spec, family, actor, encode } = parts;
  const { initialisation } = spec;
  if (initialisation.kind === "scratch") return;
  let done: Passes = { epoch: 0, steps: 0 };
  const numEpisodes = spendingOf(spec).numDemonstrations;
  const demonstrations = await demonstrate({ spec, family, encode }, numEpisodes, parts.check);
  for await (const pass of clone(parts, demonstrations, done)) {
    done = pass;
    yield pass;
  }
  if (initialisation.kind === "demonstrations") return;
  for (let round = 1; round <= initialisation.rounds; round++) {
    const { kept, values } = await generateSuccesses(spec, actor, { family, initialisation, round });
    if (kept.length === 0) {
      const text = `rejection round ${round}: none of ${initialisation.numGenerated} episodes succeeded in a valid format, so nothing was learned`;
      yield { level: "warning", text };
      done = { ...done, epoch: done.epoch + 1 };
      yield { ...done, values };
      continue;
    }
    let ofRound: Readonly<Record<string, number>> = values;
    for await (const pass of clone(parts, kept, done)) {
      done = pass;
      yield { ...pass, values: { ...ofRound, ...pass.values } };
      ofRound = {};
    }
  }
}
