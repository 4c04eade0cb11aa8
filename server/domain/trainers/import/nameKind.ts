// oxlint-disable no-control-regex -- Binary formats begin with control characters.

/** Kinds of files that are no logs, by their first bytes as Latin-1 text, with advice on how to get a log. */
const kinds: readonly [start: RegExp, kind: string | ((fileName: string, start: string) => string)][] = [
  [/^SQLite format 3\0/, nameDatabase],
  [
    /^PAR1/,
    "a Parquet file: convert it with python -c \"import pandas as pd; pd.read_parquet('FILE').to_csv('FILE.csv')\"",
  ],
  [/^PK\x03\x04/, nameZip],
  [/^\x80[\x02-\x05]/, "a Python pickle, such as a checkpoint, no log"],
  [/^[^]{5}\0\0\0\{\s*"/, "a safetensors file with weights, no log"],
  [/^GGUF/, "a GGUF file with weights, no log"],
  [/^%PDF-/, "a PDF document, no log"],
  [/^\s*(?:<!doctype html|<html)/i, "an HTML page, no log: if a tracker showed it, export the chart as CSV"],
  [/^\s*<(?:\?xml|svg)/i, "an XML document, no log"],
  [/^\x1f\x8b/, "packed with gzip twice: unpack it once"],
  [/^\x28\xb5\x2f\xfd/, "packed with Zstandard: unpack it first (zstd -d)"],
  [/^\xfd7zXZ/, "packed with xz: unpack it first (xz -d)"],
  [/^BZh\d1AY/, "packed with bzip2: unpack it first (bunzip2)"],
  [/^7z\xbc\xaf/, "a 7-Zip archive: unpack it first"],
  [/^[^]{257}ustar/, "a tar archive: unpack it first and import the folder"],
  [/^\x89PNG|^\xff\xd8\xff|^GIF8|^RIFF[^]{4}WEBP/, "an image, no log"],
  [/^[^]{4}ftyp|^\x1aE\xdf\xa3/, "a video, no log"],
  [/^\x89HDF/, "an HDF5 file, no log: export its measurements as CSV"],
  [/^ARROW1/, "an Arrow file: convert it to CSV"],
  [/^\x93NUMPY/, "a NumPy array, no log: export its measurements as CSV"],
  [/^\x7fELF|^MZ\x90/, "a program, no log"],
  [/^\s*\{\s*"(?:cells|nbformat)"\s*:/, "a Jupyter notebook, no log"],
];

/** Number of bytes at the start of a file that tell its kind. */
export const numKindBytes = 8192;

/** Names the kind of a file that is no log, such as "a Parquet file: convert it with …"; undefined for others. */
export function nameKind(fileName: string, bytes: Uint8Array): string | undefined {
  const start = Array.from(bytes.subarray(0, numKindBytes), (byte) => String.fromCharCode(byte)).join("");
  const kind = kinds.find(([pattern]) => pattern.test(start))?.[1];
  return typeof kind === "function" ? kind(fileName, start) : kind;
}

/** The first page of an SQLite database contains the statements that made its tables. */
function nameDatabase(fileName: string, start: string): string {
  const isTrackio = /create table[^]{0,40}\bmetrics\b[^]*\brun_name\b/i.test(start) || /trackio/i.test(fileName);
  if (isTrackio) {
    const query = "select json_object('step', step, 'metrics', json(metrics)) from metrics where run_name = 'RUN'";
    return `an SQLite database of Trackio: export it with sqlite3 FILE "${query}" > RUN.jsonl, once for each run`;
  }
  if (/\b(?:latest_metrics|experiment_tags)\b/.test(start) || /mlflow/i.test(fileName)) {
    return 'an SQLite database of MLflow: export it with python -c "import mlflow; …" or its charts as CSV (Download CSV)';
  }
  return 'an SQLite database: export its measurements as CSV with sqlite3 -header -csv FILE "select …" > RUN.csv';
}

function nameZip(fileName: string, start: string): string {
  if (/\.xls[xm]$/i.test(fileName) || start.includes("xl/")) return "an Excel workbook: save the sheet as CSV";
  if (/\.(pth?|ckpt|bin)$/i.test(fileName) || start.includes("/data.pkl")) return "a PyTorch checkpoint, no log";
  if (/\.np[zy]$/i.test(fileName) || start.includes(".npy"))
    return "a NumPy archive, no log: export its measurements as CSV";
  return "a zip archive: unpack it first and import the folder";
}
