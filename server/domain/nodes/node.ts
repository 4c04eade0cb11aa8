import { z } from "zod";

const word = (what: string) => z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, `${what}: letters, digits, . _ -`);
/** A path on the node itself. */
const AbsolutePath = z.string().regex(/^\/[^\0\n]*$/, "an absolute path is needed");

/** What each run of a sweep needs of a node. */
export const Placement = z.strictObject({
  /** Of one node: GPUs where it has slots per GPU. */
  slots: z.int().min(1).max(1024).default(1),
  labels: z.array(word("label")).max(32).default([]),
});

/** Independent threads of work: as many runs as this at once. */
const CoreSlots = z.strictObject({ per: z.literal("core"), count: z.int().min(1).max(4096) });
/** Each run gets GPUs of its own, or shares one with `perDevice` − 1 others. */
const GpuSlots = z.strictObject({
  per: z.literal("gpu"),
  /** Indices or UUIDs, as `CUDA_VISIBLE_DEVICES` takes them. */
  devices: z
    .array(z.union([z.int().min(0).max(1023).transform(String), z.string().regex(/^[A-Za-z0-9-]{1,64}$/)]))
    .min(1)
    .max(1024)
    .refine((devices) => new Set(devices).size === devices.length, "a device is named twice"),
  perDevice: z.int().min(1).max(64).default(1),
});
/** A scheduler has its own idea of room; this bounds what we keep in its queue. */
const JobSlots = z.strictObject({ per: z.literal("job"), count: z.int().min(1).max(10_000) });
export type Slots = z.infer<typeof CoreSlots> | z.infer<typeof GpuSlots> | z.infer<typeof JobSlots>;

const Machine = z.discriminatedUnion("per", [CoreSlots, GpuSlots]);

const common = {
  name: word("name"),
  /** What a sweep may ask for: `gpu`, `a100`, `big-memory`. */
  labels: z.array(word("label")).max(32).default([]),
  /** For the trainer's environment on this node. */
  environment: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string()).default({}),
  /** Nodes of higher priority are filled first. */
  priority: z.int().min(-1000).max(1000).default(0),
  /** What an hour of one of its slots costs, in one currency for all nodes; absent: nobody knows. */
  pricePerSlotHour: z.number().min(0).max(1_000_000).optional(),
};

/** How long a job goes on when no orchestrator has looked after it; then it is asked to save and leave. */
const leaseHours = z
  .number()
  .positive()
  .max(24 * 365)
  .default(72);

export const LocalNode = z.strictObject({ kind: z.literal("local"), ...common, slots: Machine, leaseHours });
export type LocalNode = z.infer<typeof LocalNode>;

export const SshNode = z.strictObject({
  kind: z.literal("ssh"),
  ...common,
  slots: Machine,
  leaseHours,
  /** Name or address, or an alias of the user's own ssh configuration. */
  host: z.string().regex(/^[A-Za-z0-9_:][A-Za-z0-9_.:%-]{0,254}$/, "a host name or address is needed"),
  user: z
    .string()
    .regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/)
    .optional(),
  port: z.int().min(1).max(65_535).optional(),
  identityFile: z.string().min(1).optional(),
  /** The host's public keys, as `ssh-keyscan` prints them without the name; without them, known_hosts must have one. */
  hostKeys: z.array(z.string().regex(/^[a-z0-9@.-]+ [A-Za-z0-9+/=]+$/, 'as "ssh-ed25519 AAAA…"')).default([]),
  knownHosts: z.string().min(1).optional(),
  /** Where on the node trainers and runs are kept. */
  folder: AbsolutePath,
  /** Node.js there, 20.19 or newer. */
  node: z.string().min(1).default("node"),
});
export type SshNode = z.infer<typeof SshNode>;

/** How the machines of one Slurm job become a Ray cluster. */
const RayWithin = z.strictObject({
  /** Ray's own program on the machines. */
  program: z.string().min(1).default("ray"),
  /** How long all of them may take to join. */
  joinSeconds: z.int().min(10).max(3600).default(300),
});

