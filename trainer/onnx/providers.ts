import { InferenceSession, listSupportedBackends } from "onnxruntime-node";
import * as ops from "#trainer/graph/ops.ts";
import { encode } from "./encode.ts";
import { ortOptions } from "./options.ts";

/** ONNX Runtime's execution providers by name, with what keeps an absent one from working here; null where it works. */
export async function probeProviders(names = listSupportedBackends().map(({ name }) => name)) {
  const probes = new Map<string, string | null>();
  for (const name of names) probes.set(name, await whyAbsent(name));
  return probes;
}

/** Throws unless the execution provider works on this machine, and says which ones do. */
export async function requireProvider(name: string): Promise<void> {
  const reason = await whyAbsent(name);
  if (reason === null) return;
  const working = [...(await probeProviders())].flatMap(([other, problem]) => (problem === null ? [other] : []));
  throw new Error(`execution provider "${name}" is not available here (${reason}); available: ${working.join(", ")}`);
}

/** Being built in is not enough, a device must answer: the smallest graph is tried. */
async function whyAbsent(name: string): Promise<string | null> {
  try {
    const bytes = encode({ y: ops.neg(ops.input("x", [1])) });
    const session = await InferenceSession.create(bytes, { ...ortOptions(name), logSeverityLevel: 4 });
    await session.release();
    return null;
  } catch (error) {
    return firstSentence(error instanceof Error ? error.message : String(error));
  }
}

/** ONNX Runtime puts the place in its source first. */
function firstSentence(message: string): string {
  const [text = ""] = message.replace(/^\/onnxruntime_src\/\S+ .*? was false\. /, "").split(/\.\s|\n/);
  return text.slice(0, 200);
}
