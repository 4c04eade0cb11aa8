import { expect, it } from "vitest";
import { theirEnvironment } from "./environment.ts";

it.each([
  [["gcs://_ray_pkg_arlarena_job_1.zip"], {}],
  [["s3://b/a.zip", "gcs://_ray_pkg_arlarena_job_1.zip"], { py_modules: ["s3://b/a.zip"] }],
])("a program's workers are not asked for our packages: %j", (modules, theirs) => {
  const config = (runtimeEnv: object) =>
    JSON.stringify({ runtime_env: { env_vars: { A: "b" }, ...runtimeEnv }, metadata: { job_name: "a.1" } });
  const environment = {
    NODE_ENV: "production",
    PATH: "/bin",
    PYTHONPATH: "/tmp/r/py_modules_files/_ray_pkg_arlarena_job_1:/their/code",
    RAY_JOB_CONFIG_JSON_ENV_VAR: config({ py_modules: modules }),
  } as const;
  expect(theirEnvironment(environment)).toEqual({
    NODE_ENV: "production",
    PATH: "/bin",
    PYTHONPATH: "/their/code",
    RAY_JOB_CONFIG_JSON_ENV_VAR: config(theirs),
  });
});
