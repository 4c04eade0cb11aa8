import type { Values } from "./interpret.ts";
import * as ops from "../ops.ts";
import { numElements } from "../shape.ts";
import type { Primitive, Shape, Tensor } from "../tensor.ts";

export type Case = { readonly output: Tensor; readonly feeds: Values };

/** Test graphs of every primitive, at inputs where it is differentiable, so that finite differences are valid. */
export const primitiveCases: { readonly [K in Primitive]: readonly Case[] } = {
  input: [withInputs([[2, 3]], ([x]) => x)],
  constant: [withInputs([[2, 1]], ([x]) => ops.mul(x, ops.constant([1, 2, 3], [3])))],
  stopGradient: [withInputs([[2, 2]], ([x]) => ops.stopGradient(x))],
  after: [withInputs([[2, 3]], ([x]) => ops.after(ops.mul(x, 2), [ops.constant([NaN, 1], [2]), ops.sum(x)]))],
  widen: [
    withInputs([[2, 3]], ([x]) => ops.mul(x, ops.widen(ops.constant([0x3f80, 0xc049, 0x3e9a], [3], "bf16")))),
    withInputs([[2, 3]], ([x]) => ops.mul(x, ops.widen(ops.constant([0x3c00, 0xc248, 0x34cd], [3], "f16")))),
  ],
  add: broadcasting(ops.add),
  sub: broadcasting(ops.sub),
  mul: [...broadcasting(ops.mul), withInputs([[3]], ([x]) => ops.square(x))],
  div: broadcasting(ops.div),
  maximum: broadcasting(ops.maximum),
  minimum: broadcasting(ops.minimum),
  greater: broadcasting((x, y) => ops.toFloat(ops.greater(x, y))),
  where: broadcasting((x, y) => ops.where(ops.greater(x, 1), ops.mul(x, y), y)),
  neg: [withInputs([[3]], ([x]) => ops.neg(x))],
  exp: [withInputs([[2, 2]], ([x]) => ops.exp(x))],
  log: [withInputs([[2, 2]], ([x]) => ops.log(x))],
  sqrt: [withInputs([[2, 2]], ([x]) => ops.sqrt(x))],
  cumulativeSum: [withInputs([[2, 3, 4]], ([x]) => ops.cumulativeSum(x))],
  sigmoid: [withInputs([[5]], ([x]) => ops.sigmoid(ops.sub(x, 1)))],
  relu: [withInputs([[7]], ([x]) => ops.relu(ops.sub(x, 1.03)))],
  reluSquared: [withInputs([[7]], ([x]) => ops.reluSquared(ops.sub(x, 1.03)))],
  softmax: [withInputs([[2, 3, 4]], ([x]) => ops.softmax(x))],
  logSoftmax: [
    withInputs([[3, 4]], ([x]) => ops.logSoftmax(x)),
    withInputs([[3, 4]], ([x]) => taken(ops.logSoftmax(x))),
  ],
  rmsNorm: [withInputs([[2, 3, 4]], ([x]) => ops.rmsNorm(ops.sub(x, 1), 0.1))],
  inverseRms: [withInputs([[2, 3, 4]], ([x]) => ops.inverseRms(ops.sub(x, 1), 0.1))],
  matmul: (
    [
      [
        [2, 3],
        [3, 4],
      ],
      [
        [2, 2, 3],
        [3, 4],
      ],
      [
        [2, 2, 2, 3],
        [2, 1, 3, 2],
      ],
      [
        [2, 3],
        [2, 3, 2],
      ],
    ] as const
  ).map(([left, right]) => withInputs([left, right], ([x, y]) => ops.matmul(x, y))),
  transpose: [
    withInputs([[2, 3]], ([x]) => ops.transpose(x)),
    withInputs([[2, 3, 4]], ([x]) => ops.transpose(x, [2, 0, 1])),
    withInputs(
      [
        [2, 3, 2],
        [2, 3, 2],
      ],
      ([x, y]) => ops.matmul(x, ops.transpose(y)),
    ),
  ],
  reshape: [withInputs([[2, 3]], ([x]) => ops.reshape(x, [3, 2]))],
  broadcastTo: [
    withInputs(
      [
        [2, 1],
        [3, 2, 1],
      ],
      ([x, y]) => ops.mul(ops.broadcastTo(x, [3, 2, 2]), y),
    ),
    withInputs([[2, 1]], ([x]) => ops.broadcastTo(x, [3, 2, 2])),
  ],
  sum: [
    withInputs([[2, 3, 2]], ([x]) => ops.sum(x)),
    withInputs([[2, 3, 2]], ([x]) => ops.sum(x, [0, -1])),
    withInputs([[2, 3, 2]], ([x]) => ops.mul(x, ops.sum(x, 1, { keepDims: true }))),
  ],
  max: [
    withInputs([[2, 3, 2]], ([x]) => ops.max(x, 1)),
    withInputs([[2, 3]], ([x]) => ops.max(x, -1, { keepDims: true })),
  ],
  gather: [withInputs([[4, 3]], ([x]) => ops.gather(x, ops.constant([3, 0, 3, 1], [2, 2], "i64")))],
  scatterRows: [withInputs([[2, 2, 3]], ([x]) => ops.scatterRows(ops.constant([3, 0, 3, 1], [2, 2], "i64"), x, 5))],
  takeAlongLast: [withInputs([[3, 4]], ([x]) => taken(x))],
  scatterAlongLast: [
    withInputs([[2, 2]], ([x]) => ops.scatterAlongLast(ops.constant([3, 0, 3, 1], [2, 2], "i64"), x, 4)),
  ],
  concat: [
    withInputs(
      [
        [2, 2, 2],
        [2, 3, 2],
      ],
      ([x, y]) => ops.concat([x, y, x], 1),
    ),
  ],
  slice: [
    withInputs([[2, 5]], ([x]) => ops.slice(x, 1, [1, 4])),
    withInputs([[6, 2]], ([x]) =>
      ops.mul(ops.mul(ops.slice(x, 0, [4, 6]), ops.slice(x, 0, [0, 2])), ops.slice(x, 0, [2, 4])),
    ),
  ],
  pad: [withInputs([[2, 3]], ([x]) => ops.pad(x, 1, [2, 1]))],
};

function taken(x: Tensor): Tensor {
  return ops.takeAlongLast(x, ops.constant([3, 0, 2], [3], "i64"));
}

function broadcasting(apply: (x: Tensor, y: Tensor) => Tensor): Case[] {
  const shapes = [
    [
      [2, 3],
      [2, 3],
    ],
    [[2, 3], [3]],
    [
      [2, 1],
      [4, 1, 3],
    ],
    [[], [2, 2]],
  ] as const;
  return shapes.map(([left, right]) => withInputs([left, right], ([x, y]) => apply(x, y)));
}

/** Returns a test case: a graph over inputs `x0` and `x1`, with distinct positive values as their data. */
function withInputs(shapes: readonly Shape[], build: (inputs: readonly [Tensor, Tensor]) => Tensor): Case {
  const inputs = shapes.map((shape, i) => ops.input(`x${i}`, shape));
  const [first = ops.scalar(0), second = first] = inputs;
  const feeds = Object.fromEntries(
    shapes.map((shape, i) => [
      `x${i}`,
      Float32Array.from({ length: numElements(shape) }, (_, j) => 0.4 + ((j * 37 + i * 13 + 11) % 23) / 11 + j * 0.003),
    ]),
  );
  return { output: build([first, second]), feeds };
}
