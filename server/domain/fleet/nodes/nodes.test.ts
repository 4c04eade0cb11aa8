import { describe, expect, it } from "vitest";
import { NodesFile, RayNode, thisMachine, withoutSecrets } from "./node.ts";
import { explainUnplaceable, type Demand, type Offer, assign } from "./assign.ts";
import { describeAbsent, lacksOf, listProviders, mergeMachines } from "./providers.ts";
import { freeSlots, listSlots, slotEnvironment } from "./slots.ts";

const demand = (changes: Partial<Demand> = {}): Demand => {
  return { slots: 1, labels: [], avoid: [], notBeforeMs: 0, ...changes };
};
const offer = (name: string, changes: Partial<Offer> = {}): Offer => {
  const slots = changes.slots ?? ["0", "1"];
  return { name, labels: [], priority: 0, per: "core", slots, free: slots, isReachable: true, ...changes };
};

describe("execution providers of a node", () => {
  const machine = (host: string, providers: Record<string, string | null>, problem: string | null = null) => {
    return { host, atMs: 1, providers, isComplete: true, gpus: [], problem };
  };
  const both = { cpu: null, webgpu: "no adapter", cuda: null };
  const none = { cpu: "broken", webgpu: "no Vulkan", cuda: "no driver" };

  it("work where they work on any of its machines; the processor is never refused", () => {
    expect(lacksOf({ kind: "ssh" }, [machine("a", none)])).toEqual({ webgpu: "no Vulkan", cuda: "no driver" });
    expect(lacksOf({ kind: "slurm" }, [machine("a", none), machine("b", both)])).toEqual({ webgpu: "no Vulkan" });
    expect(lacksOf({ kind: "local" }, [machine("a", {}, "the trainer could not look")])).toEqual({
      webgpu: "the trainer could not look",
      cuda: "the trainer could not look",
    });
  });

  it("are waited for on a machine of ours that is being looked at, and tried on a cluster that nobody knows", () => {
    expect(Object.keys(lacksOf({ kind: "ssh" }, []))).toEqual(["webgpu", "cuda"]);
    expect(lacksOf({ kind: "slurm" }, [])).toEqual({});
    expect(lacksOf({ kind: "ray" }, [])).toEqual({});
  });

  it("are listed with the nodes on which they work, and why not on the others", () => {
    const node = (name: string) => ({ ...thisMachine(1), name });
    const nodes = [
      { node: node("one"), machines: [machine("a", both)] },
      { node: node("two"), machines: [machine("b", none)] },
    ];
    expect(listProviders(nodes)).toEqual([
      { provider: "cpu", nodes: ["one", "two"], lacks: [] },
      {
        provider: "webgpu",
        nodes: [],
        lacks: [
          { node: "one", why: "no adapter" },
          { node: "two", why: "no Vulkan" },
        ],
      },
      { provider: "cuda", nodes: ["one"], lacks: [{ node: "two", why: "no driver" }] },
    ]);
  });

  it("are those of each machine once, as it was last told of", () => {
    const at = (host: string, atMs: number) => ({ ...machine(host, both), atMs });
    const known = [at("a", 1), at("b", 2)];
    const told = [at("b", 4), at("c", 5), at("b", 3)];
    expect(mergeMachines({ kind: "slurm" }, known, told)).toEqual([at("c", 5), at("b", 4), at("a", 1)]);
    expect(mergeMachines({ kind: "ssh" }, known, [at("renamed", 3)])).toEqual([at("renamed", 3)]);
  });

  it("are absent where they work on no node that has the labels", () => {
    const labelled = { ...thisMachine(1), name: "one", labels: ["gpu"] };
    const nodes = [
      { node: labelled, machines: [machine("a", both)], isConfigured: true },
      { node: { ...thisMachine(1), name: "two" }, machines: [machine("b", none)], isConfigured: true },
      { node: { ...thisMachine(1), name: "gone" }, machines: [machine("c", { webgpu: null })], isConfigured: false },
    ];
    expect(describeAbsent(nodes, [])).toEqual({ webgpu: "one: no adapter; two: no Vulkan" });
    expect(describeAbsent(nodes, ["gpu"])).toEqual({ webgpu: "one: no adapter" });
    expect(describeAbsent(nodes, ["tpu"])).toEqual({});
  });

  it("decide where a run goes, and why it goes nowhere", () => {
    const offers = [offer("fast", { priority: 1, lacks: { webgpu: "no adapter" } }), offer("slow")];
    expect(assign(demand({ provider: "webgpu" }), offers)?.node).toBe("slow");
    expect(assign(demand({ provider: "cpu" }), offers)?.node).toBe("fast");
    expect(assign(demand(), offers)?.node).toBe("fast");
    const lacking = offers.map((each) => ({ ...each, lacks: { webgpu: `no adapter in ${each.name}` } }));
    expect(assign(demand({ provider: "webgpu" }), lacking)).toBeUndefined();
    expect(explainUnplaceable(demand({ provider: "webgpu" }), lacking)).toBe(
      "execution provider webgpu works on no node with enough slots (fast: no adapter in fast; slow: no adapter in slow)",
    );
    expect(explainUnplaceable(demand({ provider: "cpu" }), lacking)).toBeUndefined();
  });
});

