import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { PythonEnvironment } from "./environments.ts";

const folder = mkdtempSync(join(tmpdir(), "arlarena-conformance-"));
const calls = join(folder, "calls");
const readCalls = () => readFileSync(calls, "utf8").trim().split("\n");
const one: PythonEnvironment = {
  name: "one",
  isLight: true,
  packages: ["optuna==5.0.0", "ray[default]==2.60.0"],
  variables: { ARLARENA_OPTUNA_PYTHON: "python" },
};

/** Python that makes environments whose pip only notes its arguments, and knows a newer Optuna. */
const python = `#!/bin/sh
case "$*" in
"-m venv "*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
*" index versions "*optuna) echo "optuna (5.1.0)" ;;
*" index versions "*ray) echo "ray (2.60.0)" ;;
*" missing=="*) echo "ERROR: No matching distribution found for missing==1.0" >&2; exit 1 ;;
*" install "*) echo "$*" >> ${calls} ;;
*) exit 1 ;;
esac
`;

beforeAll(() => {
  vi.stubEnv("ARLARENA_CONFORMANCE", join(folder, "made"));
  vi.stubEnv("PATH", `${folder}:/usr/bin:/bin`);
  vi.spyOn(console, "log").mockImplementation(() => {});
  writeFileSync(join(folder, "python3"), python, { mode: 0o755 });
});
afterAll(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

it("makes an environment once, names its programs, and reports a newer release", async () => {
  const { installEnvironments, listNewer } = await import("./install.ts");
  for (let i = 0; i < 2; i++) {
    const { variables } = await installEnvironments([one]);
    expect(variables).toEqual({ ARLARENA_OPTUNA_PYTHON: join(folder, "made/one/bin/python") });
  }
  expect(readCalls()).toEqual([
    "-m pip install --disable-pip-version-check --quiet optuna==5.0.0 ray[default]==2.60.0",
  ]);
  expect(await listNewer([one])).toEqual(["optuna 5.1.0 is newer than 5.0.0"]);
  await installEnvironments([{ ...one, packages: ["optuna==5.1.0"] }]);
  expect(readCalls()).toHaveLength(2);
});

it("says why an environment could not be made, and makes the others", async () => {
  const { installEnvironments } = await import("./install.ts");
  const none = { ...one, name: "none", packages: ["missing==1.0"], variables: { ARLARENA_RAY_PYTHON: "python" } };
  const { variables, problems } = await installEnvironments([none, one]);
  expect(Object.keys(variables)).toEqual(["ARLARENA_OPTUNA_PYTHON"]);
  expect(problems[0]).toBe("none is not installed: ERROR: No matching distribution found for missing==1.0");
});

it("says that Python lacks what it needs to make environments", async () => {
  const { installEnvironments } = await import("./install.ts");
  const reason = "Error: ensurepip is not available: apt install python3-venv";
  writeFileSync(join(folder, "python3"), `#!/bin/sh\necho "${reason}" >&2\nexit 1\n`, { mode: 0o755 });
  const { problems } = await installEnvironments([{ ...one, name: "new" }]);
  expect(problems[0]).toBe(`new is not installed: ${reason}`);
});