export const SlurmNode = z.strictObject({
  kind: z.literal("slurm"),
  ...common,
  slots: JobSlots,
  /** On a file system that the cluster's machines share with this one. */
  folder: AbsolutePath,
  node: z.string().min(1).default("node"),
  partition: z.string().min(1).optional(),
  account: z.string().min(1).optional(),
  qos: z.string().min(1).optional(),
  /** Machines of a job of another trainer: with more than one, Ray is started on all of them. */
  nodes: z.int().min(1).max(1024).default(1),
  ray: RayWithin.prefault({}),
  /** Wall-clock limit, in Slurm's own words: `2-00:00:00`. */
  time: z.string().min(1).optional(),
  cpusPerTask: z.int().min(1).optional(),
  /** `16G` */
  memory: z.string().min(1).optional(),
  /** Generic resources: `gpu:1`. */
  gres: z.string().min(1).optional(),
  constraint: z.string().min(1).optional(),
  /** How long before the time limit the trainer is told to save and leave. */
  warnSeconds: z.int().min(0).max(65_535).default(120),
  /** Lets Slurm start a preempted job again by itself. */
  requeue: z.boolean().default(false),
  /** Submits runs that are launched together as one job array; false gives each a submission of its own. */
  arrays: z.boolean().default(true),
});
export type SlurmNode = z.infer<typeof SlurmNode>;

/** What Ray keeps for the command of a job, apart from what that command asks of Ray itself. */
const RayEntrypoint = z.strictObject({
  /** With 0 of everything Ray runs every job on the head. */
  numCpus: z.number().min(0).max(4096).default(1),
  numGpus: z.number().min(0).max(1024).default(0),
  memoryBytes: z.int().min(0).optional(),
  /** Resources of the cluster's own naming; CPU, GPU and memory have fields of their own. */
  resources: z
    .record(
      z
        .string()
        .min(1)
        .refine((name) => !/^(CPU|GPU|memory)$/.test(name), "is a field of its own: numCpus, numGpus or memoryBytes"),
      z.number().positive(),
    )
    .default({}),
});

/** Ray's runtime environment. Ours adds its packages to `py_modules`. */
const RayRuntimeEnv = z.looseObject({
  env_vars: z.record(z.string(), z.string()).optional(),
  py_modules: z.array(z.string()).optional(),
  working_dir: z
    .string()
    .regex(/^[a-z0-9]+:\/\//, "an address such as s3://… or https://…: folders of this machine are not uploaded")
    .optional(),
});

export const RayNode = z.strictObject({
  kind: z.literal("ray"),
  ...common,
  slots: JobSlots,
  /** Of the Jobs API, which is the head's dashboard. */
  address: z
    .string()
    .regex(
      /^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/,
      "an address such as http://head:8265 is needed, without user and query",
    ),
  /** Sent with every request. */
  headers: z.record(z.string().regex(/^[A-Za-z0-9-]{1,100}$/, "a header's name"), z.string()).default({}),
  /** A file with the token that is sent as `Authorization: Bearer`. */
  tokenFile: AbsolutePath.optional(),
  entrypoint: RayEntrypoint.prefault({}),
  runtimeEnv: RayRuntimeEnv.default({}),
  /** On the cluster's machines, of each or shared by all: attempts and compiled graphs are kept there. */
  folder: AbsolutePath.default("/tmp/arlarena"),
  /** Node.js there, 20.19 or newer; without it this machine's own travels. */
  node: z.string().min(1).optional(),
  /** Home of the account there, for the placeholder {home}. */
  home: AbsolutePath.default("/home/ray"),
  /** How long a job that is asked to stop has to save and leave before Ray kills it. */
  stopSeconds: z.int().min(3).max(3600).default(60),
});
export type RayNode = z.infer<typeof RayNode>;

/** A machine or cluster that runs can go to, as the nodes file describes it; never from a browser. */
export const Node = z.discriminatedUnion("kind", [LocalNode, SshNode, SlurmNode, RayNode]);
export type Node = z.infer<typeof Node>;

/** A node as it may be stored and shown: without the values that may be secret. */
export function withoutSecrets(node: Node): Node {
  const shown = { ...node, environment: {} };
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
        context.addIssue({ code: "custom", path: [i, "name"], message: `two nodes are called ${name}` });
      }
    }),
});

/** What there is without a nodes file: this machine, a run per slot. */
export function thisMachine(count: number): Node {
  return Node.parse({ kind: "local", name: "local", slots: { per: "core", count } });
}
