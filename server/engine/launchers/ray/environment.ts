import { packagePrefix } from "./seal.ts";

type Environment = Readonly<NodeJS.ProcessEnv>;

/** Returns Ray's environment without our packages, from which workers of the program would import. */
export function theirEnvironment(environment: Environment): NodeJS.ProcessEnv {
  const { PYTHONPATH, RAY_JOB_CONFIG_JSON_ENV_VAR: config, ...rest } = environment;
  const paths = (PYTHONPATH ?? "").split(":").filter((path) => path !== "" && !path.includes(packagePrefix));
  return {
    ...rest,
    ...(paths.length > 0 && { PYTHONPATH: paths.join(":") }),
    ...(config !== undefined && { RAY_JOB_CONFIG_JSON_ENV_VAR: withoutOurs(config) }),
  };
}

// Removes our packages from Ray's job configuration, and a list that becomes empty, because Ray rejects it.
function withoutOurs(config: string): string {
  const parsed: unknown = JSON.parse(config, (key, value: unknown) => {
    if (key !== "py_modules" || !Array.isArray(value)) return value;
    const theirs = value.filter((uri) => !String(uri).includes(packagePrefix));
    return theirs.length > 0 ? theirs : undefined;
  });
  return JSON.stringify(parsed);
}
