import { z } from "zod";
import { describeTooOld, interpreterOf, type TrainerTemplate } from "#packages/trainers";
import { formatBytes, quoteArgument, readWords, formatCount } from "#packages/base";
import type { Node } from "./node.ts";

const CheckItem = z.object({
  name: z.string(),
  found: z.string(),
  /** Advice for the administrator; null if nothing needs to be done. */
  todo: z.string().nullable(),
});
export type CheckItem = z.infer<typeof CheckItem>;

/** Result of a small test job that checks a compute node, with the node's own setup commands and container image. */
export const NodeCheck = z.object({
  atMs: z.number(),
  items: z.array(CheckItem),
  /** Package versions found by the check: Python command of a trainer's template → package → version. */
  versions: z.record(z.string(), z.record(z.string(), z.string())),
});
export type NodeCheck = z.infer<typeof NodeCheck>;

/** Trainer name of the test job that checks a node. No configuration contains it, so no sweep plan can use it. */
export const checkTrainer = "node-check";

export type Python = { line: string; folder: string | undefined };
type Templates = Readonly<Record<string, TrainerTemplate>>;

export function listPythons(templates: Templates): Python[] {
  const named = Object.values(templates).flatMap((template) =>
    "python" in template ? [{ line: template.python, folder: template.folder }] : [],
  );
  const all = named.length > 0 ? named : [{ line: "python3", folder: undefined }];
  return [...new Map(all.map((python) => [python.line, python])).values()];
}

const packages = ["verl", "trl", "areal", "prime-rl", "torch", "vllm", "sglang", "transformers", "ray", "flash-attn"];

const pythonText = `
import sys
from importlib.metadata import version
i = sys.argv[1]
print("CHECK python:%s\\t%s" % (i, sys.version.split()[0]))
for name in sys.argv[2:]:
    try:
        print("CHECK version:%s\\t%s %s" % (i, name, version(name)))
    except Exception:
        pass
try:
    import torch
    print("CHECK torch:%s\\t%s %s" % (i, torch.version.cuda, torch.cuda.device_count()))
except Exception:
    pass
`;

/** Size in bytes of a file that the test job writes on the node, to check that files are copied back. */
export const sentBytes = 65_536;

/** Returns the shell script of the test job that checks a node. Output lines for the studio begin with CHECK. */
export function probeText(pythons: readonly Python[], home: string): string {
  const tries = pythons.flatMap(({ line, folder }, i) => {
    const words = interpreterOf(readWords(line) ?? [line]).map((word) => word.replaceAll("{home}", home));
    const there = folder?.replaceAll("{home}", home);
    const command = [...words, "-c", pythonText, String(i), ...packages].map(quoteArgument).join(" ");
    return [`(${there === undefined ? "" : `cd ${quoteArgument(there)} && `}${command})`];
  });
  return [
    `say() { printf 'CHECK %s\\t%s\\n' "$1" "$2"; }`,
    `free() { df -Pk "$1" 2>/dev/null | awk 'NR == 2 { print $4 }'; }`,
    'say host "$(uname -n)"',
    "if command -v nvidia-smi >/dev/null 2>&1; then",
    '  nvidia-smi --query-gpu=name,memory.total,driver_version --format=csv,noheader 2>/dev/null | while IFS= read -r gpu; do say gpu "$gpu"; done',
    `  say cuda "$(nvidia-smi 2>/dev/null | sed -n 's/.*CUDA Version: *\\([0-9.]*\\).*/\\1/p' | head -n 1)"`,
    "fi",
    'say diskKb "$(free .)"',
    "hub=${HF_HUB_CACHE:-${HF_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/huggingface}/hub}",
    'say hub "$hub"',
    'mkdir -p "$hub" 2>/dev/null; [ -w "$hub" ] && say hubWritable yes',
    'say hubKb "$(free "$hub")"',
    `say models "$(find "$hub" -maxdepth 1 -name 'models--*' 2>/dev/null | wc -l | tr -d ' ')"`,
    `head -c ${sentBytes} /dev/zero >sent.bin`,
    ...tries,
    "exit 0",
  ].join("\n");
}

