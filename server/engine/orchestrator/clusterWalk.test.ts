// @module-tag soak
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeRayCluster, type RayCluster } from "#server/engine/launchers/ray/testing/realRay.ts";
import { findSlurm, makeSlurmCluster, type SlurmCluster } from "#server/engine/launchers/slurm/testing/realSlurm.ts";
import { printTable } from "#server/cli/publish/table.ts";
import { HeadlessStudio } from "./testing/headlessStudio.ts";

const page = readFileSync(new URL("../../../docs/cluster.md", import.meta.url), "utf8");
const [, ...chapters] = page.split(/^(?=## )/m);
const opening = page.slice(0, page.indexOf("## "));
const blocksOf = (text: string): string[] => [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, code = ""]) => code);
const chapter = (title: string): string => chapters.find((text) => text.startsWith(`## ${title}`)) ?? "";

const rayPython = process.env["ARLARENA_RAY_PYTHON"] ?? "";
const slurm = findSlurm();
const noSlurm = "missing" in slurm ? ` (skipped: ${slurm.missing})` : "";
const noRay = rayPython === "" ? " (skipped unless ARLARENA_RAY_PYTHON names a Python that has ray[default])" : "";

const [cli, standIn] = ["../../cli/arlarena.mjs", "testing/verlStandIn.mjs"].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);
/** Programs that the page's reader has and this machine lacks, with what they do in this test. */
const programs: Readonly<Record<string, string>> = {
  git: 'mkdir -p "$(basename "$2" .git)"',
  // The test runs a studio without pages. The process that starts here only waits until it is stopped.
  npm: "exec sleep 600",
  npx: `shift; exec '${process.execPath}' '${cli}' "$@"`,
  python3: `exec '${process.execPath}' '${standIn}' "$@"`,
  apptainer: `[ "$1 $2 $3" = "exec --nv verl.sif" ] || exit 9; shift 3; exec "$(dirname "$0")/$@"`.replace(
    '"$(dirname "$0")/$@"',
    '"$(dirname "$0")/$1" "${@:2}"',
  ),
};

