import { join } from "node:path";
import { AlertsFile } from "#server/domain/fleet/alerts/alertsFile.ts";
import { readYamlFile } from "./yamlFile.ts";

/** `alerts.yaml` of the state folder; undefined if there is none. Throws with file and field if it is invalid. */
export function readAlerts(home: string): AlertsFile | undefined {
  return readYamlFile(join(home, "alerts.yaml"), AlertsFile);
}
