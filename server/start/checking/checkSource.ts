import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { root } from "../root.ts";
import { programOf, runProgram } from "./program.ts";
import { type Outcome, verdict } from "./tally.ts";

const minModules = 50;

export type Step = { name: string; perform: () => Promise<Outcome> };

const tool = (name: string, args: readonly string[]): Step => ({
  name,
  perform: async () => {
    const { code, output } = await runProgram(args, { isQuiet: true });
    return { counts: verdict(code === 0), text: output };
  },
});

/** Types and lint in one pass, by the linter's native TypeScript 7: a third of the time of `tsc` 6 plus a lint pass. */
export const typesAndLint = tool("types and lint", [
  programOf("oxlint"),
  "--type-aware",
  "--type-check",
  "--deny-warnings",
]);

/** Checks of the source itself; those that fail most often come first. */
export const sourceChecks: readonly Step[] = [
  typesAndLint,
  { name: "architecture", perform: checkArchitecture },
  tool("dead code", [programOf("knip"), "--no-progress"]),
  // Code reached only by tests is unused.
  tool("dead code but for tests", [programOf("knip"), "--no-progress", "--production"]),
  tool("format", [programOf("prettier"), "--check", "--log-level", "warn", "."]),
];

const Cruise = z.object({
  summary: z.object({
    violations: z.array(
      z.object({ from: z.string(), to: z.string(), rule: z.object({ severity: z.string(), name: z.string() }) }),
    ),
    error: z.int(),
    totalCruised: z.int(),
  }),
});

async function checkArchitecture(): Promise<Outcome> {
  const rooms = ["app", "packages", "server", "trainer", "prisma", "e2e", "bench"].filter((room) =>
    existsSync(join(root, room)),
  );
  const args = ["--config", ".dependency-cruiser.cjs", "--output-type", "json", ...rooms];
  const { output } = await runProgram([programOf("dependency-cruiser", "depcruise"), ...args], { isQuiet: true });
  const cruise = Cruise.safeParse(parseJson(output));
  if (!cruise.success) return { counts: verdict(false), text: output };
  const { violations, error, totalCruised } = cruise.data.summary;
  const lines = violations.map(({ rule, from, to }) => `${rule.severity} ${rule.name}: ${from} → ${to}`);
  // A cruiser that does not understand the installed compiler finds no module, and so no error.
  const isBlind = totalCruised <= minModules;
  if (isBlind) lines.push(`only ${totalCruised} modules were cruised`);
  return { counts: verdict(error === 0 && !isBlind), text: `${lines.join("\n")}\n` };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
