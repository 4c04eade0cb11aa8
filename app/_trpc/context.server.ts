import type { Context } from "#server/api/context.ts";
import { readCaller } from "./caller.server.ts";
import { services } from "./services.server.ts";

/** Creates the tRPC context of a request. */
export async function makeContext(headers: Headers): Promise<Context> {
  return { ...services(), caller: await readCaller(headers) };
}
