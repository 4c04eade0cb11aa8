import { input } from "#trainer/graph/ops.ts";
import { numElements } from "#trainer/graph/shape.ts";
import type { Shape, Tensor } from "#trainer/graph/tensor.ts";
import {
  type AdamWState,
  clipScale,
  squaresGraph,
  stepConstants,
  stepInputs,
  sumGraph,
  updateGraph,
} from "#trainer/objective/optimizer.ts";
import { DeviceTensor } from "#trainer/onnx/deviceTensor.ts";
import { makeResidentSession, mapValues, type Feeds, type SessionOptions } from "#trainer/onnx/session.ts";
import { makeResidentGradientSession } from "#trainer/policy/gradientSession.ts";
import type { Weights } from "#trainer/policy/parameters.ts";
import type { OptimizerSpec } from "#trainer/spec/run.ts";
import type { Optimizer, Shapes, Store } from "./store.ts";

type Tensors = Readonly<Record<string, DeviceTensor>>;
type Graphs = Readonly<Record<string, Tensor>>;

/**
 * Makes a store of parameters on a device, which executes every operation there as a graph, compiled once per shape.
 * Parameters are processed one after another, so that at most one has a second copy. Only the global gradient norm is
 * read back, four bytes per step.
 */
export function deviceStore(options: SessionOptions): Store {
  const run = makeRunner(options);
  const up = (values: Float32Array, shape: Shape): Promise<DeviceTensor> =>
    run.kept("x", shape, { graphs: identity, feeds: { x: values } });
  const read = async (tensor: DeviceTensor): Promise<Float32Array> =>
    run.read("x", tensor.shape, { graphs: identity, feeds: { x: tensor } });
  const norm = async (weights: Weights): Promise<number> => {
    const total = await up(new Float32Array(1), [1]);
    for (const x of Object.values(tensorsOf(weights))) {
      const feeds = { x, total };
      total.takeOver(await run.kept("squares", x.shape, { graphs: squaresGraph, feeds }));
    }
    const [squares = NaN] = await read(total);
    total.close();
    return Math.sqrt(squares);
  };
  const store: Store = {
    hold: (arrays, shapes) => eachInTurn(arrays, (values, name) => up(values, shapes[name] ?? [values.length])),
    read: (weights) => eachInTurn(tensorsOf(weights), read),
    copy: (weights) =>
      eachInTurn(tensorsOf(weights), (x) => run.kept("x", x.shape, { graphs: identity, feeds: { x } })),
    release(weights) {
      for (const tensor of Object.values(tensorsOf(weights))) tensor.close();
    },
    async add(total, part) {
      if (!total) return part;
      const sums = tensorsOf(total);
      for (const [name, x] of Object.entries(tensorsOf(part))) {
        const sum = lookUp(sums, name);
        sum.takeOver(await run.kept("sum", x.shape, { graphs: sumGraph, feeds: { total: sum, x } }));
        x.close();
      }
      return total;
    },
    norm,
    differentiate: makeResidentGradientSession,
    makeOptimizer: (spec, shapes, from) => makeOptimizer({ spec, shapes, from }, { run, store }),
    close: () => run.close(),
  };
  return store;
}

type Runner = ReturnType<typeof makeRunner>;
type Pass = { graphs: (shape: Shape) => Graphs; feeds: Feeds };

/** Makes a function that runs small graphs on the device, each compiled at first use for one shape. */
function makeRunner(options: SessionOptions) {
  const known = new Map<string, ReturnType<typeof makeResidentSession<string, string>>>();
  const at = (name: string, shape: Shape, make: () => ReturnType<typeof makeResidentSession<string, string>>) => {
    const key = `${name} ${shape.join()}`;
    const session = known.get(key) ?? make();
    known.set(key, session);
    return session;
  };
  const all = async (shape: Shape, { graphs, feeds }: Pass): Promise<Tensors> => {
    const session = await at(graphs.name, shape, () => makeResidentSession({}, graphs(shape), options));
    return (await session.run(feeds)).kept;
  };
  return {
    all,
    async kept(name: string, shape: Shape, pass: Pass): Promise<DeviceTensor> {
      return lookUp(await all(shape, pass), name);
    },
    async read(name: string, shape: Shape, { graphs, feeds }: Pass): Promise<Float32Array> {
      const session = await at(`read ${graphs.name}`, shape, () => makeResidentSession(graphs(shape), {}, options));
      return (await session.run(feeds)).read[name] ?? new Float32Array();
    },
    async close() {
      for (const session of known.values()) await (await session).close();
      known.clear();
    },
  };
}

function identity(shape: Shape): Graphs {
  return { x: input("x", shape) };
}

type Start = { spec: OptimizerSpec; shapes: Shapes; from: AdamWState | undefined };

function makeOptimizer({ spec, shapes, from }: Start, { run, store }: { run: Runner; store: Store }): Optimizer {
  const zeros = () => mapValues(shapes, (shape) => new Float32Array(numElements(shape)));
  let t = from?.t ?? 0;
  let moments: Promise<{ m: Tensors; v: Tensors }> | undefined;
  const held = () =>
    (moments ??= Promise.all([store.hold(from?.m ?? zeros(), shapes), store.hold(from?.v ?? zeros(), shapes)]).then(
      ([m, v]) => ({ m: tensorsOf(m), v: tensorsOf(v) }),
    ));
  return {
    async step(parameters, gradients, learningRate) {
      const gradientNorm = await store.norm(gradients);
      const skipped = !Number.isFinite(gradientNorm);
      if (!skipped) {
        t++;
        const scale = clipScale(gradientNorm, spec.maxGradientNorm);
        const { m, v } = await held();
        for (const [name, x] of Object.entries(tensorsOf(parameters))) {
          const constants = stepConstants(spec, { shape: x.shape, learningRate, scale, t });
          const [g, own, squares] = [lookUp(tensorsOf(gradients), name), lookUp(m, name), lookUp(v, name)];
          const numbers = Object.fromEntries(stepInputs.map((each) => [each, Float32Array.of(constants[each])]));
          const feeds = { x, g, m: own, v: squares, ...numbers };
          const next = await run.all(x.shape, { graphs: updateGraph, feeds });
          x.takeOver(lookUp(next, "x"));
          own.takeOver(lookUp(next, "m"));
          squares.takeOver(lookUp(next, "v"));
        }
      }
      store.release(gradients);
      return { gradientNorm, skipped };
    },
    async state() {
      const { m, v } = await held();
      return { m: await store.read(m), v: await store.read(v), t };
    },
  };
}

function tensorsOf(weights: Weights): Tensors {
  const tensors: Record<string, DeviceTensor> = {};
  for (const [name, values] of Object.entries(weights)) {
    if (!(values instanceof DeviceTensor)) throw new TypeError(`${name} is in this process, not on the device`);
    tensors[name] = values;
  }
  return tensors;
}

function lookUp(tensors: Tensors, name: string): DeviceTensor {
  const tensor = tensors[name];
  if (!tensor) throw new Error(`no tensor named ${name} on the device`);
  return tensor;
}

/** Maps one parameter after another: the device has one queue, and memory for only one copy. */
async function eachInTurn<X, Y>(
  record: Readonly<Record<string, X>>,
  apply: (value: X, name: string) => Promise<Y>,
): Promise<Record<string, Y>> {
  const result: Record<string, Y> = {};
  for (const [name, value] of Object.entries(record)) result[name] = await apply(value, name);
  return result;
}
