import { z } from "zod";
import { SecretName } from "#trainer/spec/secretName.ts";
import { word } from "#server/domain/plan/sweep/placement.ts";
import { Container, SlurmContainer } from "./container.ts";

const AbsolutePath = z.string().regex(/^\/[^\0\n]*$/, "must be an absolute path such as /data");

const CoreSlots = z.strictObject({ per: z.literal("core"), count: z.int().min(1).max(4096) });
/** Schema of slots on GPUs: each run has GPUs of its own, or shares one with `perDevice` − 1 other runs. */
const GpuSlots = z.strictObject({
  per: z.literal("gpu"),
  /** GPU indices or UUIDs, as in `CUDA_VISIBLE_DEVICES`. */
  devices: z
    .array(z.union([z.int().min(0).max(1023).transform(String), z.string().regex(/^[A-Za-z0-9-]{1,64}$/)]))
    .min(1)
    .max(1024)
    .refine((devices) => new Set(devices).size === devices.length, "a device is named twice"),
  perDevice: z.int().min(1).max(64).default(1),
});
/** Schema of slots on a scheduler, which manages capacity itself: `count` limits the studio's jobs in its queue. */
const JobSlots = z.strictObject({ per: z.literal("job"), count: z.int().min(1).max(10_000) });
export type Slots = z.infer<typeof CoreSlots> | z.infer<typeof GpuSlots> | z.infer<typeof JobSlots>;

const Machine = z.discriminatedUnion("per", [CoreSlots, GpuSlots]);

/** Schema of the price of one slot per hour, in a currency that all nodes share. */
export const pricePerSlotHour = z.number().min(0).max(1_000_000);

const common = {
  name: word("name"),
  /** Labels that a sweep may require of its nodes: `gpu`, `a100`, `big-memory`. */
  labels: z.array(word("label")).max(32).default([]),
  /** Environment variables for trainers on this node. */
  environment: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string()).default({}),
  /** Lines of bash that run before each job: modules, `conda activate`, exports. */
  setup: z
    .array(z.string().regex(/^[^\n\0]+$/, "must be one line of bash"))
    .max(100)
    .default([]),
  /**
   * Names of secret variables in the orchestrator's environment or its secrets.env. Jobs receive the variables, but
   * no web page shows them.
   */
  secrets: z.array(SecretName).max(50).default([]),
  /** Priority: runs are assigned to nodes of higher priority first. */
  priority: z.int().min(-1000).max(1000).default(0),
  /** Absent if unknown. */
  pricePerSlotHour: pricePerSlotHour.optional(),
};

const container = Container.optional();

/** Schema of the hours without contact to an orchestrator after which a job is asked to save and exit. */
const leaseHours = z
  .number()
  .positive()
  .max(24 * 365)
  .default(72);

export const LocalNode = z.strictObject({ kind: z.literal("local"), ...common, container, slots: Machine, leaseHours });
export type LocalNode = z.infer<typeof LocalNode>;

export const SshNode = z.strictObject({
  kind: z.literal("ssh"),
  ...common,
  container,
  slots: Machine,
  leaseHours,
  /** Host name or address, or an alias in the user's ssh configuration. */
  host: z.string().regex(/^[A-Za-z0-9_:][A-Za-z0-9_.:%-]{0,254}$/, "must be a host name or address"),
  user: z
    .string()
    .regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/)
    .optional(),
  port: z.int().min(1).max(65_535).optional(),
  identityFile: z.string().min(1).optional(),
  /** Public host keys as printed by `ssh-keyscan`, without host name. If empty, known_hosts must contain a key. */
  hostKeys: z
    .array(z.string().regex(/^[a-z0-9@.-]+ [A-Za-z0-9+/=]+$/, 'must be a host key such as "ssh-ed25519 AAAA…"'))
    .default([]),
  knownHosts: z.string().min(1).optional(),
  /** Folder on the node for the trainer program and the runs. */
  folder: AbsolutePath,
  /** Command that starts Node.js (20.19 or newer) on the node. */
  node: z.string().min(1).default("node"),
});
export type SshNode = z.infer<typeof SshNode>;

