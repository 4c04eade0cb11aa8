import { stringify } from "yaml";

/** Formats a configuration as YAML, for comparison with other configurations. */
export function specToYaml(spec: unknown): string {
  return stringify(spec);
}