describe("GPUs of another trainer's run", () => {
  const gpus = (name: string, count: number) =>
    offer(name, { per: "gpu", slots: Array.from({ length: count }, (_, i) => String(i)) });

  it("are so many devices of a node with slots per GPU, and one job of a scheduler", () => {
    const eight = { ...gpus("eight", 8), free: ["1", "2", "3", "4", "5", "6", "7"] };
    expect(assign(demand({ gpus: 8 }), [gpus("four", 4), eight])).toBeUndefined();
    expect(assign(demand({ gpus: 8 }), [gpus("four", 4), gpus("eight", 8)])?.devices).toHaveLength(8);
    expect(assign(demand({ gpus: 8, slots: 8 }), [offer("cluster", { per: "job" })])?.devices).toEqual(["0"]);
    expect(assign(demand({ gpus: 8 }), [offer("cores")])?.devices).toEqual(["0"]);
    expect(assign(demand({ gpus: null, slots: 2 }), [gpus("four", 4)])?.devices).toHaveLength(2);
  });

  it("say what the largest node has where none has so many", () => {
    expect(explainUnplaceable(demand({ gpus: 8 }), [gpus("two", 2), gpus("four", 4)])).toBe(
      "it needs 8 GPUs of one node, but the largest node has 4",
    );
  });
});

