import { execFile } from "node:child_process";
import type { ExternalJob } from "#packages/trainers";

/** Adds reporting options to the job's command if its Python has the module; returns a remark for the run page. */
export async function addReporting(
  { argv, reporting, folder }: ExternalJob,
  environment: NodeJS.ProcessEnv,
): Promise<{ argv: readonly string[]; note: string | undefined }> {
  if (reporting === undefined) return { argv, note: undefined };
  const { python, module, arguments: added, without } = reporting;
  const code = "import importlib.util, sys; sys.exit(0 if importlib.util.find_spec(sys.argv[1]) else 1)";
  const isThere = await new Promise<boolean>((done) => {
    const options = { cwd: folder, env: environment, timeout: 30_000 };
    const [program = "", ...words] = python;
    execFile(program, [...words, "-c", code, module], options, (error) => done(error === null));
  });
  if (!isThere) return { argv, note: without };
  return { argv: [...argv, ...added], note: `${module} is installed beside it: ${added.join(" ")} was added` };
}
