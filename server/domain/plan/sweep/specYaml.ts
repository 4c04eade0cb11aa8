import { stringify } from "yaml";

/** The whole configuration as YAML, for comparison with another one. */
export function specToYaml(spec: unknown): string {
  return stringify(spec);
}
