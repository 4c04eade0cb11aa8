import { z } from "zod";
import type { PathFile } from "./chosenFiles.ts";

export const Found = z.object({ numRuns: z.number(), numCells: z.number(), notes: z.array(z.string()) });
/** A metric name of the files and its metric, null if it is not in the catalogue. */
const Column = z.object({ name: z.string(), metric: z.string().nullable(), numPoints: z.number() });
export type Column = z.infer<typeof Column>;
export const Previewed = Found.extend({ columns: z.array(Column) });
export const Imported = Found.extend({ sweepId: z.string() });
const Problem = z.object({ problem: z.string() });

/** Posts files to the import route. Throws the server's message if it refuses them. */
export async function sendFiles<Schema extends z.ZodType>(
  files: readonly PathFile[],
  fields: Readonly<Record<string, string>>,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const form = new FormData();
  for (const { path, file } of files) form.append("files", file, path);
  for (const [key, value] of Object.entries(fields)) form.append(key, value);
  const response = await fetch("/api/import", { method: "POST", body: form });
  const body: unknown = await response.json().catch(() => undefined);
  const problem = Problem.safeParse(body);
  if (problem.success) throw new Error(problem.data.problem);
  const answer = schema.safeParse(body);
  if (!answer.success) throw new Error(`The server answered ${response.status}`);
  return answer.data;
}
