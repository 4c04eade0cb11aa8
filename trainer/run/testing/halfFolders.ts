import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { numElements } from "#trainer/graph/shape.ts";
import { readModelConfig } from "#trainer/policy/llama/readModel.ts";
import { openTensorFiles, singleFile } from "#trainer/policy/llama/safetensors.ts";
import { llamaShapes } from "#trainer/policy/llama/shapes.ts";
import { tensorName } from "#trainer/policy/llama/weights.ts";

/** Makes two copies of a model with equal weights: one in bfloat16, the other in single precision. */
export function makeHalfFolders(model: string, parent: string): { bf16: string; f32: string } {
  const folders = { bf16: join(parent, "bf16"), f32: join(parent, "f32") };
  const shapes = Object.entries(llamaShapes(readModelConfig(model)));
  for (const [format, folder] of Object.entries(folders)) {
    cpSync(model, folder, { recursive: true });
    const files = openTensorFiles(model);
    const bytesEach = format === "bf16" ? 2 : 4;
    const [header, parts]: [Record<string, object>, Uint8Array[]] = [{}, []];
    let end = 0;
    for (const [parameter, own] of shapes) {
      const name = tensorName(parameter);
      const shape = parameter.startsWith("layer") ? own.toReversed() : own;
      const words = new Uint32Array(files.read(name, shape).buffer);
      const values =
        format === "bf16" ? Uint16Array.from(words, (word) => word >>> 16) : words.map((word) => word & ~0xffff);
      parts.push(new Uint8Array(values.buffer));
      const start = end;
      end += bytesEach * numElements(shape);
      header[name] = { dtype: format.toUpperCase(), shape, data_offsets: [start, end] };
    }
    files.close();
    const text = Buffer.from(JSON.stringify(header));
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(text.length));
    writeFileSync(join(folder, singleFile), Buffer.concat([length, text, ...parts]));
  }
  return folders;
}
