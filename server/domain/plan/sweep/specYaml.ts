import { stringify } from "yaml";

/** Formats a configuration as YAML, for comparison with another one. */
export function specToYaml(spec: unknown): string {
  return stringify(spec);
}
