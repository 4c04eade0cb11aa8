import { z } from "zod";
import { NodeCheck } from "#server/domain/fleet/nodes/check.ts";
import { type Disk, Processor } from "#server/domain/fleet/nodes/machine.ts";
import { Node, withoutSecrets } from "#server/domain/fleet/nodes/node.ts";
import { Gpu } from "#trainer/spec/gpus.ts";
import { Machine } from "#trainer/spec/machine.ts";
import type { Database, Pooled } from "../storage/client.ts";
import { readRows } from "../storage/readRows.ts";

export type NodeNews = {
  node: Node;
  /** Time of the node's last response; null if it has not responded since the orchestrator began to poll it. */
  lastContactAtMs: number | null;
  /** Error of the last request; null if it succeeded. */
  problem: string | null;
  gpus: readonly Gpu[] | null;
  /** Machines that trainers on the node reported. Null: none so far, so the stored machines stay. */
  machines?: readonly Machine[] | null;
  /** Load of the processors and memory, for a node that consists of a single machine. */
  processor?: Processor | null;
  /** Free space on the disk of the runs folder; null if unknown. While the disk is full, the node gets no new run. */
  disk: NodeDisk | null;
};

export type NodeDisk = Disk & { isFull: boolean };

/** Stores the state of every configured compute node for display. Other nodes are marked as no longer configured. */
export async function saveNodes({ pool }: Pooled, nodes: readonly NodeNews[]): Promise<void> {
  const rows = nodes.map(({ node, lastContactAtMs, problem, gpus, machines = null, processor = null, disk }) => ({
    name: node.name,
    config: withoutSecrets(node),
    last_contact_at: lastContactAtMs === null ? null : new Date(lastContactAtMs).toISOString(),
    problem,
    gpus,
    machines,
    processor,
    disk_free_bytes: disk?.freeBytes ?? null,
    disk_total_bytes: disk?.totalBytes ?? null,
    is_disk_full: disk?.isFull ?? false,
  }));
  await pool.query(
    `WITH gone AS (
       UPDATE node_sighting SET is_configured = false
       WHERE is_configured AND name NOT IN (SELECT r->>'name' FROM jsonb_array_elements($1::jsonb) AS r)
     )
     INSERT INTO node_sighting (name, config, last_contact_at, problem, gpus, machines, processor, disk_free_bytes, disk_total_bytes,
       is_disk_full, is_configured, updated_at)
     SELECT name, config, last_contact_at, problem, nullif(gpus, 'null'::jsonb), nullif(machines, 'null'::jsonb), nullif(processor, 'null'::jsonb), disk_free_bytes, disk_total_bytes,
       is_disk_full, true, now()
     FROM jsonb_to_recordset($1::jsonb) AS r(name text, config jsonb, last_contact_at timestamptz, problem text,
       gpus jsonb, machines jsonb, processor jsonb, disk_free_bytes float8, disk_total_bytes float8, is_disk_full boolean)
     ON CONFLICT (name) DO UPDATE SET config = excluded.config, problem = excluded.problem, is_configured = true,
       last_contact_at = coalesce(excluded.last_contact_at, node_sighting.last_contact_at),
       gpus = excluded.gpus, machines = coalesce(excluded.machines, node_sighting.machines),
       processor = excluded.processor, disk_free_bytes = excluded.disk_free_bytes, disk_total_bytes = excluded.disk_total_bytes,
       is_disk_full = excluded.is_disk_full, updated_at = now()`,
    [JSON.stringify(rows)],
  );
}

/** Stores the current price of a node's slot; the orchestrator's next round stores it again, as its file says. */
export async function savePrice({ pool }: Pooled, name: string, price: number | null): Promise<void> {
  await pool.query(
    `UPDATE node_sighting SET config = (config - 'pricePerSlotHour') || jsonb_strip_nulls(jsonb_build_object('pricePerSlotHour', $2::float8))
     WHERE name = $1`,
    [name, price],
  );
}