type Probe = ReadonlyMap<string, readonly string[]>;

export function readProbe(stdout: string): Probe {
  const probe = new Map<string, string[]>();
  for (const line of stdout.split("\n")) {
    const [, key = "", value = ""] = /^CHECK (\S+)\t(.*)$/.exec(line) ?? [];
    if (key !== "") probe.set(key, [...(probe.get(key) ?? []), value.trim()]);
  }
  return probe;
}

type Facts = {
  node: Node;
  templates: Templates;
  probe: Probe;
  /** Number of bytes of the test file that were copied back from the node; undefined if the file did not arrive. */
  receivedBytes: number | undefined;
  atMs: number;
};

export function judgeProbe({ node, templates, probe, receivedBytes, atMs }: Facts): NodeCheck {
  const first = (key: string): string | undefined => probe.get(key)?.[0];
  const pythons = listPythons(templates);
  const versions = Object.fromEntries(
    pythons.map(({ line }, i) => [
      line,
      Object.fromEntries((probe.get(`version:${i}`) ?? []).map((text) => text.split(" ", 2)).map(toPair)),
    ]),
  );
  const items = [
    { name: "Machine", found: first("host") ?? "unknown", todo: null },
    judgeGpus(node, probe.get("gpu") ?? []),
    ...(first("cuda") ? [{ name: "CUDA", found: `driver for CUDA ${first("cuda")}`, todo: null }] : []),
    ...pythons.flatMap(({ line }, i) => judgePython(line, i, probe)),
    ...Object.entries(templates).flatMap(([name, template]) => judgeTrainer(name, template, versions)),
    judgeDisk(first("diskKb")),
    judgeHub(probe),
    judgeTransfer(node, receivedBytes),
  ];
  return { atMs, items, versions };
}

function toPair([name = "", version = ""]: readonly string[]): [string, string] {
  return [name, version];
}

function judgeGpus({ kind, slots }: Node, gpus: readonly string[]): CheckItem {
  const [sample = ""] = gpus;
  const found = gpus.length === 0 ? "none: nvidia-smi is missing or shows none" : `${gpus.length} × ${sample}`;
  const name = "GPUs";
  if (gpus.length === 0) {
    const wants = slots.per === "gpu" || kind === "slurm";
    const todo =
      kind === "slurm"
        ? "request GPUs: set gres: gpu:N on the node"
        : "install the NVIDIA driver, or set slots: { per: core } on the node";
    return { name, found, todo: wants ? todo : null };
  }
  if (slots.per === "core") {
    const devices = gpus.map((_, i) => i).join(", ");
    return { name, found, todo: `no slots reserve these GPUs: write slots: { per: gpu, devices: [${devices}] }` };
  }
  const missing = slots.per === "gpu" ? slots.devices.filter((device) => Number(device) >= gpus.length) : [];
  const todo = `slots.devices names ${missing.join(", ")}, but the machine has GPUs 0 to ${gpus.length - 1}`;
  return { name, found, todo: missing.length > 0 ? todo : null };
}

function judgePython(line: string, i: number, probe: Probe): CheckItem[] {
  const version = probe.get(`python:${i}`)?.[0];
  const name = `Python (${line})`;
  if (version === undefined) {
    const todo =
      "Python did not start: add it to PATH in the node's setup: or container:, or change python: in the template";
    return [{ name, found: "not found", todo }];
  }
  const [cuda, count] = probe.get(`torch:${i}`)?.[0]?.split(" ") ?? [];
  const numGpus = probe.get("gpu")?.length ?? 0;
  if (count === undefined || numGpus === 0) return [{ name, found: version, todo: null }];
  const found = `${version}; torch for CUDA ${cuda} sees ${formatCount(Number(count), "GPU")}`;
  const driver = probe.get("cuda")?.[0] ?? "unknown";
  const todo = `torch sees no GPU: it was built for CUDA ${cuda}, the driver supports ${driver}; install a torch build that the driver supports`;
  return [{ name, found, todo: count === "0" ? todo : null }];
}

