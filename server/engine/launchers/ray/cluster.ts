import type { RayNode } from "#server/domain/fleet/nodes/node.ts";
import type { ReadSecrets } from "#server/config/secrets.ts";
import type { Resolve } from "../resolveProgram.ts";
import type { Bundle } from "../ssh/ship.ts";
import type { RayApi } from "./api.ts";

export type RayOptions = {
  node: RayNode;
  /** State folder, which mirrors the files of the cluster's jobs. */
  home: string;
  bundle: Bundle;
  /** Resolves the program of another trainer's specification. */
  resolve?: Resolve;
  readSecrets?: ReadSecrets;
  /** Polling interval of the head while there are jobs. */
  pollMs?: number;
  /**
   * Time without any record in Ray after which an accepted job counts as lost. Machines without a head wait a minute
   * before they end their jobs, which takes up to half a minute.
   */
  absenceMs?: number;
  now?: () => number;
};

export type Cluster = RayOptions & {
  api: RayApi;
  now: () => number;
  absenceMs: number;
  folderOf: (jobId: string) => string;
  /** Disposable state: number of log lines received per job, and start times of conditions. */
  memory: {
    /** Uploads in progress, by package name: runs that start together need the same. */
    uploads: Map<string, Promise<void>>;
    numLines: Map<string, number>;
    absentSince: Map<string, number>;
    unreadSince: Map<string, number>;
  };
};
