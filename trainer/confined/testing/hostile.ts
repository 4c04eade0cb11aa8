import { appendFileSync } from "node:fs";
import { serve } from "../serve.ts";

/** Program of a confined process for tests, which misbehaves as the request says, for example by filling memory. */
const kept: unknown[] = [];
serve((request) => {
  if (typeof request === "object" && request !== null && "fillAndNote" in request) {
    appendFileSync(String(request.fillAndNote), "tried\n");
    for (;;) kept.push(new Uint8Array(1e7).fill(1));
  }
  switch (request) {
    case "loop":
      for (;;);
    case "wait":
      return new Promise(() => {});
    case "one array":
      return kept.push(Array.from({ length: 2 ** 27 }, () => 0.5));
    case "native":
      for (;;) kept.push(new Uint8Array(1e7).fill(1));
    case "fill half":
      return kept.push(new Uint8Array(1e8).fill(1));
    case "throw":
      throw new Error("thrown inside");
    case "large integers":
      return Number(3n ** (10n ** 8n) % 7n);
    default:
      return { echo: request, pid: process.pid };
  }
});
