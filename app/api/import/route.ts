import { z } from "zod";
import { readConfig } from "#server/config/config.ts";
import { isSameOrigin } from "#server/api/origin.ts";
import { AppError } from "#server/domain/errors.ts";
import { importFiles } from "#server/tracking/importFiles.ts";
import { httpStatuses } from "#server/api/problem.ts";
import { makeRoute } from "#app/_trpc/route.server.ts";
import { isSignedIn } from "#app/_trpc/session.server.ts";
import { services } from "#app/_trpc/services.server.ts";

/** Bytes of all files together: a run's log is a few megabytes. */
const maxBytes = 256 * 1024 * 1024;

const text = z.preprocess(
  (value) => (value === "" || value === null ? undefined : value),
  z.string().max(100).optional(),
);
const Wishes = z.object({
  name: text,
  method: text,
  environment: text,
  seed: z.preprocess(
    (value) => (value === "" || value === null ? undefined : value),
    z.coerce
      .number()
      .int()
      .min(0)
      .max(2 ** 31 - 1)
      .optional(),
  ),
});

/** Files of finished runs, dropped on a page; answers with the sweep that they became. */
export const POST = makeRoute(async (request: Request) => {
  if (!(await isSignedIn(request.headers))) return answer(401, { problem: "Sign in first" });
  if (!isSameOrigin(request.headers)) return answer(403, { problem: "This request is not from one of our own pages" });
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) {
    return answer(413, {
      problem: `more than ${maxBytes / 1024 / 1024} MB: import large files with npx arlarena import`,
    });
  }
  const form = await request.formData();
  const wishes = Wishes.safeParse(
    Object.fromEntries(["name", "method", "environment", "seed"].map((key) => [key, form.get(key)])),
  );
  if (!wishes.success) return answer(400, { problem: z.prettifyError(wishes.error) });
  const files = form.getAll("files").filter((entry) => typeof entry !== "string");
  try {
    const given = await Promise.all(
      files.map(async (file) => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })),
    );
    const { name, ...rest } = wishes.data;
    return answer(200, await importFiles(services().database, readConfig().home, { files: given, wishes: rest, name }));
  } catch (error) {
    if (error instanceof AppError && error.code !== "internal")
      return answer(statuses[error.code], { problem: error.message });
    throw error;
  }
});

const statuses = httpStatuses;

function answer(status: number, body: object): Response {
  return Response.json(body, { status });
}
