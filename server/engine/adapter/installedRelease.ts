import { execFile } from "node:child_process";
import { describeTooOld, type ExternalJob, isKnownRelease } from "#packages/trainers";

export type Suited = { note?: string; problem?: string };

const code = "from importlib.metadata import version; print(version('verl'))";

/**
 * Compares the release of verl that the program's Python has with those for which the command was written. A release
 * with another command is refused, because it would fail or train something else, and so is one that is older than all
 * known ones. Another unknown one gives a note.
 */
export async function checkRelease(
  { suits, folder, release }: Pick<ExternalJob, "suits" | "folder" | "release">,
  env: NodeJS.ProcessEnv,
): Promise<Suited> {
  if (!suits) return {};
  const [program = "", ...words] = suits.python;
  const installed = await new Promise<string>((done) => {
    const options = { cwd: folder, env, timeout: 60_000 };
    execFile(program, [...words, "-c", code], options, (error, stdout) => done(error === null ? stdout.trim() : ""));
  });
  // Python prints warnings first, if any.
  const version = installed.split("\n").at(-1) ?? "";
  if (version === "") return { note: "the release of verl on this machine could not be read" };
  if (suits.releases.includes(version) || version === release) return {};
  const tooOld = describeTooOld(version);
  if (tooOld !== undefined) return { problem: `on this machine, ${tooOld}` };
  const written = `the command is for verl ${suits.releases.join(", ") || release || "of an unknown version"}`;
  if (!isKnownRelease(version)) return { note: `this machine has verl ${version}, which was not tested; ${written}` };
  return {
    problem: `this machine has verl ${version}, and ${written}: set \`version: ${version}\` in the template, or run \`npx arlarena nodes check\` if it has no version, and launch again`,
  };
}
