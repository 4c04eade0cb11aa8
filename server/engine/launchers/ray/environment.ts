import { packagePrefix } from "./seal.ts";

type Environment = Readonly<NodeJS.ProcessEnv>;

/**
 * Returns the environment of a job's program: Ray's environment without our packages. Otherwise workers that the
 * program starts through Ray would download our packages and import from them.
 */
export function theirEnvironment(environment: Environment): NodeJS.ProcessEnv {
  const { PYTHONPATH, RAY_JOB_CONFIG_JSON_ENV_VAR: config, ...rest } = environment;
  const paths = (PYTHONPATH ?? "").split(":").filter((path) => path !== "" && !path.includes(packagePrefix));
  return {
    ...rest,
    ...(paths.length > 0 && { PYTHONPATH: paths.join(":") }),
    ...(config !== undefined && { RAY_JOB_CONFIG_JSON_ENV_VAR: withoutOurs(config) }),
  };
}

// Removes our packages from Ray's job configuration. The format is internal to Ray, so unexpected content stays
// unchanged. An empty list of modules would make Ray fail, so the list is removed.
function withoutOurs(config: string): string {
  const parsed: unknown = JSON.parse(config, (key, value: unknown) => {
    if (key !== "py_modules" || !Array.isArray(value)) return value;
    const theirs = value.filter((uri) => !String(uri).includes(packagePrefix));
    return theirs.length > 0 ? theirs : undefined;
  });
  return JSON.stringify(parsed);
}
