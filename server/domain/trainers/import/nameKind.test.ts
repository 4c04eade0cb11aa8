import { expect, it } from "vitest";
import { readForeignFile } from "./readForeignFile.ts";

const latin = (text: string) => Buffer.from(text, "latin1");
const page = (sql: string) => latin(`SQLite format 3\0${"\0\x10\x01".repeat(300)}${sql}${"\0".repeat(40)}`);

it.each([
  [
    "trackio/p.db",
    page("CREATE TABLE metrics (id INTEGER, timestamp TEXT, run_name TEXT, step INTEGER, metrics TEXT)"),
    "an SQLite database of Trackio: export it with sqlite3 FILE",
  ],
  ["mlflow.db", page("CREATE TABLE latest_metrics (key TEXT)"), "an SQLite database of MLflow: export"],
  ["optuna.db", page("CREATE TABLE studies (id INTEGER)"), "an SQLite database: export its measurements as CSV"],
  ["history.parquet", latin("PAR1\x15\x04\x15,step,reward\x10\n1,2\nPAR1"), "a Parquet file: convert it"],
  ["logs.zip", latin("PK\x03\x04\x14\0\0\0\x08\0run/train.csv,step"), "a zip archive: unpack it first"],
  ["book.xlsx", latin("PK\x03\x04\x14\0\0\0\x08\0xl/workbook.xml"), "an Excel workbook: save the sheet as CSV"],
  ["model.pt", latin("PK\x03\x04\0\0\x08\x08archive/data.pkl"), "a PyTorch checkpoint"],
  ["state.pkl", latin("\x80\x04\x95\x10\0\0\0\0\0\0\0}\x94(\x8c\x04step\x94K\x01u."), "a Python pickle"],
  [
    "model.safetensors",
    latin('\x40\0\0\0\0\0\0\0{"__metadata__":{"format":"pt"},"w":{"dtype":"F32"}}'),
    "a safetensors file",
  ],
  ["paper.pdf", latin("%PDF-1.7\n%\xe2\xe3\xcf\xd3\nstep,reward"), "a PDF document"],
  ["chart.html", latin("<!DOCTYPE html>\n<html><body>step, reward</body></html>"), "an HTML page"],
  ["train.csv", latin("<html>\n<body>step,reward</body>"), "an HTML page"],
  ["log.gz", latin("\x1f\x8b\x08\0\0\0\0\0"), "packed with gzip twice"],
  ["log.zst", latin("\x28\xb5\x2f\xfd\x04\x58abc"), "packed with Zstandard"],
  ["log.xz", latin("\xfd7zXZ\0\0\x04"), "packed with xz"],
  ["runs.tar", latin(`runs/${"\0".repeat(252)}ustar\x0000`), "a tar archive"],
  ["plot.png", latin("\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), "an image"],
  ["data.h5", latin("\x89HDF\r\n\x1a\n\0"), "an HDF5 file"],
  ["a.npy", latin("\x93NUMPY\x01\0v\0{'descr': '<f8'}"), "a NumPy array"],
  ["n.ipynb", latin('{\n "cells": [],\n "nbformat": 4}'), "a Jupyter notebook"],
  [
    "odd.csv",
    latin("\x01\x02step\x03,\x04reward\x05,\x06\n1,2,3\n"),
    "binary data of an unknown kind (its first bytes: 01 02 73 74",
  ],
  ["odd.bin", Uint8Array.from({ length: 400 }, (_, i) => 128 + ((i * 37) % 128)), "binary data of an unknown kind"],
])("%s is refused as what it is", (fileName, bytes, kind) => {
  expect(() => readForeignFile(fileName, bytes)).toThrow(`${fileName}: ${kind}`);
});