/** Use of a node's slots by a live attempt, or by a running evaluation of a finished run. */
const Lease = z.object({
  node: z.string(),
  /** Name of the environment in which the run's policy is evaluated; null for an attempt. */
  evaluation: z.string().nullable(),
  runId: z.string(),
  sweepId: z.string(),
  sweepName: z.string(),
  attempt: z.number(),
  devices: z.array(z.string()),
  status: z.string(),
  jobState: z.string(),
  createdAt: z.date(),
});
export type Lease = z.infer<typeof Lease>;

export type NodeRow = {
  node: Node;
  isConfigured: boolean;
  lastContactAt: Date | null;
  problem: string | null;
  gpus: Gpu[] | null;
  /** Machines that trainers on the node reported; empty until the first report. */
  machines: Machine[];
  /** Load of the processors and memory; null if unknown, and for a cluster, which has many machines. */
  processor: Processor | null;
  disk: NodeDisk | null;
  /** Last check that a user requested; null without one. */
  check: NodeCheck | null;
  leases: Lease[];
};

/** Reads every compute node that is configured or has a job, with the attempts and evaluations that use its slots. */
export async function readNodes({ pool, prisma }: Database): Promise<NodeRow[]> {
  const leases = await readRows(pool, Lease, {
    sql: `SELECT a.node, NULL AS evaluation, a.run_id AS "runId", r.sweep_id AS "sweepId", s.name AS "sweepName", a.number AS attempt, a.devices,
       r.status, a.job_state AS "jobState", a.created_at AS "createdAt"
     FROM attempt a JOIN run r ON r.id = a.run_id JOIN sweep s ON s.id = r.sweep_id WHERE a.live AND s.origin = 'plan'
     UNION ALL SELECT e.node, coalesce(e.evaluation->>'name', e.evaluation->'environment'->>'id'), e.run_id, r.sweep_id, s.name,
       e.tries, e.devices, 'running', 'running', e.started_at
     FROM stored_evaluation e JOIN run r ON r.id = e.run_id JOIN sweep s ON s.id = r.sweep_id WHERE e.state = 'running'
     ORDER BY "createdAt", "runId"`,
  });
  const sightings = await prisma.nodeSighting.findMany({ orderBy: { name: "asc" } });
  return sightings.flatMap(
    ({ config, isConfigured, lastContactAt, problem, gpus, machines, processor, name, check, ...disk }) => {
      const ofNode = leases.filter(({ node }) => node === name);
      if (!isConfigured && ofNode.length === 0) return [];
      return [
        {
          node: Node.parse(config),
          isConfigured,
          lastContactAt,
          problem,
          gpus: gpus === null ? null : z.array(Gpu).parse(gpus),
          machines: parseMachines(machines),
          processor: Processor.safeParse(processor).data ?? null,
          disk: toDisk(disk),
          check: NodeCheck.safeParse(check).data ?? null,
          leases: ofNode,
        },
      ];
    },
  );
}

/** Discards machines that an earlier version stored in another format, until the next report. */
function parseMachines(stored: unknown): Machine[] {
  return z.array(Machine).safeParse(stored).data ?? [];
}

export async function readMachines({ prisma }: Pick<Database, "prisma">): Promise<ReadonlyMap<string, Machine[]>> {
  const sightings = await prisma.nodeSighting.findMany({ select: { name: true, machines: true } });
  return new Map(sightings.map(({ name, machines }) => [name, parseMachines(machines)]));
}

type StoredDisk = { diskFreeBytes: number | null; diskTotalBytes: number | null; isDiskFull: boolean };

function toDisk({ diskFreeBytes, diskTotalBytes, isDiskFull }: StoredDisk): NodeDisk | null {
  if (diskFreeBytes === null || diskTotalBytes === null) return null;
  return { freeBytes: diskFreeBytes, totalBytes: diskTotalBytes, isFull: isDiskFull };
}

export async function readFullDisks({ pool }: Pooled): Promise<{ node: string; freeBytes: number }[]> {
  return readRows(pool, z.object({ node: z.string(), freeBytes: z.number() }), {
    sql: `SELECT name AS node, disk_free_bytes AS "freeBytes" FROM node_sighting
     WHERE is_configured AND is_disk_full ORDER BY name`,
  });
}
