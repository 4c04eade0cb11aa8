import { packagePrefix } from "./packageName.ts";

type Environment = Readonly<NodeJS.ProcessEnv>;

/**
 * What a job's program is started with: Ray's environment without packages of ours, which the workers that the program
 * asks Ray for would fetch and find on their paths otherwise.
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

// Its shape is Ray's own business: what is not as expected stays as it is. An empty list of modules fails there.
function withoutOurs(config: string): string {
  const parsed: unknown = JSON.parse(config, (key, value: unknown) => {
    if (key !== "py_modules" || !Array.isArray(value)) return value;
    const theirs = value.filter((uri) => !String(uri).includes(packagePrefix));
    return theirs.length > 0 ? theirs : undefined;
  });
  return JSON.stringify(parsed);
}
