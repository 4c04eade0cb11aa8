import { z } from "zod";
import { nameCaller, requesterOf } from "#server/api/people/caller.ts";
import { serveRequester } from "#server/config/requester.ts";
import { readConfig } from "#server/config/config.ts";
import { readChunks, refuseLength, tooLarge } from "#server/api/readText.ts";
import { noteChange } from "#server/db/people/changes.ts";
import { parseJson } from "#packages/trainers";
import { checkChosen, ChosenNames, RunEdits } from "#server/domain/trainers/import/chosenNames.ts";
import { formatCount, refuseUnstorable } from "#packages/base";
import { takeStudy, type UploadedStudy } from "#server/engine/studies/uploadedStudy.ts";
import { importFiles, previewImport } from "#server/engine/trainers/import/importFiles.ts";
import { isImportWaiting, readImportElsewhere } from "#server/engine/trainers/import/importReader.ts";
import type { ReadRequest } from "#server/engine/trainers/import/readImport.ts";
import { receiveUpload } from "#server/engine/trainers/import/upload.ts";
import { readCaller, refuseRequest } from "#app/_trpc/caller.server.ts";
import { answerJson, makeRoute } from "#app/_trpc/route.server.ts";
import { services } from "#app/_trpc/services.server.ts";

/** Maximum size of an import in bytes, with all files and the form; the log of one run has a few megabytes. */
const maxBytes = 256 * 1024 * 1024;

const optional = (value: unknown) => (value === "" ? undefined : value);
const fromJson = (value: unknown) => (typeof value === "string" && value !== "" ? parseJson(value) : undefined);
const text = z.preprocess(optional, z.string().max(100).optional());
const seed = z.coerce
  .number()
  .int()
  .min(0)
  .max(2 ** 31 - 1);
const Options = z.object({
  name: text,
  method: text,
  environment: text,
  seed: z.preprocess(optional, seed.optional()),
  chosen: z.preprocess(fromJson, ChosenNames.optional()),
  edits: z.preprocess(fromJson, RunEdits.optional()),
  preview: z.preprocess(optional, z.literal("yes").optional()),
});

/** Imports files that the user dropped on a page; responds with the created sweep, or for a preview with its plan. */
export const POST = makeRoute(async (request: Request) => {
  const refused = await refuseRequest(request, { access: "change", isChange: true });
  if (refused) return refused;
  const requester = requesterOf(await readCaller(request.headers));
  return serveRequester(requester, () => importUpload(request));
});

/** Responds if the caller's import waits behind another person's, which the page shows meanwhile. */
export const GET = makeRoute(async (request: Request) => {
  const refused = await refuseRequest(request, { access: "view", isChange: false });
  if (refused) return refused;
  return answerJson(200, { isWaiting: isImportWaiting(requesterOf(await readCaller(request.headers))) });
});

async function importUpload(request: Request): Promise<Response> {
  refuseLength(request.headers, maxBytes);
  const { home } = readConfig();
  const upload = await receiveUpload(home, {
    chunks: readChunks(request),
    contentType: request.headers.get("content-type") ?? "",
    maxBytes,
    tooLarge: (numBytes) => tooLarge(numBytes, maxBytes),
  });
  try {
    const fields = Object.fromEntries(upload.texts);
    refuseUnstorable(fields);
    const { name, preview, ...options } = Options.parse(fields);
    const { database } = services();
    checkChosen(options.chosen ?? {});
    const [first, ...others] = upload.files;
    const isPreview = preview === "yes";
    const study = first && others.length === 0 ? await takeStudy(first, { database, home, isPreview }) : undefined;
    if (study) return answerJson(200, await verifyProofs(study));
    const asked = { files: upload.files, options, name };
    if (!isPreview) {
      const made = await importFiles(database, home, { ...asked, read: readImportElsewhere });
      const who = nameCaller(await readCaller(request.headers));
      await noteChange(database.pool, { who, action: "run.import", subject: `sweepId=${made.sweepId}`, problem: null });
      return answerJson(200, made);
    }
    // A preview is aborted when its page is closed; an import continues.
    const read = (files: ReadRequest) => readImportElsewhere(files, request.signal);
    return answerJson(200, await previewImport(database, home, { ...asked, read }));
  } finally {
    await upload.remove();
  }
}

/** Recomputes the proved tables of an imported study, and tells how many have the same numbers. */
async function verifyProofs({ proofs, ...study }: UploadedStudy): Promise<Omit<UploadedStudy, "proofs">> {
  const verdicts = [];
  for (const hash of proofs) verdicts.push(await services().analyst.ask("verifiedTable", { hash }));
  const numSame = verdicts.filter(({ isSame }) => isSame).length;
  const verified = `${numSame} of ${formatCount(proofs.length, "table")} recomputed with the same numbers`;
  return { ...study, notes: proofs.length > 0 ? [...study.notes, verified] : study.notes };
}