const RayWithin = z.strictObject({
  /** Command that starts Ray on each machine of the job. */
  program: z.string().min(1).default("ray"),
  joinSeconds: z.int().min(10).max(3600).default(300),
});

/** Name of the field in the nodes file that users must set in place of an sbatch option, by option. */
const fieldOf: Readonly<Record<string, string>> = {
  partition: "partition",
  account: "account",
  qos: "qos",
  time: "time",
  nodes: "nodes",
  mem: "memory",
  constraint: "constraint",
  "cpus-per-task": "cpusPerTask",
  gres: "gres",
  gpus: "gres: gpu:N",
  "gpus-per-node": "gres: gpu:N",
  "gpus-per-task": "gres: gpu:N",
  requeue: "requeue",
  signal: "warnSeconds",
  export: "environment",
  "container-image": "container",
  "container-mounts": "container",
  array: "arrays",
};
const own = /^(job-name|comment|output|error|open-mode|ntasks|ntasks-per-node|exclude|no-requeue|wrap|parsable|wait)$/;

const SbatchOption = z
  .string()
  .regex(
    /^--[a-z][a-z0-9-]*(=[A-Za-z0-9_@%+=:,./[\]()*&|!-]+)?$/,
    "must be an option of sbatch such as --reservation=night",
  )
  .superRefine((option, context) => {
    const name = option.slice(2).split("=")[0] ?? "";
    const field = Object.hasOwn(fieldOf, name) ? fieldOf[name] : undefined;
    if (field !== undefined)
      context.addIssue({ code: "custom", message: `sets --${name}: use the node's field ${field} instead` });
    if (own.test(name))
      context.addIssue({ code: "custom", message: `sets --${name}, which the studio sets for each job: remove it` });
  });

export const SlurmNode = z.strictObject({
  kind: z.literal("slurm"),
  ...common,
  container: SlurmContainer.optional(),
  slots: JobSlots,
  /** Folder on a file system that the cluster's machines share with this machine. */
  folder: AbsolutePath,
  node: z.string().min(1).default("node"),
  partition: z.string().min(1).optional(),
  account: z.string().min(1).optional(),
  qos: z.string().min(1).optional(),
  /** Number of machines per job of an external trainer. If it exceeds 1, Ray is started on all of them. */
  nodes: z.int().min(1).max(1024).default(1),
  ray: RayWithin.prefault({}),
  /** Time limit of a job in Slurm's format: `2-00:00:00`. */
  time: z.string().min(1).optional(),
  cpusPerTask: z.int().min(1).optional(),
  /** Memory per machine in Slurm's format: `16G`. */
  memory: z.string().min(1).optional(),
  /** Generic resources in Slurm's format, such as `gpu:1`. */
  gres: z.string().min(1).optional(),
  constraint: z.string().min(1).optional(),
  /** Further sbatch options, such as `--reservation=night` or `--exclusive`. */
  sbatch: z.array(SbatchOption).max(100).default([]),
  /** Seconds before the time limit at which the trainer is asked to save and exit. */
  warnSeconds: z.int().min(0).max(65_535).default(120),
  /** If true, Slurm itself restarts a preempted job. */
  requeue: z.boolean().default(false),
  /** If true, runs launched together are submitted as one Slurm job array; otherwise each run separately. */
  arrays: z.boolean().default(true),
});
export type SlurmNode = z.infer<typeof SlurmNode>;

