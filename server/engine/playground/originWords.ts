import { badInput } from "#packages/base";
import { makeTaskFamily } from "#trainer/environments/episode.ts";
import { canonicalJson } from "#trainer/spec/canonical.ts";
import { elsewhereOf, environmentsOf } from "#trainer/spec/elsewhere.ts";
import type { EnvironmentSpec } from "#trainer/spec/environment.ts";
import { environmentsIn } from "#trainer/spec/environmentParts.ts";
import { originOf, rootOf } from "#trainer/spec/origin.ts";
import type { CellSpec } from "#trainer/spec/run.ts";

type Cells = readonly { readonly spec: CellSpec }[];

/** A family's words are listed without running a program. */
const noPrograms = {
  python: () => {
    throw new Error("no program runs while words are listed");
  },
};

/**
 * Checks that built-in policies that begin from another run know the words of all environments of their cell.
 * @throws `bad_input` with the field of the first environment with unknown words.
 */
export async function refuseUnknownWords(cells: Cells): Promise<void> {
  const listed = new Map<string, Promise<readonly string[]>>();
  const wordsOf = (environment: EnvironmentSpec): Promise<readonly string[]> => {
    const key = canonicalJson(environment);
    const words = listed.get(key) ?? makeTaskFamily(environment, noPrograms).then((family) => family.words);
    listed.set(key, words);
    return words;
  };
  const checked = new Set<string>();
  for (const { spec } of cells) {
    const origin = originOf(spec);
    if (!origin || spec.trainer !== undefined || spec.policy.pretrained !== undefined) continue;
    const taught = environmentsOf(rootOf(origin.spec));
    const isTaught = new Set(taught.map(canonicalJson));
    for (const { path, environment } of placesOf(spec)) {
      const key = canonicalJson([path, environment, taught]);
      if (checked.has(key) || environmentsIn(environment).every((one) => isTaught.has(canonicalJson(one)))) continue;
      checked.add(key);
      const known = new Set((await Promise.all(taught.map(wordsOf))).flat());
      const missing = (await wordsOf(environment)).filter((word) => !known.has(word));
      if (missing.length > 0) throw badInput([{ path, message: describe(missing, origin.run) }]);
    }
  }
}

function placesOf(spec: CellSpec): { path: string; environment: EnvironmentSpec }[] {
  const elsewhere = elsewhereOf(spec).map(({ environment }, i) => {
    return { path: `evaluation.elsewhere[${i}].environment`, environment };
  });
  return [{ path: "environment", environment: spec.environment }, ...elsewhere];
}

function describe(missing: readonly string[], run: string): string {
  const more = missing.length > 5 ? ` and ${missing.length - 5} more` : "";
  return `the vocabulary of ${run} lacks ${missing.slice(0, 5).join(", ")}${more}; train its policy with this environment in evaluation.elsewhere, or leave it out`;
}