describe("a nodes file", () => {
  it("describes machines, ssh hosts and Slurm partitions, with defaults where nothing is said", () => {
    const { nodes } = NodesFile.parse({
      nodes: [
        { kind: "local", name: "here", slots: { per: "core", count: 2 } },
        {
          kind: "ssh",
          name: "gpu1",
          host: "gpu1.lab",
          folder: "/scratch/a",
          slots: { per: "gpu", devices: [0, "GPU-a1"] },
        },
        { kind: "slurm", name: "cluster", folder: "/shared/a", slots: { per: "job", count: 100 }, partition: "gpu" },
      ],
    });
    expect(nodes.map(({ kind, priority }) => [kind, priority])).toEqual([
      ["local", 0],
      ["ssh", 0],
      ["slurm", 0],
    ]);
    expect(nodes[1]).toMatchObject({ slots: { devices: ["0", "GPU-a1"], perDevice: 1 }, leaseHours: 72, node: "node" });
  });

  it.each([
    ["a host that would be an option", { host: "-oProxyCommand=x" }],
    ["a relative folder", { folder: "scratch" }],
    ["a device twice", { slots: { per: "gpu", devices: [0, "0"] } }],
    ["a user with a space", { user: "a b" }],
    ["a word that means nothing", { gpus: 4 }],
  ])("is refused with %s", (_, wrong) => {
    const node = { kind: "ssh", name: "a", host: "a", folder: "/a", slots: { per: "core", count: 1 }, ...wrong };
    expect(NodesFile.safeParse({ nodes: [node] }).success).toBe(false);
  });

  it.each([
    [
      "an option that is a field",
      { sbatch: ["--partition=gpu"] },
      "sbatch.0",
      "sets --partition: use the node's field partition instead",
    ],
    ["GPUs beside gres", { sbatch: ["--gpus=8"] }, "sbatch.0", "sets --gpus: use the node's field gres: gpu:N instead"],
    [
      "an option of ours",
      { sbatch: ["--exclusive", "--output=x"] },
      "sbatch.1",
      "sets --output, which the studio sets for each job: remove it",
    ],
    ["a short option", { sbatch: ["-p gpu"] }, "sbatch.0", "an option of sbatch such as --reservation=night"],
    [
      "a relative mount",
      { container: { image: "a.sif", mounts: ["data"] } },
      "container.mounts.0",
      "must be a folder such as /data",
    ],
    ["a setup of two lines", { setup: ["a\nb"] }, "setup.0", "must be one line of bash"],
    [
      "the studio's own variable",
      { secrets: ["DATABASE_URL"] },
      "secrets.0",
      "is reserved for the studio or the system",
    ],
    [
      "pyxis on several machines",
      { container: { runtime: "pyxis", image: "a.sqsh" }, nodes: 2 },
      "container.runtime",
      "pyxis starts one machine, but nodes is 2",
    ],
  ])("is refused for a Slurm cluster with %s, in words", (_, wrong, path, message) => {
    const node = { kind: "slurm", name: "a", folder: "/a", slots: { per: "job", count: 1 }, ...wrong };
    const issues = NodesFile.safeParse({ nodes: [node] }).error?.issues ?? [];
    const flat = issues.flatMap((issue) => (issue.code === "invalid_union" ? issue.errors.flat() : [issue]));
    expect(JSON.stringify(flat)).toContain(message);
    const whole = issues.map((issue) => issue.path.join("."));
    expect(`nodes.0.${path}`.startsWith(whole[0] ?? "none")).toBe(true);
  });

  it("is stored and shown without its setup, which may export secrets", () => {
    const node = { kind: "local", name: "a", slots: { per: "core", count: 1 }, setup: ["export KEY=planted"] };
    const { nodes } = NodesFile.parse({ nodes: [{ ...node, environment: { TOKEN: "planted" } }] });
    expect(JSON.stringify(nodes.map(withoutSecrets))).not.toContain("planted");
  });

  it.each([
    ["an address without its protocol", { address: "head:8265" }, "address"],
    ["a password in its address", { address: "http://me:secret@head:8265" }, "address"],
    ["more processors than there are", { entrypoint: { numCpus: 5000 } }, "entrypoint.numCpus"],
    ["a resource that has a field", { entrypoint: { resources: { GPU: 1 } } }, "entrypoint.resources.GPU"],
    ["a folder of this machine to upload", { runtimeEnv: { working_dir: "./code" } }, "runtimeEnv.working_dir"],
    ["a variable that is no text", { runtimeEnv: { env_vars: { A: 1 } } }, "runtimeEnv.env_vars.A"],
    ["less time to stop than Ray gives", { stopSeconds: 1 }, "stopSeconds"],
    ["slots of a machine", { slots: { per: "core", count: 2 } }, "slots.per"],
  ])("is refused for a Ray cluster with %s, by the field's name", (_, wrong, path) => {
    const node = { kind: "ray", name: "a", address: "http://head:8265", slots: { per: "job", count: 1 }, ...wrong };
    expect(NodesFile.safeParse({ nodes: [node] }).error?.issues.map((issue) => issue.path.join("."))).toEqual([
      `nodes.0.${path}`,
    ]);
  });

  it("keeps what may be secret from those who look", () => {
    const secret = {
      headers: { Authorization: "x" },
      runtimeEnv: { env_vars: { KEY: "x" } },
      environment: { KEY: "x" },
    };
    const slots = { per: "job", count: 1 };
    const node = RayNode.parse({ kind: "ray", name: "a", address: "http://head:8265", slots, ...secret });
    expect(withoutSecrets(node)).toMatchObject({ headers: {}, runtimeEnv: {}, environment: {} });
  });

  it("is refused with one name twice", () => {
    const node = { kind: "local", name: "a", slots: { per: "core", count: 1 } };
    expect(NodesFile.safeParse({ nodes: [node, node] }).error?.issues[0]?.message).toBe(
      "two nodes are named a: rename one",
    );
  });
});