/** Resources that Ray reserves for a job's command itself, besides those that the command requests from Ray. */
const RayEntrypoint = z.strictObject({
  /** CPUs reserved for the command. Without reserved resources, Ray runs every job on the head node. */
  numCpus: z.number().min(0).max(4096).default(1),
  numGpus: z.number().min(0).max(1024).default(0),
  memoryBytes: z.int().min(0).optional(),
  /** Custom resources of the Ray cluster; CPU, GPU and memory have fields of their own. */
  resources: z
    .record(
      z
        .string()
        .min(1)
        .refine(
          (name) => !/^(CPU|GPU|memory)$/.test(name),
          "is not a custom resource: use numCpus, numGpus or memoryBytes",
        ),
      z.number().positive(),
    )
    .default({}),
});

/** Ray's runtime environment; the studio adds its own packages to `py_modules`. */
const RayRuntimeEnv = z.looseObject({
  env_vars: z.record(z.string(), z.string()).optional(),
  py_modules: z.array(z.string()).optional(),
  working_dir: z
    .string()
    .regex(
      /^[a-z0-9]+:\/\//,
      "must be an address such as s3://… or https://…: folders of this machine are not uploaded",
    )
    .optional(),
});

export const RayNode = z.strictObject({
  kind: z.literal("ray"),
  ...common,
  container,
  slots: JobSlots,
  /** URL of Ray's Jobs API, on the dashboard of the head node. */
  address: z
    .string()
    .regex(
      /^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/,
      "must be an address such as http://head:8265, without a user name or query",
    ),
  /** HTTP headers sent with every request to Ray's Jobs API. */
  headers: z
    .record(z.string().regex(/^[A-Za-z0-9-]{1,100}$/, "must be a header name of letters, digits and -"), z.string())
    .default({}),
  /** File with the token that requests to Ray send as `Authorization: Bearer`. */
  tokenFile: AbsolutePath.optional(),
  entrypoint: RayEntrypoint.prefault({}),
  runtimeEnv: RayRuntimeEnv.default({}),
  /** Folder on the cluster's machines, local or shared, for attempts and compiled graphs. */
  folder: AbsolutePath.default("/tmp/arlarena"),
  /** Command that starts Node.js (20.19 or newer) on the cluster; if absent, this machine's Node.js is copied there. */
  node: z.string().min(1).optional(),
  /** Home folder of the cluster account, which replaces {home} in trainer templates. */
  home: AbsolutePath.default("/home/ray"),
  /** Seconds that a stopped job has to save and exit before Ray kills it. */
  stopSeconds: z.int().min(3).max(3600).default(60),
});
export type RayNode = z.infer<typeof RayNode>;

/** Schema of a compute node: a machine or cluster on which runs are trained. */
export const Node = z.discriminatedUnion("kind", [LocalNode, SshNode, SlurmNode, RayNode]);
export type Node = z.infer<typeof Node>;

/** Returns a compute node without the settings that may contain secrets, for storage and display. */
export function withoutSecrets(node: Node): Node {
  const shown = { ...node, environment: {}, setup: [] };
  return shown.kind === "ray" ? { ...shown, headers: {}, runtimeEnv: {} } : shown;
}

export const NodesFile = z.strictObject({
  nodes: z
    .array(Node)
    .min(1)
    .max(200)
    .superRefine((nodes, context) => {
      for (const [i, { name }] of nodes.entries()) {
        if (nodes.findIndex((other) => other.name === name) === i) continue;
        context.addIssue({ code: "custom", path: [i, "name"], message: `two nodes are named ${name}: rename one` });
      }
      for (const [i, node] of nodes.entries()) {
        if (node.kind !== "slurm" || node.nodes === 1 || node.container?.runtime !== "pyxis") continue;
        const message = `pyxis starts one machine, but nodes is ${node.nodes}: write runtime: apptainer, or nodes: 1`;
        context.addIssue({ code: "custom", path: [i, "container", "runtime"], message });
      }
    }),
});

/** Returns the default node if there is no nodes file: this machine, with one run per slot. */
export function thisMachine(count: number): Node {
  return Node.parse({ kind: "local", name: "local", slots: { per: "core", count } });
}
