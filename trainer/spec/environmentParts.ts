/** Functions on mixtures and curricula. This file imports no schemas, which would be large in a browser. */
import type { BuiltInEnvironment, EnvironmentSpec, SingleEnvironment } from "./environment.ts";
import type { PythonPackage } from "./environments/pythonPackages.ts";

/** Returns the named components of a mixture or phases of a curriculum; empty for a single environment. */
export function partsOf(environment: EnvironmentSpec): { name: string; environment: BuiltInEnvironment }[] {
  const parts =
    environment.id === "mixture" ? environment.parts : environment.id === "curriculum" ? environment.phases : [];
  return parts.map((part) => ({ name: part.name ?? part.environment.id, environment: part.environment }));
}

/** Returns the environments of a mixture or curriculum, in order; otherwise the environment itself. */
export function environmentsIn(environment: EnvironmentSpec): readonly SingleEnvironment[] {
  const isSeveral = environment.id === "mixture" || environment.id === "curriculum";
  return isSeveral ? partsOf(environment).map((part) => part.environment) : [environment];
}

/** Maximum number of turns in an episode; in a mixture or curriculum, over all its environments. */
export function maxTurnsOf(environment: EnvironmentSpec): number {
  return Math.max(...environmentsIn(environment).map(({ maxTurns }) => maxTurns));
}

/** Returns an environment without its difficulty: id, and a custom title. Mixtures and curricula stay whole. */
export function plainEnvironment(environment: EnvironmentSpec): { id: string; title?: string } {
  if (environment.id === "mixture" || environment.id === "curriculum") return environment;
  const { id } = environment;
  return id === "custom" ? { id, title: environment.title } : { id };
}

/** Returns the Python packages that programs in an environment can import besides the standard library. */
export function packagesOf(environment: EnvironmentSpec): readonly PythonPackage[] {
  const packages = environmentsIn(environment).flatMap((one): readonly PythonPackage[] =>
    one.id === "tirMath" ? (one.packages ?? []) : [],
  );
  return [...new Set(packages)];
}
