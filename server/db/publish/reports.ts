import { AppError } from "#packages/base";
import { z } from "zod";
import type { Database } from "../storage/client.ts";
import { newSweepId } from "../plan/sweeps.ts";

export type ReportHead = { id: string; title: string; updatedAt: Date; frozenAt: Date | null };
type Written = { title: string; body: string };

const Frozen = z.record(z.string(), z.string());

export async function listReports({ prisma }: Database): Promise<ReportHead[]> {
  return prisma.report.findMany({
    select: { id: true, title: true, updatedAt: true, frozenAt: true },
    orderBy: [{ updatedAt: "desc" }, { id: "asc" }],
  });
}

/** Reads a report with the rendered blocks of its frozen state, if any. Throws `not_found`. */
export async function readReport({ prisma }: Database, id: string) {
  const report = await prisma.report.findUnique({ where: { id } });
  if (!report) throw noReport(id);
  const { frozen, frozenAt, ...rest } = report;
  return {
    ...rest,
    frozen:
      frozen === null || frozenAt === null
        ? null
        : { at: frozenAt, blocks: new Map(Object.entries(Frozen.parse(frozen))) },
  };
}

export async function createReport({ prisma }: Database, written: Written): Promise<string> {
  const id = newSweepId(written.title);
  await prisma.report.create({ data: { ...written, id } });
  return id;
}

/** Saves title and text unless the stored revision is newer (optimistic locking); returns the new revision. */
export async function saveReport(
  { prisma }: Database,
  { id, revision, ...written }: Written & { id: string; revision: number },
): Promise<number> {
  const { count } = await prisma.report.updateMany({
    where: { id, revision },
    data: { ...written, revision: revision + 1, updatedAt: new Date() },
  });
  if (count > 0) return revision + 1;
  const there = await prisma.report.findUnique({ where: { id }, select: { revision: true } });
  if (!there) throw noReport(id);
  throw new AppError("conflict", "this report was changed elsewhere after it was opened here, perhaps in another tab");
}

/** Stores the content of a report's figures and tables, so that it no longer changes; null makes them live again. */
export async function freezeReport(
  { prisma }: Database,
  id: string,
  blocks: ReadonlyMap<string, string> | null,
): Promise<void> {
  const { count } = await prisma.report.updateMany({
    where: { id },
    data: blocks ? { frozen: Object.fromEntries(blocks), frozenAt: new Date() } : { frozenAt: null },
  });
  if (count === 0) throw noReport(id);
}

export type FrozenReport = Written & { id: string; frozenAt: Date; frozen: Record<string, string> };

export async function readFrozenReports({ prisma }: Database): Promise<FrozenReport[]> {
  const reports = await prisma.report.findMany({
    where: { frozenAt: { not: null } },
    select: { id: true, title: true, body: true, frozenAt: true, frozen: true },
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
  });
  return reports.flatMap(({ frozenAt, frozen, ...report }) =>
    frozenAt === null ? [] : [{ ...report, frozenAt, frozen: Frozen.parse(frozen) }],
  );
}

/** Stores another studio's frozen report once, under its own id if that is free. Returns the id. */
export async function keepFrozenReport({ prisma }: Database, report: FrozenReport): Promise<string> {
  const { id, title, body, frozenAt } = report;
  const there = await prisma.report.findFirst({ where: { title, body, frozenAt }, select: { id: true } });
  if (there) return there.id;
  const isTaken = (await prisma.report.count({ where: { id } })) > 0;
  const data = { ...report, id: isTaken ? newSweepId(title) : id };
  await prisma.report.create({ data });
  return data.id;
}

export async function deleteReport({ prisma }: Database, id: string): Promise<void> {
  const { count } = await prisma.report.deleteMany({ where: { id } });
  if (count === 0) throw noReport(id);
}

function noReport(id: string): AppError {
  return new AppError("not_found", `there is no report ${id}`);
}
