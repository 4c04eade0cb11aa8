/** Lower bound on the time of a graph's matrix products: the time that ONNX Runtime needs for each alone. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { inputsFirst } from "#trainer/graph/backward.ts";
import { input, matmul } from "#trainer/graph/ops.ts";
import { numElements } from "#trainer/graph/shape.ts";
import type { Shape, Tensor } from "#trainer/graph/tensor.ts";
import { makeSession } from "#trainer/onnx/session.ts";

/** A kind of matrix product, (…, N, K) · (…, K, M), and the number of such products in the graph. */
export type Product = { readonly left: Shape; readonly right: Shape; readonly flops: number; readonly count: number };

/**
 * Lists the matrix products of a graph. If all batch rows share a weight, they count as one product with a tall left
 * matrix.
 */
export function listProducts(outputs: readonly Tensor[]): Product[] {
  const products = new Map<string, Product>();
  for (const node of inputsFirst(outputs)) {
    if (node.kind !== "matmul") continue;
    const [a, b] = node.inputs;
    const width = a.shape.at(-1) ?? 1;
    const left = b.shape.length === 2 ? [numElements(a.shape) / width, width] : a.shape;
    const key = `${left.join()} ${b.shape.join()}`;
    const count = (products.get(key)?.count ?? 0) + 1;
    products.set(key, { left, right: b.shape, flops: 2 * width * numElements(node.shape), count });
  }
  return [...products.values()];
}

/** Measures the seconds of one matrix product alone, with operands in place and not transposed: the best of 24 runs. */
export async function secondsOf({ left, right }: Product): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "arlarena-floor-"));
  try {
    const product = matmul(input("left", left), input("right", right));
    const session = await makeSession({ product }, { profileFilePrefix: join(folder, "profile") });
    const feeds = { left: noise(left), right: noise(right) };
    for (let i = 0; i < 24; i++) await session.run(feeds);
    await session.close();
    const [file = ""] = readdirSync(folder);
    const events = Profile.parse(JSON.parse(readFileSync(join(folder, file), "utf8")));
    const micros = events.flatMap(({ name, dur }) => (name.endsWith("_kernel_time") && dur !== undefined ? [dur] : []));
    return Math.min(...micros) / 1e6;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns the lower quartile of measured times, which best estimates the code's cost on a machine with other load. */
export function lowerQuartile(values: readonly number[]): number {
  return values.toSorted((x, y) => x - y)[Math.floor(values.length / 4)] ?? NaN;
}

const Profile = z.array(z.object({ name: z.string(), dur: z.number().optional() }));

function noise(shape: Shape): Float32Array {
  return Float32Array.from({ length: numElements(shape) }, (_, i) => Math.sin(i));
}
