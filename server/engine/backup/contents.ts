import { z } from "zod";

/** First entry of a backup: where it comes from, and the schema of its tables. */
export const Head = z.object({
  format: z.literal("arlarena-backup-1"),
  version: z.string(),
  createdAt: z.string(),
  /** State folder that was backed up. */
  home: z.string(),
  migrations: z.array(z.string()),
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()) })),
});
export type Head = z.infer<typeof Head>;

/** Last entry of a backup, against which a restore is checked: rows of tables, SHA-256 of files by path. */
export const Sums = z.object({
  rows: z.record(z.string(), z.number()),
  sequences: z.record(z.string(), z.number()),
  files: z.record(z.string(), z.string()),
});
export type Sums = z.infer<typeof Sums>;

export const headPath = "backup.json";
export const sumsPath = "sums.json";
/** Folders of the archive with the tables' parts, and with the files of the state folder. */
export const tablesFolder = "database";
export const filesFolder = "home";

/** Marks a state folder into which a restore has not finished; the studio does not start on it. */
export const restoringFile = "restoring.json";

/**
 * Parts of the state folder that a backup leaves out: the embedded server's files, because the tables are saved; what
 * names running processes; and caches that a start or a run makes again.
 */
const leftOut: ReadonlySet<string> = new Set([
  "postgres",
  "postgres.location",
  "postgres.log",
  "database.json",
  "studio.json",
  "start.json",
  "trainer",
  "tools",
  "graphs",
  "python",
  "ray",
  "uploads",
  restoringFile,
]);

/**
 * True if a path of the state folder belongs to a backup. Folders of attempts (`runs/RUN/NUMBER`) that began after
 * the tables were read do not: the restored studio will use the same numbers.
 */
export function isContained(path: string, attempts: ReadonlySet<string>): boolean {
  const [top = "", run = "", number = ""] = path.split("/");
  // PostgreSQL's programs lie in the state folder where a user without rights starts the studio.
  if (leftOut.has(top) || top.startsWith("postgresql-") || top.endsWith(".new")) return false;
  return top !== "runs" || !/^\d+$/.test(number) || attempts.has(`${run}/${number}`);
}

/** State of a backup or restore in progress. */
export type Progress = { what: "tables" | "files" | "check"; done: number; total: number; bytes: number };
