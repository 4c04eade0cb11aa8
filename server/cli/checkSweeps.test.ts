import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

const Workflow = z.object({
  jobs: z.object({ check: z.object({ steps: z.array(z.looseObject({ run: z.string().optional() })) }) }),
});

test("the workflow for sweep files accepts what can be launched and names what is wrong", async () => {
  const { jobs } = Workflow.parse(parse(await readFile("docs/examples/check-sweeps.yml", "utf8")));
  const script = jobs.check.steps.at(-1)?.run ?? "";
  const folder = await mkdtemp(join(tmpdir(), "arlarena-workflow-"));
  // Runs the check with the environment variables of a step in a GitHub runner.
  const check = async () => {
    const env = { ...process.env, ARLARENA_HOME: join(folder, "home") };
    const done = promisify(execFile)("bash", ["-e", "-o", "pipefail", "-c", script], { cwd: folder, env });
    return done.then(
      ({ stdout }) => ({ code: 0, text: stdout }),
      (error: { code: number; stdout: string; stderr: string }) => ({
        code: error.code,
        text: error.stdout + error.stderr,
      }),
    );
  };
  try {
    await mkdir(join(folder, "sweeps"));
    await symlink(process.cwd(), join(folder, "studio"));
    await copyFile("public/presets/alfworld.yaml", join(folder, "sweeps/good.yaml"));
    const good = await check();
    expect([good.code, good.text]).toEqual([
      0,
      expect.stringMatching(/::group::sweeps\/good\.yaml\nwarning: 2 seeds .*\n\nCell 0: /),
    ]);
    const plan = await readFile("public/presets/alfworld.yaml", "utf8");
    await writeFile(join(folder, "sweeps/wrong.yaml"), `${plan}\nseedz: [0]\n`);
    const wrong = await check();
    expect([wrong.code, wrong.text]).toEqual([1, expect.stringContaining("seedz")]);
    expect(wrong.text).toContain("::error file=sweeps/wrong.yaml::the studio refuses this sweep file");
    expect(wrong.text).not.toContain("::error file=sweeps/good.yaml");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
