import { stringify } from "yaml";

export function specToYaml(spec: unknown): string {
  return stringify(spec);
}
