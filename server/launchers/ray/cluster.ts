import type { RayNode } from "#server/domain/nodes/node.ts";
import type { Resolve } from "../resolveProgram.ts";
import type { Bundle } from "../ssh/ship.ts";
import type { RayApi } from "./api.ts";

export type RayOptions = {
  node: RayNode;
  /** Our state folder: what the cluster's jobs write is brought here. */
  home: string;
  bundle: Bundle;
  /** Which program of another trainer a specification means. */
  resolve?: Resolve;
  /** How often the head is asked while jobs are there. */
  pollMs?: number;
  /**
   * How long Ray must know nothing of a job that it took before the job is gone. Machines whose head is gone wait for it
   * for a minute before they end what they run, and take half of another for that.
   */
  absenceMs?: number;
  now?: () => number;
};

export type Cluster = RayOptions & {
  api: RayApi;
  now: () => number;
  absenceMs: number;
  folderOf: (jobId: string) => string;
  /** May be forgotten: how many lines of whose log are here, and since when what is so. */
  memory: {
    /** Uploads under way, by the package's name: runs that start together need the same. */
    uploads: Map<string, Promise<void>>;
    numLines: Map<string, number>;
    absentSince: Map<string, number>;
    unreadSince: Map<string, number>;
  };
};