const packageOf: Readonly<Record<TrainerTemplate["kind"], string | undefined>> = {
  verl: "verl",
  trl: "trl",
  areal: "areal",
  primeRl: undefined,
  command: undefined,
};

function judgeTrainer(name: string, template: TrainerTemplate, versions: NodeCheck["versions"]): CheckItem[] {
  const wanted = packageOf[template.kind];
  if (wanted === undefined || !("python" in template)) return [];
  const there = versions[template.python] ?? {};
  const found = Object.entries(there).map(([one, version]) => `${one} ${version}`);
  const title = `Trainer ${name}`;
  const version = there[wanted];
  if (version !== undefined) {
    const isUpstream = template.kind === "verl" && template.flavour === "verl";
    return [{ name: title, found: found.join(", "), todo: (isUpstream && describeTooOld(version)) || null }];
  }
  const todo = `${wanted} is not installed for ${template.python}: run pip install ${wanted} there, or activate its environment in setup: or container:`;
  return [{ name: title, found: found.join(", ") || "not found", todo }];
}

const minDiskBytes = 20e9;

function judgeDisk(kilobytes: string | undefined): CheckItem {
  const bytes = Number(kilobytes) * 1024;
  if (!(bytes > 0)) return { name: "Disk", found: "unknown", todo: null };
  const todo = `runs are stored on this disk: free at least ${formatBytes(minDiskBytes)}, or change the node's folder`;
  return { name: "Disk", found: `${formatBytes(bytes)} free`, todo: bytes < minDiskBytes ? todo : null };
}

function judgeHub(probe: Probe): CheckItem {
  const path = probe.get("hub")?.[0] ?? "unknown";
  const numModels = Number(probe.get("models")?.[0] ?? 0);
  const free = Number(probe.get("hubKb")?.[0]) * 1024;
  const found = `${path}, ${formatCount(numModels, "model")}${free > 0 ? `, ${formatBytes(free)} free` : ""}`;
  const isWritable = probe.has("hubWritable");
  const todo =
    "the folder is not writable: set HF_HOME to a writable folder under the node's environment:, and with container: add that folder to its mounts";
  return { name: "Hub cache", found, todo: isWritable ? null : todo };
}

function judgeTransfer({ kind }: Node, receivedBytes: number | undefined): CheckItem {
  const name = kind === "slurm" ? "Shared folder" : "File transfer";
  const found = receivedBytes === undefined ? "no file of the job received" : `${formatBytes(receivedBytes)} received`;
  if (receivedBytes === sentBytes) return { name, found, todo: null };
  const todo =
    kind === "slurm"
      ? "put the node's folder on a file system that the studio's server shares"
      : "files of a job do not reach the studio: see the node's last contact";
  return { name, found, todo };
}

export function failedCheck(why: string, atMs: number): NodeCheck {
  return { atMs, items: [{ name: "Job", found: "the check did not complete", todo: why }], versions: {} };
}

/** Adds verl's version to templates without one, if node checks found exactly one version for their Python. */
export function fillVersions(templates: Templates, found: readonly NodeCheck["versions"][]): Templates {
  return Object.fromEntries(
    Object.entries(templates).map(([name, template]) => {
      if (template.kind !== "verl" || template.flavour !== "verl" || template.version !== undefined) {
        return [name, template];
      }
      const known = new Set(found.flatMap((versions) => versions[template.python]?.["verl"] ?? []));
      const [version] = known;
      return [name, known.size === 1 && version !== undefined ? { ...template, version } : template];
    }),
  );
}
