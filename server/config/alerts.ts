import { join } from "node:path";
import { AlertsFile } from "#server/domain/alerts/alertsFile.ts";
import { readYamlFile } from "./yamlFile.ts";

/** `alerts.yaml` of the state folder; undefined where there is none. Throws with file and field where it is wrong. */
export function readAlerts(home: string): AlertsFile | undefined {
  return readYamlFile(join(home, "alerts.yaml"), AlertsFile);
}
