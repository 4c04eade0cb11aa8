import { AppError } from "#packages/base";
import { readText } from "#server/api/readText.ts";

/** A token and a local path: a kilobyte would be enough. */
const maxBytes = 16 * 1024;

/** Reads the fields of a form post. Throws `bad_input` for another content type, `too_large` beyond 16 kB. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "none";
  if (type !== "application/x-www-form-urlencoded") {
    throw new AppError("bad_input", `content-type ${type}: a form is application/x-www-form-urlencoded`);
  }
  return new URLSearchParams(await readText(request, maxBytes));
}
