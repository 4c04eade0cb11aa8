import type { CurriculumSpec } from "./environment.ts";
import { environmentsIn, partsOf } from "./environmentParts.ts";
import { spendingOf } from "./budget.ts";
import { usualShapes } from "./rowTokens.ts";
import type { CellSpec } from "./run.ts";

type Conflict = { path: string; message: string };

/** Finds the reasons why a mixture or a curriculum cannot be trained with the other settings. */
export function partConflictsOf(cell: CellSpec): Conflict[] {
  const { environment, trainer, rollout } = cell;
  if (environment.id !== "mixture" && environment.id !== "curriculum") return [];
  const list = environment.id === "mixture" ? "parts" : "phases";
  const found: Conflict[] = [];
  if (trainer) {
    const message = `the trainer "${trainer.name}" supports a single environment; a ${environment.id} needs the built-in trainer`;
    found.push({ path: "environment.id", message });
  }
  const names = partsOf(environment).map(({ name }) => name);
  for (const [i, name] of names.entries()) {
    const first = names.indexOf(name);
    const message = `"${name}" is already the name of ${list}[${first}]: choose another name`;
    if (first < i) found.push({ path: `environment.${list}[${i}].name`, message });
  }
  const shapes = new Map(environmentsIn(environment).map(({ id }) => [usualShapes[id], id]));
  if (rollout.shape === null && shapes.size > 1) {
    const usual = [...shapes].map(([shape, id]) => `${id}: ${shape}`).join(", ");
    const message = `is null, but the environments have different rollout shapes (${usual}): set it to windowed or transcript for all`;
    found.push({ path: "rollout.shape", message });
  }
  return environment.id === "curriculum" ? [...found, ...phaseConflictsOf(cell, environment)] : found;
}

function phaseConflictsOf(cell: CellSpec, { phases }: CurriculumSpec): Conflict[] {
  const last = phases.length - 1;
  const found = phases.flatMap(({ until = {} }, i): Conflict[] => {
    const path = `environment.phases[${i}].until`;
    const hasEnd = until.iterations !== undefined || until.success !== undefined;
    if (i < last && !hasEnd) {
      return [
        { path, message: "is missing: set when the phase ends, for example { iterations: 40 } or { success: 0.8 }" },
      ];
    }
    const given = Object.entries(until).map(([name, value]) => `${name}: ${value}`);
    const message = `is { ${given.join(", ")} }, but the last phase lasts to the end of the run; leave until out`;
    return i === last && hasEnd ? [{ path, message }] : [];
  });
  const earlier = phases.slice(0, last).map(({ until }) => until);
  const isFixed = earlier.every((until) => until?.iterations !== undefined && until.success === undefined);
  const numBefore = earlier.reduce((sum, until) => sum + (until?.iterations ?? 0), 0);
  const { iterations } = spendingOf(cell);
  if (isFixed && found.length === 0 && iterations > 0 && numBefore >= iterations) {
    const message = `is ${earlier.at(-1)?.iterations}; the phases before the last one take ${numBefore} iterations, but the run has only ${iterations}: reduce them here or raise budget.iterations`;
    found.push({ path: `environment.phases[${last - 1}].until.iterations`, message });
  }
  return found;
}
