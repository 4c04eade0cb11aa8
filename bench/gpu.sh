#!/usr/bin/env bash
# Measures training on a GPU, in at most ten minutes; without one, the part of the processor:
#   bench/gpu.sh [--short] [--out gpu.json]   probe, train, and write one JSON file
#   bench/gpu.sh pack                         only build the folder that a machine without npm needs
#   bench/gpu.sh print gpu.json               print the block of docs/results.md
# The folder is node_modules/.cache/gpu. If it is copied beside the tracked files, nothing is installed or downloaded.
# LD_LIBRARY_PATH names the folder of libvulkan.so.1 where the system has none.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=node_modules/.cache/gpu
if [ "${1:-}" = pack ] || [ ! -f "$folder/gpu.mjs" ]; then node bench/packGpu.mjs "$folder"; fi
[ "${1:-}" != pack ] || exit 0
find "$folder" -name '*.br' | while read -r file; do
  [ -f "${file%.br}" ] || node -e 'const [, from, to] = process.argv, fs = require("node:fs");
    fs.writeFileSync(to, require("node:zlib").brotliDecompressSync(fs.readFileSync(from)));' "$file" "${file%.br}"
done
exec timeout --kill-after=10 600 node "$folder/gpu.mjs" "$@"
