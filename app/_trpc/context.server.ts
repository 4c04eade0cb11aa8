import type { Context } from "#server/api/context.ts";
import { isSameOrigin } from "#server/api/origin.ts";
import { isSignedIn } from "./session.server.ts";
import { services } from "./services.server.ts";

/** What procedures see of a request. */
export async function makeContext(headers: Headers): Promise<Context> {
  return { ...services(), isSignedIn: await isSignedIn(headers), isSameOrigin: isSameOrigin(headers) };
}
