import type { Moment } from "#server/playground/play.ts";
import type { Environment } from "#trainer/environments/environment.ts";
import { split, type Rng } from "#trainer/spec/rng.ts";

type Step<State> = { state: State; moment: Seen };
/** Parts of a moment from which a drawing is derived. */
type Seen = Pick<Moment, "observation" | "turns" | "admissible">;

/** Probability of a random admissible action in place of the expert's. */
const slipRate = 0.4;

/** Yields every moment of an episode with the environment's own state. The expert acts, with random slips that lead it astray. */
export function* walk<State>(environment: Environment<State>, seed: number): Generator<Step<State>> {
  const rng = split(seed, "walk");
  let { state, observation } = environment.reset(seed);
  const turns: Moment["turns"] = [];
  for (;;) {
    const admissible = environment.admissibleActions(state);
    yield { state, moment: { observation, turns: [...turns], admissible } };
    const action = choose(environment, state, { admissible, rng });
    const next = environment.step(state, action);
    const { reward } = next;
    turns.push({ observation, response: "", action, reward, isFormatValid: true, isActionValid: true });
    ({ state, observation } = next);
    if (next.ending !== "ongoing") {
      yield { state, moment: { observation, turns, admissible: [] } };
      return;
    }
  }
}

function choose<State>(
  environment: Environment<State>,
  state: State,
  { admissible, rng }: { admissible: readonly string[]; rng: Rng },
): string {
  const slip = rng.next() < slipRate ? admissible[rng.int(admissible.length)] : undefined;
  return slip ?? environment.expert(state).action;
}