describe("slots", () => {
  it("name a shared GPU as often as it is shared, and give it back as often", () => {
    const slots = listSlots({ per: "gpu", devices: ["0", "1"], perDevice: 2 });
    expect(slots).toEqual(["0", "0", "1", "1"]);
    expect(freeSlots(slots, ["0", "1", "1"])).toEqual(["0"]);
    expect(freeSlots(slots, ["7"]), "a lease of a GPU that is no more").toEqual(slots);
  });

  it("tell the trainer its GPUs, or how many cores it has of its own", () => {
    expect(slotEnvironment({ per: "gpu", devices: ["0", "1"], perDevice: 1 }, ["1", "0"])).toEqual({
      CUDA_VISIBLE_DEVICES: "1,0",
    });
    expect(slotEnvironment({ per: "core", count: 2 }, ["1"])).toEqual({});
    expect(slotEnvironment({ per: "core", count: 4 }, ["0", "2", "3"])).toEqual({ ARLARENA_THREADS: "3" });
    expect(slotEnvironment({ per: "job", count: 4 }, ["0", "2", "3"])).toEqual({});
  });
});

describe("assign", () => {
  it.each<[string, Demand, Offer[], unknown]>([
    ["takes the node of higher priority", demand(), [offer("a"), offer("b", { priority: 1 })], ["b", "0"]],
    ["then the emptier", demand(), [offer("a", { free: ["1"] }), offer("b")], ["b", "0"]],
    ["then the first", demand(), [offer("a"), offer("b")], ["a", "0"]],
    ["passes over a silent node", demand(), [offer("a", { isReachable: false }), offer("b")], ["b", "0"]],
    ["passes over a node without the label", demand({ labels: ["gpu"] }), [offer("a")], undefined],
    [
      "takes different devices",
      demand({ slots: 2 }),
      [offer("a", { free: ["0", "0", "1"], slots: ["0", "0", "1", "1"] })],
      ["a", "0", "1"],
    ],
    ["does not split a run over nodes", demand({ slots: 3 }), [offer("a"), offer("b")], undefined],
    ["avoids the node that failed it", demand({ avoid: ["a"] }), [offer("a", { priority: 9 }), offer("b")], ["b", "0"]],
    ["waits for another one that is busy", demand({ avoid: ["a"] }), [offer("a"), offer("b", { free: [] })], undefined],
    ["goes back to it where there is no other", demand({ avoid: ["a"] }), [offer("a")], ["a", "0"]],
  ])("%s", (_, wanted, offers, expected) => {
    const found = assign(wanted, offers);
    expect(found && [found.node, ...found.devices]).toEqual(expected);
  });

  it("says why a run can never be placed", () => {
    expect(explainUnplaceable(demand({ slots: 2 }), [offer("a", { free: [] })])).toBeUndefined();
    expect(explainUnplaceable(demand({ slots: 3 }), [offer("a")])).toBe(
      "it needs 3 slots of one node, but the largest node has 2",
    );
    expect(explainUnplaceable(demand({ labels: ["gpu"] }), [offer("a")])).toBe("no node has the labels gpu");
  });
});
