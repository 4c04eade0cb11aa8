import { z } from "zod";
import { StudyLines } from "../studyLines.ts";

const Line = z.object({
  type: z.string().optional(),
  logLines: z.number().default(0),
  sampleLines: z.number().default(0),
});

/** Reads a recorded study as the text of its older form, in which logs and episodes are plain lines. */
export async function readPlain(path: string): Promise<string> {
  const lines = new StudyLines(path);
  const text: string[] = [];
  try {
    for (;;) {
      const line = await lines.next();
      const { type, logLines, sampleLines } = Line.parse(JSON.parse(line));
      text.push(line, ...(await lines.take(logLines + sampleLines)));
      if (type === "end") return text.map((one) => `${one}\n`).join("");
    }
  } finally {
    await lines.close();
  }
}
