import { stringify } from "yaml";

/** A configuration as YAML, whole, for reading beside another one. */
export function specToYaml(spec: unknown): string {
  return stringify(spec);
}
