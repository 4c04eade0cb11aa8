import { AppError } from "#server/domain/errors.ts";
import { readText } from "#server/api/readText.ts";

/** A token and a path of ours; a kilobyte holds both. */
const maxBytes = 16 * 1024;

/** The fields of a form as browsers post it. Throws `bad_input` for another content type, `too_large` beyond 16 kB. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "none";
  if (type !== "application/x-www-form-urlencoded") {
    throw new AppError("bad_input", `content-type ${type}: a form is application/x-www-form-urlencoded`);
  }
  return new URLSearchParams(await readText(request, maxBytes));
}
