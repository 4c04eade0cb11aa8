/** Prints operations' results on CPU and WebGPU as JSON; a program, as the library path is read at process start. */
import type { Weights } from "#trainer/policy/parameters.ts";
import { deviceStore } from "#trainer/run/learning/deviceStore.ts";
import { hostStore } from "#trainer/run/learning/hostStore.ts";
import type { Store } from "#trainer/run/learning/store.ts";
import { split } from "#trainer/spec/rng.ts";

const shapes = { matrix: [6, 5], gain: [7] };
const spec = { learningRate: 0.01, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0.1, maxGradientNorm: 2 };
const numSteps = 12;
const brokenStep = 5;

const traffic = { toDevice: 0, fromDevice: 0 };
const [host, device] = [hostStore(), deviceStore({ executionProvider: "webgpu", traffic })];
console.log(JSON.stringify({ host: await learn(host), device: await learn(device), traffic }));
await device.close();

function arraysOf(step: number): Record<string, Float32Array> {
  const rng = split(step, "numbers");
  const values = (size: number): Float32Array => Float32Array.from({ length: size }, () => rng.normal());
  return { matrix: values(30), gain: values(7) };
}

async function learn(store: Store) {
  const parameters = await store.hold(arraysOf(0), shapes);
  const start = await store.copy(parameters);
  const optimizer = store.makeOptimizer(spec, shapes);
  const reports = [];
  for (let step = 1; step <= numSteps; step++) {
    const halves: Weights[] = [await store.hold(arraysOf(step), shapes), await store.hold(arraysOf(-step), shapes)];
    const total = await store.add(await store.add(undefined, halves[0] ?? {}), halves[1] ?? {});
    const gradients = step === brokenStep ? { ...total, ...(await broken(store)) } : total;
    reports.push(await optimizer.step(parameters, gradients, spec.learningRate));
  }
  const { m, v, t } = await optimizer.state();
  const norm = await store.norm(parameters);
  const learned = plain(await store.read(parameters));
  return { reports, learned, start: plain(await store.read(start)), m: plain(m), v: plain(v), t, norm };
}

function broken(store: Store): Promise<Weights> {
  return store.hold({ gain: new Float32Array(7).fill(NaN) }, shapes);
}

function plain(arrays: Readonly<Record<string, Float32Array>>): number[] {
  return Object.values(arrays).flatMap((values) => [...values]);
}