describe("every command of docs/cluster.md, with a stand-in for verl", () => {
  let root = "";
  let studio: HeadlessStudio;
  let ray: RayCluster | undefined;
  let cluster: SlurmCluster | undefined;
  let folder = "";

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "walk-"));
    await chmod(root, 0o755);
    for (const path of ["bin", "shared", "home/.local/share", "home/tasks/gsm8k"])
      await mkdir(join(root, path), { recursive: true });
    for (const [name, code] of Object.entries(programs))
      await writeFile(join(root, "bin", name), `#!/bin/bash\n${code}\n`, { mode: 0o755 });
    for (const name of ["train", "test"]) await writeFile(join(root, `home/tasks/gsm8k/${name}.parquet`), "rows");
    process.env["PATH"] = `${root}/bin:${process.env["PATH"] ?? ""}`;
    if (!("missing" in slurm)) cluster = await makeSlurmCluster(join(root, "slurm"), slurm);
    if (rayPython !== "") ray = await makeRayCluster(rayPython, 2);
    const path = `${root}/bin:${cluster?.environment["PATH"] ?? process.env["PATH"] ?? ""}`;
    const variables = { ...cluster?.environment, PATH: path, HOME: `${root}/home` };
    studio = await HeadlessStudio.make(variables, () => ({ iterations: 1, everyMs: 1 }));
    await symlink(studio.home, join(root, "home/.local/share/arlarena"));
    folder = join(root, "home");
  }, 800_000);
  afterAll(async () => {
    await studio.close();
    await ray?.close();
    await cluster?.close();
    await rm(root, { recursive: true, force: true });
  });

  /** Replaces names of the page's machines and folders by those of this test. */
  const placed = (text: string): string =>
    text
      .replaceAll("http://head:8265", ray?.address ?? "")
      .replaceAll("/home/you", `${root}/home`)
      .replaceAll("/shared/", `${root}/shared/`)
      .replace("- kind: slurm\n", `- kind: slurm\n    environment: { PATH: "${root}/bin:/usr/bin:/bin" }\n`);

  /** Runs a block of the page, with the orchestrator alone in place of the studio. Returns what the block printed. */
  const run = async (block: string): Promise<string> => {
    // The page uses the default state folder.
    const { ARLARENA_HOME: _, ...inherited } = process.env;
    const env = {
      ...inherited,
      ...cluster?.environment,
      PATH: `${root}/bin:${process.env["PATH"] ?? ""}`,
      HOME: `${root}/home`,
      DATABASE_URL: studio.url,
      NO_COLOR: "1",
    };
    // A background process must not keep the pipe of the printed output open.
    const code = placed(block).replaceAll("& echo $!", "< /dev/null & echo $!");
    const done = spawnSync("bash", ["--norc", "-euo", "pipefail", "-c", `${code}\npwd > '${root}/pwd'`], {
      cwd: folder,
      env,
      encoding: "utf8",
      timeout: 880_000,
    });
    const printed = `${done.stdout}${done.stderr}`;
    expect(done.status, `${block}\n${printed}`).toBe(0);
    folder = readFileSync(join(root, "pwd"), "utf8").trim();
    if (/\bnpm start\b/.test(block)) {
      await studio.killOrchestrator();
      studio.startOrchestrator();
    }
    return printed;
  };
  const runAll = async (text: string): Promise<string[]> => {
    const printed: string[] = [];
    for (const block of blocksOf(text)) printed.push(await run(block));
    return printed;
  };
  const statuses = async (name: string): Promise<string[]> => {
    const runs = await studio.database.prisma.run.findMany({ where: { sweep: { name } }, include: { cell: true } });
    return runs.map(({ cell, status, reason }) => `${cell.method} ${status} ${reason ?? ""}`.trim()).toSorted();
  };
  const whole = ["CISPO", "GRPO", "GSPO"].flatMap((method) => [0, 1, 2].map(() => `${method} finished completed`));
  const stopped = [0, 1, 2].map(() => "SAPO by rows finished stopped_by_rule");

  it("prepares and previews", { timeout: 900_000 }, async () => {
    await runAll(opening);
    await runAll(chapter("The studio"));
    const [preview = ""] = await runAll(chapter("The plan"));
    expect(preview).toContain("reward.custom_reward_function.name=compute_score");
    expect(preview).not.toContain("refused");
  });
  it("is a short way: so many commands to the table, files aside", () => {
    const commands = blocksOf(page.slice(0, page.indexOf("## The same plan on Ray")))
      .join("")
      .replaceAll(/<<'END'[\s\S]*?^END$/gm, "")
      .split("\n")
      .filter((line) => line.trim() !== "");
    expect(commands.length).toBeLessThanOrEqual(18);
    expect(existsSync(join(folder, "gsm8k.yaml"))).toBe(true);
  });

  it("trains: a collapse is stopped, a run fails", { timeout: 900_000 }, async () => {
    const [first = "", again = ""] = blocksOf(chapter("The runs"));
    const printed = await run(first);
    expect(printed).toContain("12 runs");
    const failed = "GSPO failed trainer_failed";
    expect(await statuses("Four methods")).toEqual([...whole.toSpliced(-1, 1), failed, ...stopped].toSorted());
    await run(again);
    expect(await statuses("Four methods")).toEqual([...whole, ...stopped].toSorted());
  });

  it("prints the table under the task's title", async () => {
    const [table = ""] = await runAll(chapter("The table"));
    for (const method of ["GRPO", "GSPO", "SAPO", "CISPO"]) expect(table).toContain(method);
    expect(table).toContain("GSM8K");
    // In the stand-in, training success exceeds success on the test set (65 % of GRPO at the end) by 10 points.
    const { json } = await printTable(studio.database, ["Four methods"], { kind: "final", format: "markdown" });
    expect(json).toMatchObject({ metric: "evaluation/successRate" });
    const grpo = Number(/^\| GRPO \| 3 \|[^\d|]*([\d.]+)/m.exec(table)?.[1]);
    expect(Math.abs(grpo - 65), table).toBeLessThan(3);
    expect(readFileSync(join(folder, "gsm8k.tex"), "utf8")).toContain("GSM8K");
  });

  it.skipIf(rayPython === "")(`runs the same plan on Ray${noRay}`, { timeout: 900_000 }, async () => {
    const printed = await runAll(chapter("The same plan on Ray"));
    expect((await statuses("Four methods on Ray")).filter((one) => one.startsWith("SAPO"))).toEqual(stopped);
    expect(printed.join("\n")).toContain("CISPO");
  });

  it.skipIf("missing" in slurm)(
    `runs the same plan on Slurm through apptainer${noSlurm}`,
    { timeout: 900_000 },
    async () => {
      const printed = await runAll(chapter("The same plan on Slurm"));
      expect((await statuses("Four methods on Slurm")).filter((one) => one.startsWith("SAPO"))).toEqual(stopped);
      expect(printed.join("\n")).toContain("CISPO");
    },
  );
});
